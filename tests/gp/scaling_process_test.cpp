#include "gp/scaling_process.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::gp;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Half the width of a 90 % interval of a normal distribution, in standard deviations.
constexpr double kNinetyPercent = 1.6448536;

/// Runs of a table by its columns: of numbers the values themselves, not their logarithms.
struct ScaledRuns {
  std::vector<std::vector<double>> numbers;
  std::vector<std::vector<std::uint32_t>> levels;

  Inputs inputs() const {
    const std::size_t rows = numbers.empty() ? levels.at(0).size() : numbers[0].size();
    Inputs out{MatrixXd(index(rows), index(numbers.size())),
               Levels(index(rows), index(levels.size()))};
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t j = 0; j < numbers.size(); ++j)
        out.numbers(index(row), index(j)) = std::log(numbers[j][row]);
      for (std::size_t c = 0; c < levels.size(); ++c)
        out.levels(index(row), index(c)) = levels[c][row];
    }
    return out;
  }
};

VectorXd logs_of(const std::vector<double>& times) {
  VectorXd out(index(times.size()));
  for (std::size_t row = 0; row < times.size(); ++row)
    out[index(row)] = std::log(times[row]);
  return out;
}

KnownRuns single_runs(const ScaledRuns& runs, const std::vector<double>& times) {
  const Index rows = index(times.size());
  return {runs.inputs(), logs_of(times), VectorXd::Ones(rows), VectorXd::Zero(rows)};
}

/// A small table, new rows, and what a ScalingProcess says of these: ln t and its deviation.
struct DirectAnswer {
  std::string name;
  ScaledRuns known;
  std::vector<double> times;
  ScaledRuns asked;
  std::vector<std::array<double, 2>> said;
};

// The answers were computed by an independent implementation in numpy, which was written before
// this one: it adds up the six kernels of all rows as matrices and solves with the factors of each
// of the 432 settings, or fewer where no number or no text can tell some apart. It keeps the same
// settings: at most 60, and 27 of 70 runs, of weight above 0.003 of the best.
std::vector<DirectAnswer> direct_answers() {
  return {
      {"two runs",
       {{{1, 2}}, {}},
       {100, 52},
       {{{1, 3, 32}}, {}},
       {{4.5931902203, 0.0975659433}, {3.6763791711, 0.2884579849}, {1.9708443713, 1.3283674434}}},
      {"two numbers",
       {{{1, 2, 4, 8, 4, 2}, {16, 16, 32, 64, 128, 256}}, {}},
       {10.1, 6.2, 5.3, 6.1, 15.7, 55},
       {{{4, 16, 1}, {32, 512, 8}}, {}},
       {{1.6803987050, 0.0661073987}, {3.2920334931, 0.5724280378}, {1.9028412480, 0.2310724783}}},
      // The level 3 of the last row occurs in no run.
      {"two texts",
       {{}, {{0, 1, 2, 0, 1, 2}, {0, 0, 0, 1, 1, 1}}},
       {1.1, 2.3, 0.9, 2.05, 4.9, 1.7},
       {{}, {{0, 2, 3}, {0, 1, 1}}},
       {{0.0906824136, 0.0740950715}, {0.5376307400, 0.0740855005}, {0.9400950457, 0.7152877116}}},
      {"a number and a text, with a level that no run has",
       {{{1, 2, 4, 1, 2, 4, 8}}, {{0, 0, 0, 1, 1, 1, 1}}},
       {10, 5.6, 3.5, 7, 3.9, 2.3, 1.6},
       {{{8, 3, 16}}, {{0, 1, 2}}},
       {{0.8898791456, 0.0807445899}, {1.0428307331, 0.0427990018}, {0.3399165701, 0.8290982873}}},
      {"repeats of a run, even with equal times",
       {{{1, 1, 1, 4, 4, 16}}, {{0, 0, 0, 0, 0, 1}}},
       {8, 8, 8, 2.5, 2.6, 0.9},
       {{{1, 4, 64}}, {{0, 1, 1}}},
       {{2.0792011789, 0.0244870886}, {0.9452636463, 0.4037266874}, {-1.1414953801, 0.5872858063}}},
  };
}

