#include "base/text.hpp"

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("long names are shortened in their middle", "[cli]") {
  CHECK(clipped("short", 5) == "short");
  CHECK(clipped("abcdefghij", 5) == "ab\u2026ij");
  CHECK(display_width(clipped("ääääääääääää", 7)) == 7);
}
