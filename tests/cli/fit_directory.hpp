#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

namespace perfmodel::test {

/// A folder in which the program fits files.
class FitDirectory {
 public:
  FitDirectory() { options_.directory = directory_.path(); }

  void write(const std::string& name, const std::string& text) const {
    directory_.write(name, text);
  }
  std::string read(const std::string& name) const { return read_text(directory_.file(name)); }
  ProgramResult run(const std::vector<std::string>& arguments) const {
    return run_perfmodel(arguments, options_);
  }
  /// The model of a fit that has to succeed.
  nlohmann::json model_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "fit");
    const ProgramResult result = run(arguments);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    said_ = result.errors;
    return nlohmann::json::parse(result.output);
  }
  /// What the last such fit said.
  const std::string& said() const { return said_; }

 private:
  TemporaryDirectory directory_;
  ProgramOptions options_;
  std::string said_;
};

}  // namespace perfmodel::test