void check_answer(const DirectAnswer& answer) {
  CAPTURE(answer.name);
  const LogTimes found =
      ScalingProcess(answer.known.inputs(), logs_of(answer.times))(answer.asked.inputs());
  REQUIRE(found.mean.size() == index(answer.said.size()));
  for (Index row = 0; row < found.mean.size(); ++row) {
    CAPTURE(row);
    const auto [mean, deviation] = answer.said[static_cast<std::size_t>(row)];
    // The answers have ten digits; the program rounds its inputs to 2^-30.
    CHECK_THAT(found.mean[row], Catch::Matchers::WithinAbs(mean, 1e-6 * std::abs(mean)));
    CHECK_THAT(found.deviation[row], Catch::Matchers::WithinAbs(deviation, 1e-6 * deviation));
  }
}

/// 14 runs of two numbers and two texts, with noise.
ScaledRuns mixed_runs() {
  RandomStream random(1, "mixed runs of a scaling process");
  ScaledRuns out{std::vector<std::vector<double>>(2), std::vector<std::vector<std::uint32_t>>(2)};
  for (int row = 0; row < 14; ++row) {
    out.numbers[0].push_back(std::exp2(static_cast<double>(random.below(5))));
    out.numbers[1].push_back(random.uniform(10, 1000));
    out.levels[0].push_back(static_cast<std::uint32_t>(random.below(3)));
    out.levels[1].push_back(static_cast<std::uint32_t>(random.below(2)));
  }
  return out;
}

std::vector<double> mixed_times(const ScaledRuns& runs) {
  RandomStream random(2, "mixed times of a scaling process");
  std::vector<double> out;
  for (std::size_t row = 0; row < runs.numbers[0].size(); ++row)
    out.push_back((runs.numbers[1][row] / runs.numbers[0][row] + 5) *
                  (1 + 0.5 * runs.levels[0][row]) * std::exp(0.03 * random.normal()));
  return out;
}

/// Within the runs, beyond them, and a level that no run has.
ScaledRuns mixed_questions() {
  return {{{2, 3, 64, 1}, {100, 20, 5000, 300}}, {{0, 1, 2, 3}, {1, 1, 0, 0}}};
}

template <class Value>
std::vector<Value> in_order(const std::vector<Value>& values, const std::vector<std::size_t>& at) {
  std::vector<Value> out;
  for (const std::size_t row : at)
    out.push_back(values[row]);
  return out;
}

void check_same(const LogTimes& found, const LogTimes& expected) {
  CHECK((found.mean - expected.mean).cwiseAbs().maxCoeff() < 1e-9);
  CHECK((found.deviation - expected.deviation).cwiseAbs().maxCoeff() < 1e-9);
}

/// A single setting, whose variances can be read off.
ScalingSetting middle_setting() {
  return {.slope = .4, .drift = .06, .level = .4, .together = .12, .noise = .02, .weight = 1};
}

/// The prior of the process once more, as its documentation describes it: the variances of a slope
/// and of its drift, the deviations of levels, of what columns do together and of the noise.
struct PriorLevel {
  double value;
  double probability;
};
const std::vector<std::vector<PriorLevel>> kPlantedPrior = {
    {{.15, .39}, {.4, .44}, {1., .17}},
    {{.01, .20}, {.06, .76}, {.3, .04}},
    {{.1, .06}, {.4, .55}, {1.2, .39}},
    {{.03, .39}, {.12, .24}, {.4, .31}, {1., .06}},
    {{.005, .43}, {.02, .28}, {.07, .20}, {.2, .09}}};

std::vector<double> planted_setting(RandomStream& random) {
  std::vector<double> out;
  for (const std::vector<PriorLevel>& levels : kPlantedPrior) {
    double left = random.uniform();
    std::size_t chosen = 0;
    while (chosen + 1 < levels.size() && left >= levels[chosen].probability)
      left -= levels[chosen++].probability;
    out.push_back(levels[chosen].value);
  }
  return out;
}

