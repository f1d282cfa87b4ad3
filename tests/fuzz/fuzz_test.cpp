#include <filesystem>
#include <set>
#include <string>

#include "fuzz/targets.hpp"
#include "perfmodel/error.hpp"
#include "support/catch.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;

TEST_CASE("the corpora of the fuzzers are refused with a message or used consistently", "[fuzz]") {
  const std::filesystem::path corpora = std::string(PERFMODEL_SOURCE_DIR) + "/tests/fuzz/corpus";
  std::set<std::string> names;
  for (const fuzz::Target& target : fuzz::targets()) {
    names.insert(std::string(target.name));
    std::size_t used = 0;
    for (const auto& file : std::filesystem::directory_iterator(corpora / target.name)) {
      INFO(file.path());
      const std::string bytes = test::read_text(file.path().string());
      try {
        target.read(bytes);
        ++used;
      } catch (const Error& error) {
        CHECK(std::string(error.what()) != "");
      }
    }
    CHECK(used > 0);  // at least one seed is valid
  }
  for (const auto& folder : std::filesystem::directory_iterator(corpora))
    CHECK(names.count(folder.path().filename().string()) == 1);
}
