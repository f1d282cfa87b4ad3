#include "support/program_fixture.hpp"

#include <filesystem>

#include "support/sample_runs.hpp"

namespace perfmodel::test {

bool ProgramTest::has(const std::string& name) const {
  return std::filesystem::exists(file(name));
}

nlohmann::json ProgramTest::json(const std::string& name) const {
  return nlohmann::json::parse(read(name));
}

ProgramResult ProgramTest::run(Words arguments, const Words& further) const {
  arguments.insert(arguments.end(), further.begin(), further.end());
  return run_perfmodel(arguments, program_options);
}

nlohmann::json ProgramTest::model_of(const Words& arguments, const Words& further) {
  Words all = {"fit"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const ProgramResult result = run(all, further);
  said_ = result.errors;
  return result.json();
}

SampleRunsTest::SampleRunsTest() {
  write("runs.csv", sample_runs());
}

SampleModelTest::SampleModelTest() {
  write("model.json", sample_model());
}

}  // namespace perfmodel::test
