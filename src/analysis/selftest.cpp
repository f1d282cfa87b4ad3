#include "analysis/selftest.hpp"

#include <fmt/core.h>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "fit/fit.hpp"
#include "fit/generic_kernel.hpp"
#include "gp/likelihood.hpp"
#include "gp/residual_process.hpp"
#include "optimise/least_absolute_deviations.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

/// Results of a Gaussian process conditioned on two runs, which have closed forms.
std::vector<SelftestFigure> process_figures();

namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Figures = std::vector<SelftestFigure>;

constexpr double kMostDigits = 15;
constexpr double kPromisedDigits = 9;

void add_figure(Figures& out, const std::string& problem, const std::string& quantity,
                double certified, double computed, double promised = kPromisedDigits) {
  out.push_back(
      {problem, quantity, certified, computed, matching_digits(computed, certified), promised});
}

Column number_column(const std::string& name, std::vector<double> values) {
  Column column;
  column.name = name;
  column.numbers = std::move(values);
  return column;
}

Table table_with(std::vector<Column> columns, std::size_t rows) {
  Table table;
  table.source = "selftest";
  table.columns = std::move(columns);
  table.lines.resize(rows);
  std::iota(table.lines.begin(), table.lines.end(), 2U);
  return table;
}

// --- DanWood ----------------------------------------------------------------------------------

/// https://www.itl.nist.gov/div898/strd/nls/data/daniel_wood.shtml: radiated energy over absolute
/// temperature / 1000. The certified sum of squares follows from these rows.
void add_danwood(Figures& out) {
  const std::string problem = "NIST StRD DanWood, least squares";
  const Table table = table_with({number_column("x", {1.309, 1.471, 1.490, 1.565, 1.611, 1.680}),
                                  number_column("y", {2.138, 3.421, 3.597, 4.340, 4.882, 5.660})},
                                 6);
  ModelSpec spec;
  spec.target = "y";
  spec.intrinsic = {{"x", 1.309, 1.680}};
  FitOptions options;
  options.loss = Loss::mse;
  options.bounds = {parse_bound("C=0:0")};
  const FittedModel model = fit(spec, make_design(table, spec, Target::required), options);
  add_figure(out, problem, "b1", 0.76886226176, model.constants[0]);
  add_figure(out, problem, "b2", 3.8604055871, model.constants[1]);
  add_figure(out, problem, "sum of squares", 4.3173084083e-3, 6 * model.metrics.train.mse);
}

// --- Stack loss -------------------------------------------------------------------------------

/// Air flow, water temperature, acid concentration, stack loss.
constexpr std::array<std::array<double, 4>, 21> kStackLoss = {
    {{80, 27, 89, 42}, {80, 27, 88, 37}, {75, 25, 90, 37}, {62, 24, 87, 28}, {62, 22, 87, 18},
     {62, 23, 87, 18}, {62, 24, 93, 19}, {62, 24, 93, 20}, {58, 23, 87, 15}, {58, 18, 80, 14},
     {58, 18, 89, 14}, {58, 17, 88, 13}, {58, 18, 82, 11}, {58, 19, 93, 12}, {50, 18, 89, 8},
     {50, 18, 86, 7},  {50, 19, 72, 8},  {50, 19, 79, 8},  {50, 20, 80, 9},  {56, 20, 82, 15},
     {70, 20, 91, 15}}};

void add_stack_loss(Figures& out) {
  const std::string problem = "stack loss, least absolute deviations";
  constexpr double limit = 1000;
  optimise::LadProblem lad;
  lad.matrix.resize(kStackLoss.size(), 4);
  lad.response.resize(kStackLoss.size());
  lad.weights = VectorXd::Ones(kStackLoss.size());
  for (std::size_t row = 0; row < kStackLoss.size(); ++row) {
    const auto& [air, water, acid, loss] = kStackLoss[row];
    lad.matrix.row(static_cast<Index>(row)) << 1, air, water, acid;
    lad.response[static_cast<Index>(row)] = loss;
  }
  lad.bounds = {VectorXd::Constant(4, -limit), VectorXd::Constant(4, limit)};
  const optimise::LadResult result = optimise::solve_lad(lad, VectorXd::Zero(4));
  add_figure(out, problem, "intercept", -13693.0 / 345, result.x[0]);
  add_figure(out, problem, "air flow", 287.0 / 345, result.x[1]);
  add_figure(out, problem, "water temperature", 66.0 / 115, result.x[2]);
  add_figure(out, problem, "acid concentration", -7.0 / 115, result.x[3]);
  add_figure(out, problem, "sum of deviations", 14518.0 / 345, result.cost);
}

// --- Planted constants ------------------------------------------------------------------------

struct PlantedTerm {
  const char* column;
  std::vector<double> values;  ///< from Table 2 of the paper
  double a;
  double p;
};

