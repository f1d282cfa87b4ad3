#include "support/sample_runs.hpp"

#include "support/temporary_directory.hpp"

namespace perfmodel::test {

namespace {

std::string text_of(const std::string& name) {
  return read_text(PERFMODEL_SOURCE_DIR "/tests/transcripts/files/" + name);
}

}  // namespace

std::string sample_runs() {
  return text_of("sample_runs.csv");
}

std::string sample_model() {
  return text_of("sample_model.json");
}

}  // namespace perfmodel::test
