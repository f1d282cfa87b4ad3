#include "analysis/wording/words.hpp"

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("scaling powers are read in plain words", "[words]") {
  CHECK(scaling_in_words(-0.12) == "far from ideal -1: doubling it cuts the scalable part by 8 %");
  CHECK(scaling_in_words(-1) == "ideal: doubling it cuts the scalable part by 50 %");
  CHECK(scaling_in_words(-0.85) == "close to ideal -1: doubling it cuts the scalable part by 45 %");
  CHECK(scaling_in_words(-0.6) == "short of ideal -1: doubling it cuts the scalable part by 34 %");
  CHECK(scaling_in_words(-1.5) == "beyond ideal -1: doubling it cuts the scalable part by 65 %");
  CHECK(scaling_in_words(0.69) == "doubling it costs 61 % more");
  CHECK(scaling_in_words(0) == "no effect: doubling it leaves the time as it is");
}
