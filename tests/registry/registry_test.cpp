#include "registry/registry.hpp"

#include <array>
#include <string>

#include "cli/app.hpp"
#include "perfmodel/error.hpp"
#include "sources/source.hpp"
#include "support/catch.hpp"

namespace perfmodel {
namespace {

/// As in a build without a tool that dances and reads scores.
class WithoutDance {
 public:
  WithoutDance() {
    added<MissingTool>().push_back({"ballet", {"dance", "fit --jump"}, {"%SCORE"}});
  }
  ~WithoutDance() { added<MissingTool>().pop_back(); }
  WithoutDance(const WithoutDance&) = delete;
  WithoutDance& operator=(const WithoutDance&) = delete;
};

template <std::size_t count>
std::string refusal(const std::array<const char*, count>& words) {
  std::string error;
  const int code = cli::run_embedded(static_cast<int>(count), words.data(), error);
  CHECK(code == static_cast<int>(cli::ExitCode::wrong_usage));
  return error.substr(0, error.find('\n'));
}

}  // namespace

TEST_CASE("a command, an option and a file of a tool that was left out name the tool") {
  const WithoutDance build;
  CHECK(refusal(std::array{"perfmodel", "dance", "runs.csv", "--high"}) ==
        "'dance': this program was built without the tool 'ballet'");
  CHECK(refusal(std::array{"perfmodel", "fit", "runs.csv", "--jump"}) ==
        "'fit --jump': this program was built without the tool 'ballet'");
  CHECK_THROWS_WITH(read_source_bytes("\n %SCORE 1", "swan.lake", {}),
                    "swan.lake is no CSV, and this program was built without the tool 'ballet', "
                    "which reads such files");
}

TEST_CASE("what tools add stands behind what it belongs to, in their order") {
  struct Named {
    std::string name, after;
  };
  added<Named>() = {{"b", "a"}, {"d", "c"}, {"b2", "a"}};
  std::string names;
  for (const Named& named : with_added<Named>({{"a", ""}, {"c", ""}}))
    names += named.name + " ";
  CHECK(names == "a b b2 c d ");
}

}  // namespace perfmodel
