#include "fit/fit.hpp"
#include "support/catch.hpp"
#include "support/certified.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using test::matching_digits;

TEST_CASE("the least-squares fit of DanWood has NIST's digits", "[fit][certified]") {
  // NIST StRD, y = b1 x^b2: certified to 11 digits, of which 9 are promised.
  const test::PaperRuns runs = test::runs_of(
      test::table_of("x,y\n1.309,2.138\n1.471,3.421\n1.490,3.597\n1.565,4.340\n1.611,4.882\n"
                     "1.680,5.660\n"),
      [] {
        RoleRequest request;
        request.target = "y";
        request.intrinsic = std::vector<std::string>{"x"};
        request.extrinsic = std::vector<std::string>{};
        return request;
      }());
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    FitOptions options;
    options.seed = seed;
    options.loss = Loss::mse;
    options.form = test::within({"C=0"});
    const FittedModel model = fit(runs.spec, runs.design, options);
    CAPTURE(seed);
    CHECK(matching_digits(model.constants[0], 0.76886226176) >= 9);
    CHECK(matching_digits(model.constants[1], 3.8604055871) >= 9);
    CHECK(matching_digits(6 * model.known.metrics.train.mse, 4.3173084083e-3) >= 9);
    CHECK(model.constants[2] == 0);
  }
}
