#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/csv_text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Runs of a law of the memory with noise; `from` .. `to`: part of the range of inputs.
std::string memory_runs(RandomStream random, std::size_t rows, double from, double to, double noise,
                        double (*law)(double input, double threads)) {
  std::string text = "input_mb,threads,peak_mb\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double input = 10 * std::pow(2, 8 * (from + (to - from) * random.uniform()));
    const double threads = 1 + static_cast<double>(random.below(4));
    text += csv_row(input, threads, law(input, threads) * std::exp(noise * random.normal()));
  }
  return text;
}

std::string runs_of_law(std::size_t rows, std::uint64_t seed) {
  return memory_runs(
      RandomStream(seed, "runs of a bound"), rows, 0, 1, 0.2,
      [](double input, double threads) { return 100 + 3 * input * std::sqrt(threads); });
}

/// Runs whose memory grows faster beyond an input of some hundred MB.
std::string runs_of_bend(std::size_t rows, std::uint64_t seed, double from, double to) {
  return memory_runs(
      RandomStream(seed, "runs of a bend " + to_text(from)), rows, from, to, 0.1,
      [](double input, double threads) {
        return 100 + 3 * input * std::sqrt(threads) * (1 + input / 20000);
      });
}

struct Row {
  double measured = 0;
  double predicted = 0;
};

class QuantileTest : public ProgramTest {
 public:
  QuantileTest() { write("new.csv", runs_of_law(400, 2)); }
  ProgramResult fit(const Words& further, const std::string& runs) const {
    return run({"fit", runs, "--target", "peak_mb", "--time-unit", "MB", "--intrinsic", "input_mb",
                "--starts", "1", "-o", "model.json"},
               further);
  }
  std::vector<Row> predicted(const std::string& runs) const {
    // input_mb,threads,peak_mb,predicted_peak_mb,lower,upper,in_range
    const auto rows = csv_cells(run({"predict", "model.json", runs}).succeeded().output);
    std::vector<Row> out;
    for (std::size_t row = 1; row < rows.size(); ++row)
      out.push_back({parse_number(rows[row][2]).value(), parse_number(rows[row][3]).value()});
    return out;
  }
};

const std::vector<Words> kFormsOfBounds = {
    {}, {"--expression", "multi"}, {"--expression", "multi", "--residual", "process"}};

double covered_share(const std::vector<Row>& rows) {
  const auto below = std::count_if(rows.begin(), rows.end(),
                                   [](const Row& row) { return row.measured <= row.predicted; });
  return static_cast<double>(below) / static_cast<double>(rows.size());
}

}  // namespace

TEST_CASE_METHOD(QuantileTest, "a bound covers its share of new runs", "[quantile]") {
  // Per file, the share has a standard deviation of about 0.025: 0.02 from the 120 rows by which
  // the bound is moved, 0.011 from the 400 that it is judged on; over five files 0.011.
  double covered = 0;
  const Words form = GENERATE(from_range(kFormsOfBounds));
  for (std::uint64_t seed = 11; seed < 16; ++seed) {
    write("some.csv", runs_of_law(120, seed));
    fit(both_of(form, {"--quantile", "0.9"}), "some.csv").succeeded();
    covered += covered_share(predicted("new.csv")) / 5;
  }
  CHECK(covered > 0.9 - 0.035);
  CHECK(covered < 0.9 + 0.035);
}

TEST_CASE_METHOD(QuantileTest,
                 "a bound covers its share of new runs beyond the measured range, too",
                 "[quantile]") {
  // The largest inputs are new, and take up to a fifth more than the others suggest: bounds that
  // did not rise would hold for 70 %.
  double covered = 0;
  for (std::uint64_t seed = 21; seed < 26; ++seed) {
    write("small.csv", runs_of_bend(120, seed, 0, 0.75));
    write("large.csv", runs_of_bend(200, seed, 0.75, 1));
    fit({"--quantile", "0.95", "--expression", "multi"}, "small.csv").succeeded();
    covered += covered_share(predicted("large.csv")) / 5;
  }
  CHECK(covered > 0.85);  // 0.92, with a standard deviation of 0.03
}

TEST_CASE_METHOD(QuantileTest, "a bound of few rows is that of the interval and says so",
                 "[quantile][whole-fits]") {
  // Of 40 files of 12 rows, each judged on 400 new ones: a share of 0.95 has a standard deviation
  // of 0.06 per file, so 0.9 is five of that of the mean below.
  double covered = 0;
  constexpr int files = 40;
  for (std::uint64_t seed = 1; seed <= files; ++seed) {
    write("some.csv", runs_of_law(12, seed));
    const ProgramResult fitted = fit({"--quantile", "0.95"}, "some.csv").succeeded();
    CHECK_THAT(fitted.errors,
               ContainsSubstring("a 95 % bound takes 19 held-out rows, and there are "
                                 "12: this one is that of the prediction interval"));
    covered += covered_share(predicted("new.csv")) / files;
  }
  CHECK(covered > 0.9);
  CHECK(covered < 0.995);  // a bound that is never reached is none
}