struct PlantedLevels {
  const char* column;
  std::vector<std::pair<const char*, double>> levels;
};

/// The means for TensorFlow in Table 3.
const std::vector<PlantedTerm>& planted_intrinsic() {
  static const std::vector<PlantedTerm> terms = {{"filters", {4, 8, 16, 32, 64}, 346.73, -3.22},
                                                 {"kernel_size", {2, 3, 4, 5}, 54.78, -4.0},
                                                 {"pool_size", {2, 3, 4, 5}, 79.45, -3.48},
                                                 {"stride", {1, 2, 3}, 29.0, -1.85},
                                                 {"dropout", {0.2, 0.5, 0.8}, 10.23, 1.87}};
  return terms;
}

const std::vector<PlantedTerm>& planted_extrinsic() {
  static const std::vector<PlantedTerm> terms = {{"batch_size", {8, 16, 32, 64, 128}, 1, -1.35},
                                                 {"gpus", {1, 2, 3}, 1, -0.74}};
  return terms;
}

const std::vector<PlantedLevels>& planted_levels() {
  static const std::vector<PlantedLevels> levels = {
      {"dataset", {{"cifar10", 124.56}, {"fashion_mnist", 231.33}, {"mnist", 232.24}}},
      {"optimizer", {{"adam", 168.55}, {"sgd", 158.74}}}};
  return levels;
}

constexpr double kPlantedIntercept = 1.93;
constexpr std::size_t kPlantedRows = 400;

NumericInput input_of(const PlantedTerm& term) {
  return {term.column, term.values.front(), term.values.back()};
}

struct Planted {
  ModelSpec spec;
  Design design;
  VectorXd constants;
};

/// Random configurations and their times, without noise.
Planted planted_runs() {
  Planted out;
  RandomStream random(1, "selftest");
  std::vector<Column> columns;
  const auto add_numeric = [&](const PlantedTerm& term) {
    std::vector<double> values;
    for (std::size_t row = 0; row < kPlantedRows; ++row)
      values.push_back(term.values[random.below(term.values.size())]);
    columns.push_back(number_column(term.column, std::move(values)));
  };
  for (const PlantedTerm& term : planted_intrinsic()) {
    add_numeric(term);
    out.spec.intrinsic.push_back(input_of(term));
  }
  for (const PlantedLevels& levels : planted_levels()) {
    Column column;
    column.name = levels.column;
    column.kind = Column::Kind::text;
    for (const auto& [level, a] : levels.levels)
      column.levels.emplace_back(level);
    for (std::size_t row = 0; row < kPlantedRows; ++row)
      column.codes.push_back(static_cast<std::uint32_t>(random.below(column.levels.size())));
    out.spec.categorical.push_back({column.name, column.levels});
    columns.push_back(std::move(column));
  }
  for (const PlantedTerm& term : planted_extrinsic()) {
    add_numeric(term);
    out.spec.extrinsic.push_back(input_of(term));
  }
  out.spec.target = "time";
  out.design = make_design(table_with(std::move(columns), kPlantedRows), out.spec, Target::absent);

  std::vector<double> constants;
  for (const PlantedTerm& term : planted_intrinsic())
    constants.push_back(term.a);
  for (const PlantedLevels& levels : planted_levels())
    for (const auto& [level, a] : levels.levels)
      constants.push_back(a);
  for (const auto* terms : {&planted_intrinsic(), &planted_extrinsic()})
    for (const PlantedTerm& term : *terms)
      constants.push_back(term.p);
  constants.push_back(kPlantedIntercept);
  out.constants = Eigen::Map<VectorXd>(constants.data(), static_cast<Index>(constants.size()));
  out.design.time = predict_generic(out.spec, out.constants, out.design);
  return out;
}

/// Adds the constants that such runs identify; of levels, only their difference.
void add_planted(Figures& out, const Planted& planted, std::size_t threads) {
  const std::string problem = "constants planted from the paper's Table 3";
  FitOptions options;
  options.starts = 2;
  options.threads = threads;
  const VectorXd found = fit(planted.spec, planted.design, options).constants;
  const GenericLayout layout(planted.spec);
  const auto add = [&](std::size_t index) {
    const Index i = static_cast<Index>(index);
    add_figure(out, problem, layout.name(index), planted.constants[i], found[i]);
  };
  for (std::size_t i = 0; i < planted.spec.intrinsic.size(); ++i) {
    add(layout.coefficient(i));
    add(layout.intrinsic_power(i));
  }
  for (std::size_t j = 0; j < planted.spec.extrinsic.size(); ++j)
    add(layout.extrinsic_power(j));
  const Index first = static_cast<Index>(layout.level(1, 0));
  add_figure(out, problem, "a[optimizer=sgd] - a[optimizer=adam]",
             planted.constants[first + 1] - planted.constants[first],
             found[first + 1] - found[first]);
  add(layout.intercept());
}

