// docs/library.md shows the program of examples/library as it is built.

#include <algorithm>
#include <string>

#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;

TEST_CASE("the page about the library shows the example that is built", "[docs]") {
  const std::string root = PERFMODEL_SOURCE_DIR;
  const auto page = test::lines_of(test::read_text(root + "/docs/library.md"));
  const auto blocks = test::fenced_blocks(page);
  const auto shown = std::find_if(blocks.begin(), blocks.end(),
                                  [](const auto& block) { return block.language == "cpp"; });
  REQUIRE(shown != blocks.end());
  CHECK(shown->lines ==
        test::lines_of(test::read_text(root + "/examples/library/first_model.cpp")));
}
