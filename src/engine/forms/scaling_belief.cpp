#include "forms/scaling_belief.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/fields.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/replicates.hpp"
#include "forms/gp_form.hpp"
#include "table/expressions.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Numbers as logarithms.
gp::Inputs log_inputs(const ModelSpec& spec, const Design& design) {
  const GpColumns columns = GpColumns::of(spec);
  gp::Inputs out = columns.inputs(design);
  for (std::size_t j = 0; j < columns.numbers(); ++j) {
    const double least = least_believed(columns.number(spec, j));
    for (double& value : out.numbers.col(index(j)))
      value = std::log(std::max(value, least));
  }
  return out;
}

/// The rows of at most `most` configurations, drawn by the seed.
std::vector<std::vector<std::size_t>> some_configurations(const Design& runs, std::size_t most,
                                                          std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> out = shuffled_groups(configuration_groups(runs), seed);
  out.resize(std::min(out.size(), most));
  return out;
}

/// The formula minus the process.
VectorXd differences(const VectorXd& formula, const gp::LogTimes& process) {
  VectorXd out(formula.size());
  for (Index row = 0; row < out.size(); ++row) {
    const double most = kMostDeviations * process.deviation[row] + kMostMore;
    const double difference = formula[row] - process.mean[row];
    // Where the formula gives no time, the process is alone.
    out[row] = std::isnan(difference) ? 0 : std::clamp(difference, -most, most);
  }
  return out;
}

/// Variance of the process and of the disagreement.
VectorXd variances(const gp::LogTimes& process, const VectorXd& difference) {
  return process.deviation.array().square() + difference.array().square() / 4;
}

}  // namespace

bool is_averaged(const FittedModel& model) {
  return model.belief && model.belief->share_of_formula() < 1;
}

bool has_more_than_formula(const FittedModel& model) {
  return is_averaged(model) || has_gp(*model.form);
}

std::string averaging_in_words(const FittedModel& model) {
  return !is_averaged(model)
             ? ""
             : "the formula is " + percent(100 * model.belief->share_of_formula()) +
                   " of a prediction, a process of the runs without a formula the rest";
}

std::optional<VectorXd> correction_factors(const FittedModel& model, const Design& design) {
  if (!is_averaged(model))
    return model.form->gp_factors(design);
  return predict(model, design)
      .cwiseQuotient(model.form->trend().predict(model.spec, model.constants, design));
}

double least_believed(const NumericInput& input) {
  return input.zero ? input.zero->unit / 2 : 0;
}

Design within_ranges(const ModelSpec& spec, const Design& design) {
  Design out = design;
  for (std::size_t n = 0; n < numeric_count(spec); ++n)
    for (double& value : numeric_factor(out, n).values)
      value = std::clamp(value, numeric_input(spec, n).low, numeric_input(spec, n).high);
  return out;
}

ScalingBelief::ScalingBelief(const ModelSpec& spec, const Design& runs, std::uint64_t seed)
    : seed_(seed), configurations_(configuration_groups(runs).count) {
  process_ = std::make_shared<const gp::ScalingProcess>(know(spec, runs, kMostKnown));
}

/// Remembers the runs. The median and the scatter of repeats are robust: a disturbed one moves
/// neither.
gp::KnownRuns ScalingBelief::know(const ModelSpec& spec, const Design& runs, std::size_t most) {
  std::vector<std::size_t> first;
  std::vector<double> log_times;
  counts_.clear();
  deviations_.clear();
  for (const std::vector<std::size_t>& rows : some_configurations(runs, most, seed_)) {
    first.push_back(rows.front());
    std::vector<double> own;
    for (const std::size_t row : rows)
      own.push_back(std::log(runs.time[index(row)]));
    const double middle = median(own);
    for (double& value : own)
      value = std::abs(value - middle);
    // Of two, the distance from their mean; of more, the median distance of a normal variable.
    const double scatter =
        median(own) * (own.size() == 2 ? std::numbers::sqrt2 : kDeviationPerMedian);
    log_times.push_back(middle);
    counts_.push_back(static_cast<double>(own.size()));
    deviations_.push_back(scatter);
  }
  known_ = take_rows(runs, first);
  known_.limit.resize(0);
  for (std::size_t row = 0; row < first.size(); ++row)
    known_.time[index(row)] = std::exp(log_times[row]);
  return known_runs(spec);
}