/// Covariance of two runs without their noise, pair of columns by pair of columns.
double planted_covariance(const std::vector<double>& setting, const Inputs& rows, Index a,
                          Index b) {
  const Index numbers = rows.numbers.cols();
  const Index all = numbers + rows.levels.cols();
  const auto product = [&](Index column) {
    return rows.numbers(a, column) * rows.numbers(b, column);
  };
  const auto is_same = [&](Index column) {
    return rows.levels(a, column - numbers) == rows.levels(b, column - numbers);
  };
  double sum = 4;
  double together = setting[3] * setting[3];
  for (Index j = 0; j < all; ++j) {
    if (j < numbers) {
      const double x = rows.numbers(a, j);
      const double y = rows.numbers(b, j);
      const double near = std::min(std::abs(x), std::abs(y));
      const double far = std::max(std::abs(x), std::abs(y));
      sum += setting[0] * x * y;
      sum += x * y > 0 ? setting[1] * (near * near * far / 2 - near * near * near / 6) : 0;
      together *= std::exp(-std::abs(x - y) / 2);
    } else {
      sum += is_same(j) ? setting[2] * setting[2] : 0;
      together *= is_same(j) ? 1 : 0.5;
    }
    for (Index k = j + 1; k < all && j < numbers; ++k)
      sum += 0.01 * product(j) * (k < numbers ? product(k) / 2 : is_same(k) ? 1 : 0);
  }
  return sum + together;
}

/// ln t of runs that a setting of the prior timed, their noise included.
VectorXd planted_log_times(const std::vector<double>& setting, const Inputs& rows,
                           RandomStream& random) {
  MatrixXd covariance(rows.rows(), rows.rows());
  for (Index a = 0; a < rows.rows(); ++a)
    for (Index b = 0; b < rows.rows(); ++b)
      covariance(a, b) =
          planted_covariance(setting, rows, a, b) + (a == b ? setting[4] * setting[4] : 0);
  VectorXd normal(rows.rows());
  for (double& value : normal)
    value = random.normal();
  return covariance.llt().matrixL() * normal;
}

}  // namespace

TEST_CASE("a scaling process says what a direct computation says", "[gp][certified]") {
  for (const DirectAnswer& answer : direct_answers())
    check_answer(answer);
}

TEST_CASE("a scaling process weighs its settings by the first sixty runs", "[gp][certified]") {
  // The answers are of the same independent implementation; by all 70 runs they would be others.
  DirectAnswer answer{
      "seventy runs",
      {{{}}, {}},
      {},
      {{{2, 31, 100}}, {}},
      {{1.2664788930, 0.0239020783}, {0.1913512223, 0.0220637241}, {0.0400848196, 0.2174400201}}};
  for (int row = 0; row < 70; ++row) {
    const double x = 1 + (7 * row) % 31;
    answer.known.numbers[0].push_back(x);
    answer.times.push_back(5 / x + 1 + 0.1 * ((row * 13) % 7) / 7);
  }
  check_answer(answer);
}

TEST_CASE("a scaling process knows the ratio of two times by their covariance", "[gp][certified]") {
  const ScaledRuns runs = mixed_runs();
  const VectorXd times = logs_of(mixed_times(runs));
  const VectorXd ones = VectorXd::Ones(times.size());
  const ScalingProcess process({runs.inputs(), times, ones, VectorXd::Zero(times.size())},
                               {middle_setting()});
  const Inputs asked = mixed_questions().inputs();
  const Inputs from{asked.numbers.topRows(2), asked.levels.topRows(2)};
  const Inputs to{asked.numbers.bottomRows(2), asked.levels.bottomRows(2)};

  // Known and asked rows in one covariance, about the centre of the known ones.
  const Index known = times.size();
  Inputs all{MatrixXd(known + 4, 2), Levels(known + 4, 2)};
  all.numbers << runs.inputs().numbers, asked.numbers;
  all.levels << runs.inputs().levels, asked.levels;
  all.numbers.rowwise() -= process.centre().transpose();
  const ScalingSetting middle = middle_setting();
  const std::vector<double> setting = {middle.slope, middle.drift, middle.level, middle.together,
                                       middle.noise};
  MatrixXd prior(known + 4, known + 4);
  for (Index a = 0; a < prior.rows(); ++a)
    for (Index b = 0; b < prior.cols(); ++b)
      prior(a, b) = planted_covariance(setting, all, a, b);
  MatrixXd of_known = prior.topLeftCorner(known, known);
  of_known.diagonal().array() += middle.noise * middle.noise + 1e-9;
  const MatrixXd posterior =
      prior.bottomRightCorner(4, 4) -
      prior.bottomLeftCorner(4, known) * of_known.llt().solve(prior.topRightCorner(known, 4));

  const LogTimes ratios = process.log_ratios(from, to);
  const LogTimes single = process(asked);
  CHECK(process.means(asked) == single.mean);  // to the last bit: both are shown of one prediction
  for (Index row = 0; row < 2; ++row) {
    CAPTURE(row);
    CHECK(ratios.mean[row] == Catch::Approx(single.mean[row + 2] - single.mean[row]));
    const double variance =
        posterior(row, row) + posterior(row + 2, row + 2) - 2 * posterior(row, row + 2);
    CHECK(ratios.deviation[row] == Catch::Approx(std::sqrt(variance)).epsilon(1e-5));
  }
}

