#include "analysis/wording/words.hpp"

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("what doubling a scale does is said in plain words", "[words]") {
  CHECK(change_in_words(1.3149) == "1.31 times slower");
  CHECK(change_in_words(0.5) == "2 times faster");
  CHECK(change_in_words(1.004) == "as fast");
  CHECK(change_in_words(0.996) == "as fast");
  CHECK(doubling_in_words({"workers", 1, 2, 1.25, true}) == "1 -> 2: 1.25 times slower");
  CHECK(doubling_in_words({"workers", 3, 6, 0.8, false}) ==
        "3 -> 6: 1.25 times faster (extrapolated)");
}