gp::KnownRuns ScalingBelief::known_runs(const ModelSpec& spec) const {
  const auto vector_of = [](const std::vector<double>& values) -> VectorXd {
    return Eigen::Map<const VectorXd>(values.data(), index(values.size()));
  };
  return {log_inputs(spec, known_),
          known_.time.unaryExpr([](double time) { return std::log(time); }), vector_of(counts_),
          vector_of(deviations_)};
}

ScalingBelief ScalingBelief::after(const ModelSpec& spec, const Design& runs,
                                   std::size_t most) const {
  ScalingBelief out;
  out.seed_ = seed_;
  out.configurations_ = configuration_groups(runs).count;
  out.process_ =
      std::make_shared<const gp::ScalingProcess>(process_->given(out.know(spec, runs, most)));
  return out.with(share_of_formula_, spread_, widening_);
}

ScalingBelief ScalingBelief::with(double share_of_formula, double spread, double widening) const {
  ScalingBelief out = *this;
  out.share_of_formula_ = share_of_formula;
  out.spread_ = spread;
  out.widening_ = widening;
  return out;
}

ScalingBelief ScalingBelief::with_held_out_deviation(double deviation) const {
  ScalingBelief out = *this;
  out.held_out_deviation_ = deviation;
  return out;
}

gp::LogTimes ScalingBelief::process(const ModelSpec& spec, const Design& design) const {
  return (*process_)(log_inputs(spec, design));
}

gp::LogTimes ScalingBelief::log_ratios(const ModelSpec& spec, const Design& from,
                                       const Design& to) const {
  return process_->log_ratios(log_inputs(spec, from), log_inputs(spec, to));
}

VectorXd ScalingBelief::averaged(const ModelSpec& spec, const Design& design,
                                 const VectorXd& formula) const {
  const gp::Inputs inputs = log_inputs(spec, design);
  gp::LogTimes of_process{process_->means(inputs), VectorXd::Zero(index(design.rows))};
  std::vector<Index> far;  // only there do deviations limit what the formula counts as
  for (Index row = 0; row < formula.size(); ++row)
    if (std::abs(formula[row] - of_process.mean[row]) > kMostMore)
      far.push_back(row);
  if (!far.empty())
    of_process.deviation(far) = (*process_)(gp::take_rows(inputs, far)).deviation;
  return of_process.mean + share_of_formula_ * differences(formula, of_process);
}

BelievedTimes ScalingBelief::beside(const ModelSpec& spec, const Design& design,
                                    const Design& within, const VectorXd& formula,
                                    const VectorXd& formula_within) const {
  const gp::Inputs inputs = log_inputs(spec, design);
  const gp::Inputs inside = log_inputs(spec, within);
  const gp::LogTimes of_process = (*process_)(inputs);
  gp::LogTimes at_edge = of_process;
  std::vector<Index> beyond;
  for (Index row = 0; row < inputs.rows(); ++row)
    if (inputs.numbers.row(row) != inside.numbers.row(row) ||
        inputs.levels.row(row) != inside.levels.row(row))
      beyond.push_back(row);
  if (!beyond.empty()) {
    const gp::LogTimes moved = (*process_)(gp::take_rows(inside, beyond));
    at_edge.mean(beyond) = moved.mean;
    at_edge.deviation(beyond) = moved.deviation;
  }
  const VectorXd difference = differences(formula, of_process);
  const VectorXd known = variances(at_edge, differences(formula_within, at_edge));
  const VectorXd more = variances(of_process, difference) - known;
  return {of_process.mean + share_of_formula_ * difference, spread_ * known.cwiseSqrt(),
          widening_ * more.cwiseMax(0).cwiseSqrt()};
}

