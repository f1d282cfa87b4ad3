#include "import/readers.hpp"
#include "perfmodel/error.hpp"
#include "support/catch.hpp"

namespace perfmodel {

// A file that begins with points is not taken for Extra-P's, so that only the reader shows it.
TEST_CASE("points before parameters are a fault of Extra-P's text", "[extrap]") {
  CHECK_THROWS_MATCHES(read_extrap_text("POINTS (1)\n", "runs.txt"), InputError,
                       Catch::Matchers::Message("runs.txt:1: POINTS before PARAMETER"));
}

}  // namespace perfmodel
