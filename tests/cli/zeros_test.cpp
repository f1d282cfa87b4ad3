#include <cmath>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;

namespace {

struct ZeroRun {
  double pad;
  double filters;
  std::string mode;
  double gpus;
};

const std::vector<double> kPads = {0, 0.5, 1, 2, 4};

std::vector<ZeroRun> grid_with_zeros() {
  std::vector<ZeroRun> out;
  for (const double pad : kPads)
    for (const double filters : {4., 16., 64.})
      for (const char* mode : {"fast", "slow"})
        for (const double gpus : {1., 2., 4., 8.})
          out.push_back({pad, filters, mode, gpus});
  return out;
}

using TimeOf = std::function<double(const ZeroRun&)>;

double of_mode(const ZeroRun& run, double slow) {
  return run.mode == "slow" ? slow : 1;
}

/// Eq. (4), whose term of the padding is absent without one.
double additive_time(const ZeroRun& run) {
  return (0.3 * std::pow(run.pad, 0.8) + 0.01 * std::pow(run.filters, 1.2) + of_mode(run, 1.5)) *
             std::pow(run.gpus, -0.7) +
         0.2;
}

/// One product of 1 + pad / 0.5.
double shifted_time(const ZeroRun& run) {
  return 0.04 * std::pow(1 + run.pad / 0.5, 0.9) * std::pow(run.filters, 0.6) * of_mode(run, 2) *
         std::pow(run.gpus, -0.7);
}

/// One product in which no padding is a way of its own.
double apart_time(const ZeroRun& run) {
  return (run.pad == 0 ? 5 : 2 * std::pow(run.pad, 0.5)) * std::pow(run.filters, 0.6) *
         of_mode(run, 2) * std::pow(run.gpus, -0.7);
}

/// Columns pad, filters, mode, gpus, time_s; `wobble` of the time more or less in turn, the
/// padding in another unit.
std::string runs_csv(const std::vector<ZeroRun>& runs, const TimeOf& time, double wobble = 0,
                     double unit = 1) {
  std::string out = "pad,filters,mode,gpus,time_s\n";
  std::size_t row = 0;
  for (const ZeroRun& run : runs) {
    const double sign = (row * 7 + row / 3) % 2 == 0 ? 1 : -1;
    out +=
        csv_row(run.pad * unit, run.filters, run.mode, run.gpus, time(run) * (1 + sign * wobble));
    ++row;
  }
  return out;
}

class ZerosTest : public ProgramTest {
 public:
  void fit(const std::string& csv, const Words& options) const {
    write("runs.csv", csv);
    run({"fit", "runs.csv", "-o", "model.json"}, options).succeeded();
  }
  double predicted(const ZeroRun& at, double unit = 1) const {
    return run({"predict", "model.json", "--json", "--set", "pad=" + to_text(at.pad * unit),
                "filters=" + to_text(at.filters), "mode=" + at.mode, "gpus=" + to_text(at.gpus)})
        .json()["predicted_time_s"];
  }
};

const ZeroRun kWithout{0, 32, "slow", 4};  // no run has 32 filters
const ZeroRun kBetween{3, 16, "fast", 2};  // nor 3 of padding

const std::string kSpaceWithZeros =
    R"({"column": "pad", "values": [0, 1, 4]}, {"column": "filters", "values": [4, 16, 64]},
       {"column": "gpus", "values": [1, 2, 4, 8]})";
const std::string kScale = R"(, "extrinsic": ["gpus"])";

const Words kMulti = {"--expression", "multi"};
const Words kOneProduct = {"--expression", "multi", "--terms", "1"};
const Words kWithGp = {"--residual", "process"};
const Words kProductWithGp = both_of(kOneProduct, kWithGp);

}  // namespace

TEST_CASE_METHOD(ZerosTest, "chosen forms hold at 0, also with a process",
                 "[cli][zeros][whole-fits]") {
  const TimeOf truth = GENERATE(as<TimeOf>{}, additive_time, shifted_time, apart_time);
  const Words options = GENERATE(values({kMulti, kProductWithGp, kWithGp}));
  fit(runs_csv(grid_with_zeros(), truth), options);
  // Both lie between runs, where a process carries over what a formula cannot say.
  CHECK(predicted(kWithout) == Approx(truth(kWithout)).epsilon(0.05));
  CHECK(predicted(kBetween) == Approx(truth(kBetween)).epsilon(0.08));
  const ZeroRun known{0, 64, "fast", 8};
  CHECK(predicted(known) == Approx(truth(known)).epsilon(0.02));
}

TEST_CASE_METHOD(ZerosTest, "other units give the same predictions at 0",
                 "[cli][zeros][whole-fits]") {
  const Words options = GENERATE(values({Words{}, kMulti, kProductWithGp}));
  const TimeOf truth = GENERATE(as<TimeOf>{}, shifted_time, apart_time);
  fit(runs_csv(grid_with_zeros(), truth, 0.01), options);
  const std::vector<double> times = {predicted(kWithout), predicted(kBetween)};
  fit(runs_csv(grid_with_zeros(), truth, 0.01, 1000), options);
  // A process promises 1e-6.
  CHECK(predicted(kWithout, 1000) == Approx(times[0]).epsilon(1e-6));
  CHECK(predicted(kBetween, 1000) == Approx(times[1]).epsilon(1e-6));
}

TEST_CASE_METHOD(ZerosTest, "every command accepts a column that may be 0",
                 "[cli][zeros][whole-fits]") {
  const Words options = GENERATE(values({Words{}, kMulti, kProductWithGp}));
  fit(runs_csv(grid_with_zeros(), apart_time, 0.03),
      both_of(options, {"--bootstrap", "20", "--folds", "4", "--coverage", "0.8"}));
  const auto is_finite = [](const std::string& text) {
    static const std::regex no_number("\\b(nan|inf)\\b");
    return !std::regex_search(text, no_number);
  };
  CHECK_THAT(run({"evaluate", "model.json", "runs.csv"}).succeeded().output,
             ContainsSubstring("MAPE"));
  const nlohmann::json evaluation =
      run({"evaluate", "model.json", "runs.csv", "--format", "json"}).json();
  CHECK(evaluation["metrics"]["mape_percent"].get<double>() < (options.empty() ? 60 : 6));
  const std::string predicted_csv = run({"predict", "model.json", "runs.csv"}).succeeded().output;
  CHECK(is_finite(predicted_csv));
  CHECK(predicted_csv.find("false") == std::string::npos);  // all are in range
  CHECK(is_finite(run({"report", "model.json", "runs.csv"}).succeeded().output));
  run({"scaling", "model.json", "--column", "gpus", "--set", "pad=0", "filters=16", "mode=fast"})
      .succeeded();
  write("configs.csv", "pad,filters,mode,gpus\n0,16,fast,2\n3,16,slow,2\n");
  CHECK(is_finite(
      run({"simulate", "model.json", "configs.csv", "--noise", "0.05"}).succeeded().output));
  write("space.json",
        space_of(kSpaceWithZeros + R"(, {"column": "mode", "values": ["fast", "slow"]})", kScale));
  CHECK(is_finite(run({"suggest", "model.json", "space.json"}).succeeded().output));
  if (options.empty()) {
    const std::string next =
        run({"suggest", "model.json", "space.json", "--next", "3"}).succeeded().output;
    CHECK(is_finite(next));
    CHECK_THAT(next, ContainsSubstring("pad"));
  }
}
