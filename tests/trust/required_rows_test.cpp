#include "support/catch.hpp"
#include "trust/prediction_intervals.hpp"

using namespace perfmodel;

TEST_CASE("a single held-out row reaches no level that could be named", "[intervals]") {
  CHECK_THROWS_WITH(require_level(0.9, 1),
                    "--coverage 0.9 needs at least 19 held-out rows, and there are 1");
}
