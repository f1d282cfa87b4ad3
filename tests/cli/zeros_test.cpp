#include <algorithm>
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

TEST_CASE_METHOD(ZerosTest, "a term of Eq. (4) is absent where its column is 0", "[cli][zeros]") {
  const std::string loss = GENERATE("mae", "mse", "rmsle");
  fit(runs_csv(grid_with_zeros(), additive_time), {"--loss", loss});
  const nlohmann::json found = model();
  CHECK(found["schema_version"] == 3);
  const nlohmann::json pad = found["constants"]["intrinsic"][0];
  CHECK(pad["column"] == "pad");
  CHECK(pad["a"].get<double>() == Approx(0.3).epsilon(1e-4));
  CHECK(pad["p"].get<double>() == Approx(0.8).epsilon(1e-4));
  CHECK(pad["range"] == nlohmann::json::array({0.0, 4.0}));
  CHECK(pad["zero"] == nlohmann::json({{"counts", "absent"}, {"unit", 0.5}}));
  CHECK(!found["constants"]["intrinsic"][1].contains("zero"));
  CHECK(predicted(kWithout) == Approx(additive_time(kWithout)).epsilon(1e-6));
  CHECK(predicted(kBetween) == Approx(additive_time(kBetween)).epsilon(1e-6));
}

TEST_CASE_METHOD(ZerosTest, "the power of a column that may be 0 is at least 0.01",
                 "[cli][zeros]") {
  // The time falls with the padding, and is least without.
  const auto falling = [](const ZeroRun& run) {
    return 1 + (run.pad == 0 ? 0 : 2 / run.pad) + 0.01 * run.filters;
  };
  fit(runs_csv(grid_with_zeros(), falling), {});
  CHECK(model()["constants"]["intrinsic"][0]["p"].get<double>() == Approx(0.01));
  CHECK_THAT(model()["warnings"].dump(), ContainsSubstring("p[pad]"));
  CHECK_THAT(run({"fit", "runs.csv", "--bounds", "p.pad=-3:-1"}).failed(2),
             ContainsSubstring(error_prefix +
                               "--bounds p.pad: 'pad' has the value 0, whose power must be at "
                               "least 0.01\n"));
}

TEST_CASE_METHOD(ZerosTest, "a product counts from 0 on, or takes 0 apart, as the runs have it",
                 "[cli][zeros]") {
  const bool apart = GENERATE(false, true);
  const TimeOf truth = apart ? apart_time : shifted_time;
  fit(runs_csv(grid_with_zeros(), truth), kOneProduct);
  const nlohmann::json constants = model()["constants"];
  CHECK(constants["intrinsic"][0]["zero"] ==
        nlohmann::json({{"counts", apart ? "apart" : "shifted"}, {"unit", 0.5}}));
  CHECK(constants["regimes"].size() == (apart ? 1U : 0U));
  CHECK(constants["terms"][0]["p"]["pad"].get<double>() == Approx(apart ? 0.5 : 0.9).epsilon(1e-4));
  CHECK(predicted(kWithout) == Approx(truth(kWithout)).epsilon(1e-5));
  CHECK(predicted(kBetween) == Approx(truth(kBetween)).epsilon(1e-5));

  // So do formula, spreadsheet and LaTeX.
  const auto shown = [&](const Words& as) { return run({"show", "model.json"}, as).output; };
  CHECK_THAT(shown({"--as", "spreadsheet"}),
             ContainsSubstring(apart ? "MAX(pad,0.5)^" : "(1 + pad / 0.5)^"));
  CHECK_THAT(shown({}), ContainsSubstring(apart ? "max(pad, 0.5)^0.5" : "(1 + pad/0.5)^0.9"));
  CHECK_THAT(shown({"--as", "latex"}), ContainsSubstring(apart ? "\\max(\\mathrm{pad}, 0.5)^{0.5"
                                                               : "(1 + \\mathrm{pad} / 0.5)^{0.9"));
}

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