namespace {

/// The values of a column of the known runs: numbers, or indices of levels.
struct KnownColumn {
  std::string column;
  std::vector<double> values;
  std::vector<std::size_t> levels;
};

void describe(Fields& f, KnownColumn& x) {
  f("column", x.column, "an input", kName);
  f("values", x.values, "of a number, one per run", kSparse);
  f("levels", x.levels, "of a text: index of its level, one per run", kSparse);
}

std::vector<KnownColumn> known_columns(const ModelSpec& spec, const Design& known) {
  std::vector<KnownColumn> out;
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    KnownColumn& column = out.emplace_back(KnownColumn{numeric_input(spec, n).column, {}, {}});
    for (std::size_t row = 0; row < known.rows; ++row)
      column.values.push_back(numeric_factor(known, n).value(row));
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    out.push_back({spec.categorical[c].column,
                   {},
                   {known.categorical[c].codes.begin(), known.categorical[c].codes.end()}});
  return out;
}

Design design_of(const Fields& f, const ModelSpec& spec, const std::vector<KnownColumn>& columns,
                 const std::vector<double>& times) {
  const auto fail = [&f] [[noreturn]] () { f.fail("expected one value per input and known run"); };
  Design out;
  out.rows = times.size();
  out.time = Eigen::Map<const VectorXd>(times.data(), index(times.size()));
  out.intrinsic.resize(spec.intrinsic.size());
  out.extrinsic.resize(spec.extrinsic.size());
  const std::size_t numbers = numeric_count(spec);
  if (times.empty() || !(out.time.minCoeff() > 0) ||
      columns.size() != numbers + spec.categorical.size())
    fail();
  for (std::size_t n = 0; n < numbers; ++n) {
    const NumericInput& input = numeric_input(spec, n);
    if (columns[n].column != input.column || columns[n].values.size() != out.rows ||
        !std::ranges::all_of(columns[n].values, [&](double v) { return input.allows(v); }))
      fail();
    numeric_factor(out, n).values = columns[n].values;
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const KnownColumn& column = columns[numbers + c];
    const CategoricalInput& input = spec.categorical[c];
    if (column.column != input.column || column.levels.size() != out.rows ||
        !std::ranges::all_of(column.levels, [&](std::size_t l) { return l < input.levels.size(); }))
      fail();
    out.categorical.push_back({input.levels.size(), {column.levels.begin(), column.levels.end()}});
  }
  return out;
}

}  // namespace

void ScalingBelief::describe(Fields& f, std::shared_ptr<const ScalingBelief>& belief) {
  const ModelSpec& spec = f.context<FittedModel>().spec;
  std::vector<KnownColumn> columns;
  std::vector<double> times;
  std::vector<gp::ScalingSetting> settings;
  ScalingBelief out;
  if (belief) {
    out = *belief;
    columns = known_columns(spec, out.known_);
    times.assign(out.known_.time.begin(), out.known_.time.end());
    settings = out.process_->settings();
  }
  f("share_of_formula", out.share_of_formula_, "in predictions; the rest is the process's", kShare);
  f("spread", out.spread_, "of deviations within the measured ranges, by held-out runs", kPositive);
  f("widening", out.widening_, "of deviations beyond the measured ranges", kPositive);
  f("held_out_deviation", out.held_out_deviation_, "median of ln(time) of held-out runs",
    kNotNegative);
  f("configurations", out.configurations_, "of the runs behind it");
  f.list("settings", settings, "of the hyper-parameters, over which predictions are averaged",
         [](Fields& inner, gp::ScalingSetting& x, std::size_t) {
           inner("slope", x.slope, "variance of a slope d ln t / d ln x", kPositive);
           inner("drift", x.drift, "variance of its change, per unit of ln x", kPositive);
           inner("level", x.level, "standard deviation of levels", kPositive);
           inner("together", x.together, "of what inputs do together", kPositive);
           inner("noise", x.noise, "of a single run", kPositive);
           inner("weight", x.weight, "posterior probability", kShare);
         });
  f("inputs", columns, "of the known runs");
  f("times", times, "of the known runs: medians of their repeats");
  f("counts", out.counts_, "of the repeats");
  if (!f.reads())
    return;
  if (settings.empty())
    f.node().member("settings").fail("expected a setting");
  out.known_ = design_of(f, spec, columns, times);
  out.deviations_.assign(times.size(), 0);  // only the weights of the settings need them
  if (out.counts_.size() != times.size() ||
      !std::ranges::all_of(out.counts_, [](double count) { return count >= 1; }))
    f.node().member("counts").fail("expected a count >= 1 per known run");
  out.process_ =
      std::make_shared<const gp::ScalingProcess>(out.known_runs(spec), std::move(settings));
  belief = std::make_shared<const ScalingBelief>(std::move(out));
}

}  // namespace perfmodel