TEST_CASE("a scaling process does not depend on the order of rows and columns", "[gp]") {
  const ScaledRuns runs = mixed_runs();
  const std::vector<double> times = mixed_times(runs);
  const LogTimes expected =
      ScalingProcess(runs.inputs(), logs_of(times))(mixed_questions().inputs());

  RandomStream random(3, "order of rows of a scaling process");
  std::vector<std::size_t> order;
  for (std::size_t row = 0; row < times.size(); ++row)
    order.push_back(row);
  random.shuffle(std::span(order));
  ScaledRuns mixed = runs;
  for (std::vector<double>& column : mixed.numbers)
    column = in_order(column, order);
  for (std::vector<std::uint32_t>& column : mixed.levels)
    column = in_order(column, order);
  check_same(
      ScalingProcess(mixed.inputs(), logs_of(in_order(times, order)))(mixed_questions().inputs()),
      expected);

  ScaledRuns asked = mixed_questions();
  mixed = runs;
  for (ScaledRuns* each : {&mixed, &asked}) {
    std::swap(each->numbers[0], each->numbers[1]);
    std::swap(each->levels[0], each->levels[1]);
  }
  check_same(ScalingProcess(mixed.inputs(), logs_of(times))(asked.inputs()), expected);

  // What a level is called says nothing either.
  mixed = runs;
  asked = mixed_questions();
  for (ScaledRuns* each : {&mixed, &asked})
    for (std::uint32_t& level : each->levels[0])
      level = 7 - level;
  check_same(ScalingProcess(mixed.inputs(), logs_of(times))(asked.inputs()), expected);
}

TEST_CASE("another unit of the time moves what a scaling process says, one of a number nothing",
          "[gp]") {
  const ScaledRuns runs = mixed_runs();
  const std::vector<double> times = mixed_times(runs);
  const LogTimes expected =
      ScalingProcess(runs.inputs(), logs_of(times))(mixed_questions().inputs());

  const double factor = GENERATE(1e-6, 1.0 / 3600, 7.0, 1000.0);
  std::vector<double> others = times;
  for (double& time : others)
    time *= factor;
  LogTimes moved = ScalingProcess(runs.inputs(), logs_of(others))(mixed_questions().inputs());
  moved.mean.array() -= std::log(factor);
  check_same(moved, expected);

  ScaledRuns rescaled = runs;
  ScaledRuns asked = mixed_questions();
  for (ScaledRuns* each : {&rescaled, &asked})
    for (double& value : each->numbers[1])
      value *= factor;
  check_same(ScalingProcess(rescaled.inputs(), logs_of(times))(asked.inputs()), expected);
}