void add_kernels(Figures& out, const Planted& planted) {
  const std::string problem = "kernel variants against the baseline";
  for (const Loss loss : {Loss::mae, Loss::mape, Loss::mse, Loss::rmsle}) {
    for (const KernelVariant& variant :
         compare_kernel_variants(planted.spec, planted.design, loss, 1)) {
      add_figure(out, problem, fmt::format("{}, {}, identical", variant.name, to_text(loss)),
                 static_cast<double>(variant.costs), static_cast<double>(variant.identical),
                 kMostDigits);
    }
  }
}

}  // namespace

double matching_digits(double computed, double certified) {
  if (computed == certified)
    return kMostDigits;
  const double digits = -std::log10(std::abs(computed - certified) / std::abs(certified));
  return digits >= 0 ? std::min(digits, kMostDigits) : 0;  // 0 also for NaN
}

std::vector<SelftestFigure> run_selftest() {
  Figures out;
  add_danwood(out);
  add_stack_loss(out);
  const Planted planted = planted_runs();
  add_planted(out, planted, 1);
  add_kernels(out, planted);
  for (const SelftestFigure& figure : process_figures())
    out.push_back(figure);
  return out;
}

namespace {

using Eigen::MatrixXd;

constexpr double kDigitsOfProcess = 9;

/// Two runs whose configurations differ in a number (ln x by 1) and a level: their correlation c is
/// (1/4 + 3/4 (1 + 1 + 1/3) / e) / 2. With variance and noise 1, the covariance of the runs is 2 on
/// the diagonal and c elsewhere. The residuals are 1 and -1.
process::ResidualProcess two_runs() {
  process::ResidualProcess out;
  out.coordinates = {process::Coordinate{}};  // the logarithm
  out.kernel = {.inverse_lengths = VectorXd::Constant(1, 1 / std::sqrt(5.0)),
                .shares = VectorXd::Constant(1, 0.25),
                .rates = VectorXd::Constant(1, std::log(2.0)),
                .variance = 1,
                .noise = 1};
  out.inputs = {.numbers = MatrixXd(2, 1), .levels = process::Levels(2, 1)};
  out.inputs.numbers << 0, 1;
  out.inputs.levels << 0, 1;
  out.runs = VectorXd::Ones(2);
  out.residual = VectorXd(2);
  out.residual << 1, -1;
  const process::CodedInputs known(out.inputs);
  MatrixXd covariance = correlations(out.kernel, known, known);
  covariance.diagonal().array() += 1;
  out.weights = process::PositiveMatrix::factorised(covariance)->solve(out.residual);
  return out;
}

/// -ln of the density of these two runs, without ln(2 pi): (2 / (2 - c) + ln(4 - c^2)) / 2.
double cost_of(const process::ResidualProcess& process) {
  process::Observations rows{.inputs = process::CodedInputs(process.inputs), .y = {}, .runs = {}};
  rows.y = process.residual;
  rows.runs = process.runs;
  rows.spread = 0;  // no intercept
  const process::HyperLayout layout(rows.inputs);
  VectorXd hyper = VectorXd::Zero(layout.size());  // both variances are 1
  hyper[layout.length(0)] = std::log(process.kernel.inverse_lengths[0]);
  hyper[layout.share(0)] = std::log(process.kernel.shares[0] / (1 - process.kernel.shares[0]));
  hyper[layout.rate(0)] = std::log(process.kernel.rates[0]);
  const VectorXd flat = VectorXd::Zero(layout.size());
  return process::HyperPosterior(rows, {.mean = flat, .precision = flat}).cost(hyper);
}

}  // namespace

std::vector<SelftestFigure> process_figures() {
  const process::ResidualProcess process = two_runs();
  process::Inputs first{.numbers = MatrixXd::Ones(1, 1), .levels = process::Levels(1, 1)};
  first.levels << 0;
  const process::Prediction found = process::Predictor(process).predict(first, 1);
  std::vector<SelftestFigure> out;
  const auto add = [&](const char* quantity, double exact, double computed) {
    out.push_back({.problem = "Gaussian process of two runs, closed form",
                   .quantity = quantity,
                   .certified = exact,
                   .computed = computed,
                   .digits = matching_digits(computed, exact),
                   .promised = kDigitsOfProcess});
  };
  add("mean", 0.35612873233744361, found.mean[0]);            // (1 - c) / (2 - c)
  add("deviation", 0.68827590561015295, found.deviation[0]);  // sqrt(1 - 2 / (4 - c^2))
  add("-ln likelihood", 1.3114093385690605, cost_of(process));
  return out;
}

}  // namespace perfmodel