TEST_CASE_METHOD(ZerosTest, "the unit of a model file is what its products count in",
                 "[cli][zeros]") {
  fit(runs_csv(grid_with_zeros(), shifted_time), kOneProduct);
  nlohmann::json changed = model();
  changed["constants"]["intrinsic"][0]["zero"]["unit"] = 3.0;
  const double power = changed["constants"]["terms"][0]["p"]["pad"];
  const double by_half = predicted(kBetween);
  const double at_zero = predicted(kWithout);
  // The formula is checked where it stands, so the model is given the one that it now has.
  const std::string before = "(1 + pad/0.5)";
  for (nlohmann::json* place :
       {&changed["constants"]["terms"][0]["formula"], &changed["expression"]["formula"]}) {
    std::string formula = *place;
    *place = formula.replace(formula.find(before), before.size(), "(1 + pad/3)");
  }
  const double c = changed["constants"]["C"];
  write("model.json", changed.dump());
  CHECK(predicted(kWithout) == Approx(at_zero).epsilon(1e-12));
  CHECK(predicted(kBetween) - c ==
        Approx((by_half - c) * std::pow((1 + 3 / 3.0) / (1 + 3 / 0.5), power)).epsilon(1e-12));

  changed["schema_version"] = 1;
  write("model.json", changed.dump());
  CHECK_THAT(run({"show", "model.json"}).failed(3),
             ContainsSubstring("has version 3 where a column may be 0"));
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

TEST_CASE_METHOD(ZerosTest, "plans, sweeps and comparisons accept a column that may be 0",
                 "[cli][zeros]") {
  write("runs.csv", runs_csv(grid_with_zeros(), additive_time, 0.03));
  write("space.json", space_of(kSpaceWithZeros, kScale));
  const std::string plan =
      run({"plan", "space.json", "-n", "12", "--method", "d-optimal"}).succeeded().output;
  CHECK(std::count(plan.begin(), plan.end(), '\n') == 13);
  CHECK_THAT(plan, ContainsSubstring("\n0,"));
  run({"sweep", "runs.csv", "--split", "60:20:20", "--lambdas", "1e-4:1e-2:3", "--format", "json"})
      .succeeded();
  const nlohmann::json comparison =
      run({"compare", "runs.csv", "--split", "70:30", "--format", "json"}).json();
  for (const nlohmann::json& one : comparison["models"])
    if (one["name"] != "SVR")  // whose epsilon is a time
      CHECK(one["metrics"]["test"]["mape_percent"].get<double>() < 30);
}

TEST_CASE_METHOD(ZerosTest, "zeros stay zeros among many values", "[cli][zeros]") {
  // More rows than are explored, more values than a column is rounded to.
  std::vector<ZeroRun> runs;
  for (int row = 0; row < 3000; ++row) {
    const double pad = row % 4 == 0 ? 0 : 0.01 * (1 + (row * 37) % 997);
    runs.push_back(
        {pad, std::pow(2, row % 5), row % 3 == 0 ? "fast" : "slow", std::pow(2, (row / 7) % 4)});
  }
  fit(runs_csv(runs, additive_time),
      {"--loss", "mse", "--intrinsic", "pad,filters", "--categorical", "mode"});
  const nlohmann::json pad = model()["constants"]["intrinsic"][0];
  CHECK(pad["a"].get<double>() == Approx(0.3).epsilon(1e-4));
  CHECK(pad["p"].get<double>() == Approx(0.8).epsilon(1e-4));
  CHECK(predicted(kWithout) == Approx(additive_time(kWithout)).epsilon(1e-5));
}

TEST_CASE_METHOD(ZerosTest, "with one value beside 0, coefficient and power cannot be told apart",
                 "[cli][zeros]") {
  std::vector<ZeroRun> runs = grid_with_zeros();
  std::erase_if(runs, [](const ZeroRun& run) { return run.pad != 0 && run.pad != 2; });
  fit(runs_csv(runs, additive_time), {});
  const nlohmann::json found = model();
  CHECK_THAT(found["warnings"].dump(),
             ContainsSubstring("'pad' has one value beside 0: its coefficient and its power are "
                               "only determined together"));
  CHECK(found["constants"]["intrinsic"][0]["a_identified"] == false);
  CHECK(found["constants"]["intrinsic"][0]["p_identified"] == false);
  CHECK(found["constants"]["intrinsic"][1]["a_identified"] == true);
  const ZeroRun with{2, 32, "slow", 4};
  CHECK(predicted(with) == Approx(additive_time(with)).epsilon(1e-5));
  CHECK(predicted(kWithout) == Approx(additive_time(kWithout)).epsilon(1e-5));
}

TEST_CASE_METHOD(ZerosTest, "a 0 that only rows of another part have is predicted, too",
                 "[cli][zeros]") {
  // All zeros are held out, one fold after the other; derived columns are 0 as others are.
  write("runs.csv", runs_csv(grid_with_zeros(), shifted_time));
  run({"fit", "runs.csv", "-o", "model.json", "--expression", "multi", "--terms", "1", "--folds",
       "5", "--group-by", "pad", "--derive", "half = pad / 2", "--ignore", "pad"})
      .succeeded();
  const nlohmann::json found = model();
  CHECK(found["constants"]["intrinsic"][1]["column"] == "half");
  CHECK(found["constants"]["intrinsic"][1]["zero"]["unit"] == 0.25);
  // Without the zeros the other values say as well how 1 + x / unit goes on to them.
  CHECK(found["cross_validation"]["metrics"]["mape_percent"]["mean"].get<double>() < 0.1);
}

TEST_CASE_METHOD(ZerosTest, "a model of runs without a 0 knows nothing of one", "[cli][zeros]") {
  write("runs.csv", "pad,gpus,time_s\n1,1,1\n2,2,1\n4,4,1\n3,1,2\n1,2,1\n");
  run({"fit", "runs.csv", "-o", "model.json"}).succeeded();
  CHECK(model()["schema_version"] == 1);
  CHECK_THAT(run({"predict", "model.json", "--set", "pad=0", "gpus=1"}).failed(2),
             ContainsSubstring("expected a number > 0"));
}

TEST_CASE_METHOD(ProgramTest, "predict says where a 0 leaves the constant of Eq. (4) alone",
                 "[cli][zeros]") {
  write("runs.csv",
        csv_grid("layers,gpus,time_s", {0, 1, 2, 4, 8}, {1, 2, 4},
                 [](int layers, int gpus) { return 0.3 * layers / std::sqrt(gpus) + 0.2; }));
  write("asked.csv", "layers,gpus\n2,1\n0,2\n0,64\n");
  run({"fit", "runs.csv", "-o", "model.json"}).succeeded();
  const auto predict = [&](const Words& arguments) {
    return run({"predict", "model.json"}, arguments);
  };
  const std::string words =
      "layers = 0 leaves only the constant C of Eq. (4), the same time for all other inputs; "
      "another form may be better: --expression auto";
  const ProgramResult one = predict({"--set", "layers=0", "gpus=2"});
  CHECK(std::stod(one.output) == Approx(0.2).epsilon(1e-3));
  CHECK_THAT(one.errors, ContainsSubstring("warning: " + words));
  CHECK_THAT(predict({"asked.csv"}).errors,
             ContainsSubstring("warning: in 2 of 3 rows (lines 3 and 4): " + words));
  CHECK_THAT(predict({"--set", "layers=1", "gpus=2"}).errors, !ContainsSubstring("leaves"));

  // Where something else grows beside it, more than the constant is left.
  write("two.csv", csv_grid("layers,width,gpus,time_s", {0, 1, 2, 4}, {1, 2, 4}, {1, 2, 4},
                            [](int layers, int width, int gpus) {
                              return (0.3 * layers + 0.4 * width) / std::sqrt(gpus) + 0.2;
                            }));
  run({"fit", "two.csv", "-o", "model.json"}).succeeded();
  CHECK_THAT(predict({"--set", "layers=0", "width=2", "gpus=2"}).errors,
             !ContainsSubstring("leaves"));
}

TEST_CASE_METHOD(ProgramTest, "what is often 0 is no scale, and a single 0 in a scale a mistake") {
  const auto time_of = [](int batch, int loaders) { return 0.1 * batch / (1.0 + loaders); };
  write("runs.csv",
        csv_grid("batch_size,num_workers,time_s", {32, 64, 128, 256}, {0, 2, 4, 8}, time_of));
  const nlohmann::json model = run({"fit", "runs.csv"}).json();
  CHECK(model["constants"]["intrinsic"][0]["column"] == "num_workers");
  CHECK(model["constants"]["extrinsic"][0]["column"] == "batch_size");
  write("runs.csv",
        csv_grid("batch_size,num_workers,time_s", {32, 64, 128, 256}, {1, 2, 4, 8}, time_of) +
            "64,0,3.2\n");
  CHECK_THAT(run({"fit", "runs.csv"}).failed(3),
             ContainsSubstring("runs.csv:18: column 'num_workers': 0"));
}