TEST_CASE("two runs of a power law are enough for intervals that hold its continuation", "[gp]") {
  const double power = GENERATE(-1.0, -0.8, -0.3, 0.5, 1.0);
  CAPTURE(power);
  const auto time_at = [&](double x) { return 40 * std::pow(x, power); };
  const ScalingProcess process(ScaledRuns{{{1, 2}}, {}}.inputs(),
                               logs_of({time_at(1), time_at(2)}));
  const std::vector<double> asked = {1, 2, 4, 8, 16, 64, 256};
  const LogTimes said = process(ScaledRuns{{asked}, {}}.inputs());
  for (std::size_t k = 0; k < asked.size(); ++k) {
    CAPTURE(asked[k]);
    const double off = said.mean[index(k)] - std::log(time_at(asked[k]));
    CHECK(std::abs(off) < kNinetyPercent * said.deviation[index(k)]);
    if (asked[k] > 2)
      CHECK(said.deviation[index(k)] > said.deviation[index(k) - 1]);
  }
  // It knows the runs themselves to within the noise of other programs, and little far away.
  CHECK(said.deviation[0] < 0.15);
  CHECK(said.deviation[index(asked.size()) - 1] > 1);
}

TEST_CASE("the variance of a scaling process grows with the cube of the distance", "[gp]") {
  const auto variance_at = [](const ScalingProcess& process, double log_value) {
    const LogTimes said = process({MatrixXd::Constant(1, 1, log_value), Levels(1, 0)});
    return said.deviation[0] * said.deviation[0];
  };
  // The square, of the slope, is less than 1 % of the cube from about 10,000 on: the least drift of
  // the prior is 0.01 / 3, the largest variance of a slope 1.
  const ScalingProcess two_runs(ScaledRuns{{{1, 2}}, {}}.inputs(), logs_of({100, 52}));
  const double near = variance_at(two_runs, std::log(2));
  CHECK((variance_at(two_runs, 8e4) - near) / (variance_at(two_runs, 4e4) - near) ==
        Catch::Approx(8).epsilon(0.01));
  CHECK((variance_at(two_runs, -8e4) - near) / (variance_at(two_runs, -4e4) - near) ==
        Catch::Approx(8).epsilon(0.01));

  // Of a single run everything can be written down.
  const ScalingProcess one_run(single_runs(ScaledRuns{{{3}}, {}}, {100}), {middle_setting()});
  const std::vector<double> variances = ScalingProcess::variances(middle_setting());
  REQUIRE(variances.size() == 7);
  for (const double distance : {0.5, 2.0, 5.0}) {
    const double shared = variances[0] + variances[4] * std::exp(-distance / 2);
    const double known = variances[0] + variances[4] + variances[6];
    const double expected = known + variances[1] * std::pow(distance, 2) +
                            variances[2] * std::pow(distance, 3) / 3 - shared * shared / known;
    for (const double sign : {-1, 1})
      CHECK(variance_at(one_run, std::log(3) + sign * distance) ==
            Catch::Approx(expected).epsilon(1e-7));
  }
}

TEST_CASE("an exact power law goes straight on", "[gp]") {
  const double power = GENERATE(-1.0, -0.7, 0.4, 1.5);
  CAPTURE(power);
  std::vector<double> values;
  std::vector<double> times;
  for (double x = 1; x <= 128; x *= 2) {
    values.push_back(x);
    times.push_back(3 * std::pow(x, power));
  }
  const ScalingProcess process(ScaledRuns{{values}, {}}.inputs(), logs_of(times));
  const LogTimes said = process(ScaledRuns{{{3, 1024}}, {}}.inputs());
  // Slopes are about 0 before the runs, which pulls that of eight runs a little.
  CHECK(said.mean[0] == Catch::Approx(std::log(3 * std::pow(3, power))).margin(0.005));
  CHECK(said.mean[1] == Catch::Approx(std::log(3 * std::pow(1024, power))).margin(0.03));
}

TEST_CASE("repeats of a configuration count as one run with less noise", "[gp]") {
  // Of known hyper-parameters, two equal runs are one of twice the precision.
  const ScaledRuns single{{{1, 4, 4, 16}}, {}};
  const KnownRuns merged{ScaledRuns{{{1, 4, 16}}, {}}.inputs(), logs_of({8, 3, 1.5}),
                         Eigen::Vector3d(1, 2, 1), VectorXd::Zero(3)};
  const ScalingProcess apart(single_runs(single, {8, 3, 3, 1.5}), {middle_setting()});
  const ScalingProcess together(merged, {middle_setting()});
  const Inputs asked = ScaledRuns{{{2, 64}}, {}}.inputs();
  for (Index row = 0; row < 2; ++row) {
    CHECK(together(asked).mean[row] == Catch::Approx(apart(asked).mean[row]).margin(1e-6));
    CHECK(together(asked).deviation[row] ==
          Catch::Approx(apart(asked).deviation[row]).epsilon(1e-6));
  }
  // The scatter of repeats tells the noise.
  const auto deviation_of = [&](double scatter) {
    KnownRuns runs = merged;
    runs.counts[1] = 20;
    runs.deviations[1] = scatter;
    return ScalingProcess(runs)(ScaledRuns{{{4}}, {}}.inputs()).deviation[0];
  };
  CHECK(deviation_of(0.005) < 0.01);
  CHECK(deviation_of(0.2) == Catch::Approx(0.2).epsilon(0.2));
}

