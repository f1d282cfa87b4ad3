#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

namespace perfmodel::test {

/// A test with a folder of its own, in which it runs the program.
class ProgramTest {
 public:
  ProgramTest() { program_options.directory = directory_.path(); }

  const TemporaryDirectory& directory() const { return directory_; }
  /// The path of a file of the folder.
  std::string file(const std::string& name) const { return directory_.file(name); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view text) const {
    return directory_.write(name, text);
  }
  bool has(const std::string& name) const;
  std::string read(const std::string& name) const { return read_text(file(name)); }
  nlohmann::json json(const std::string& name) const;
  nlohmann::json model() const { return json("model.json"); }

  /// The program with these arguments and then those.
  ProgramResult run(Words arguments, const Words& further = {}) const;
  /// The model that a fit with these arguments writes to standard output.
  nlohmann::json model_of(const Words& arguments, const Words& further = {});
  /// What the last such fit said.
  const std::string& said() const { return said_; }

  ProgramOptions program_options;  ///< of the next runs

 private:
  TemporaryDirectory directory_;
  std::string said_;
};

/// With sample_runs() in runs.csv.
class SampleRunsTest : public ProgramTest {
 public:
  SampleRunsTest();
};

/// With sample_model() in model.json.
class SampleModelTest : public ProgramTest {
 public:
  SampleModelTest();
};

}  // namespace perfmodel::test