TEST_CASE("settings of a scaling process are weighed anew by other runs", "[gp]") {
  const ScaledRuns runs{{{1, 2, 4, 8, 16, 32}}, {}};
  const auto times_with = [&](double noise) {
    RandomStream random(4, "noise of a scaling process");
    std::vector<double> out;
    for (const double x : runs.numbers[0])
      out.push_back(100 / x * std::exp(noise * random.normal()));
    return logs_of(out);
  };
  const auto noise_of = [](const ScalingProcess& process) {
    double sum = 0;
    double weights = 0;
    for (const ScalingSetting& setting : process.settings()) {
      sum += setting.weight * setting.noise;
      weights += setting.weight;
    }
    CHECK(weights == Catch::Approx(1).epsilon(1e-12));
    return sum;
  };
  const ScalingProcess of_noisy(runs.inputs(), times_with(0.2));
  CHECK(of_noisy.settings().size() <= 60);
  const ScalingProcess of_exact =
      of_noisy.given({runs.inputs(), times_with(0), VectorXd::Ones(6), VectorXd::Zero(6)});
  CHECK(noise_of(of_exact) < noise_of(of_noisy));
  // What it predicts is of the other runs, too: the last of which took 100 / 32.
  CHECK(of_exact(ScaledRuns{{{32}}, {}}.inputs()).mean[0] ==
        Catch::Approx(std::log(100.0 / 32)).margin(0.05));
}

TEST_CASE("intervals of a scaling process hold what its own prior draws", "[gp]") {
  // 300 draws of six runs and three more: 900 times, of which about 300 are independent, so that
  // the share has a standard deviation of at most sqrt(0.09 / 300) = 1.7 %.
  RandomStream random(5, "prior of a scaling process");
  double inside = 0;
  double beyond = 0;
  for (int draw = 0; draw < 300; ++draw) {
    Inputs rows{MatrixXd(9, 2), Levels(9, 1)};
    for (Index row = 0; row < 9; ++row) {
      rows.numbers.row(row) << random.uniform(-2, 2), random.uniform(-3, 3);
      rows.levels(row, 0) = static_cast<std::uint32_t>(random.below(3));
    }
    // The process counts numbers from the median of its runs.
    for (Index j = 0; j < 2; ++j) {
      std::vector<double> sorted(rows.numbers.col(j).begin(), rows.numbers.col(j).begin() + 6);
      std::sort(sorted.begin(), sorted.end());
      rows.numbers.col(j).array() -= (sorted[2] + sorted[3]) / 2;
    }
    const VectorXd log_times = planted_log_times(planted_setting(random), rows, random);
    const Inputs known{rows.numbers.topRows(6), rows.levels.topRows(6)};
    const Inputs asked{rows.numbers.bottomRows(3), rows.levels.bottomRows(3)};
    const LogTimes said = ScalingProcess(known, log_times.head(6))(asked);
    for (Index row = 0; row < 3; ++row) {
      const double off = log_times[6 + row] - said.mean[row];
      inside += std::abs(off) < kNinetyPercent * said.deviation[row] ? 1.0 / 900 : 0;
      beyond += off * off / (said.deviation[row] * said.deviation[row]) / 900;
    }
  }
  CHECK(inside > 0.86);
  CHECK(inside < 0.94);
  // Squares of normal errors have mean 1 and variance 2; mixtures have a larger one.
  CHECK(beyond == Catch::Approx(1).margin(0.35));
}
