#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "choice/term_choice.hpp"
#include "forms/fit_options.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

/// Columns with only larger n get no 1 - 1/n, which is then nearly constant.
constexpr double kLargestOfSaturation = 100;

constexpr double kUsualRidge = 1e-4;

/// Sets of steps of the scales: none, each alone, and all.
std::vector<std::vector<Index>> sets_of_step_factors(const SelectionTask& task) {
  std::vector<std::vector<Index>> sets = {zeros_apart(task)};
  std::vector<Index> all;
  for (std::size_t g = 0; g < task.coordinates.step_factors().size(); ++g) {
    const StepFactor& step_factor = task.coordinates.step_factors()[g];
    if (ablated("steps") || !is_extrinsic(task, step_factor.numeric) || step_factor.above > 1)
      continue;
    all.push_back(static_cast<Index>(g));
    sets.push_back(sets.front());
    sets.back().push_back(all.back());
  }
  if (all.size() > 1) {
    sets.push_back(sets.front());
    sets.back().insert(sets.back().end(), all.begin(), all.end());
  }
  return sets;
}

/// True for a count that has an extrapolation fold, so that the folds can judge 1 - 1/n.
bool may_saturate(const SelectionTask& task, std::size_t numeric) {
  const auto is_judged = [&](const Fold& fold) { return fold.scale == numeric; };
  return !ablated("saturations") && numeric_input(task.spec, numeric).low <= kLargestOfSaturation &&
         std::any_of(task.folds.begin(), task.folds.end(), is_judged) &&
         is_count(task.training, numeric);
}

}  // namespace

std::vector<Index> zeros_apart(const SelectionTask& task) {
  std::vector<Index> out(zero_step_factors(task.spec).size());
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

bool is_extrinsic(const SelectionTask& task, std::size_t numeric) {
  return numeric < task.spec.extrinsic.size();
}

std::vector<Candidate> plain_candidates(const SelectionTask& task) {
  std::vector<Candidate> out;
  for (const std::vector<Index>& step_factors : sets_of_step_factors(task)) {
    for (const bool intercept : {true, false}) {
      out.push_back({.shape = plain_shape(task, 1, intercept), .ridge = kUsualRidge});
      out.back().shape.step_factors = step_factors;
    }
  }
  return out;
}

std::vector<Candidate> with_ridges(const Candidate& from, const std::vector<double>& ridges) {
  std::vector<Candidate> out;
  for (const double ridge : ridges) {
    out.push_back(from);
    out.back().ridge = ridge;
  }
  return out;
}

std::optional<SumShape> additive_shape(const SelectionTask& task) {
  const std::size_t numerics = numeric_count(task.spec);
  if (ablated("sum of columns") || numerics < 2 || numerics > static_cast<std::size_t>(kMostTerms))
    return std::nullopt;
  SumShape out = plain_shape(task, static_cast<Index>(numerics), true);
  out.left_out.resize(numerics);
  for (std::size_t k = 0; k < numerics; ++k) {
    for (std::size_t n = 0; n < numerics; ++n)
      if (n != k)
        out.left_out[k].push_back(n);
  }
  return out;
}

std::vector<Candidate> other_growths(const SelectionTask& task, const Candidate& from,
                                     std::size_t numeric) {
  std::vector<Candidate> out;
  Index term = 0;
  while (term < from.shape.terms && from.shape.leaves_out(term, numeric))
    ++term;
  if (term == from.shape.terms)
    return out;
  if (!ablated("logarithms") && may_have_logarithm(task.training, numeric)) {
    for (const int r : {1, 2}) {
      for (const bool pure : {false, true}) {
        out.push_back(from);
        out.back().shape.log_powers[static_cast<std::size_t>(term)][numeric] = r;
        out.back().shape.pure_logarithms = pure;
      }
    }
  }
  if (may_saturate(task, numeric) && !contains(from.shape.saturations, numeric)) {
    out.push_back(from);
    out.back().shape.saturations.push_back(numeric);
  }
  return out;
}

std::vector<Candidate> with_steps(const SelectionTask& task, const Candidate& from,
                                  std::size_t scale) {
  std::vector<Candidate> out;
  const std::vector<StepFactor>& step_factors = task.coordinates.step_factors();
  for (std::size_t g = 0; g < step_factors.size(); ++g) {
    if (ablated("steps of steep scales") || step_factors[g].numeric != scale ||
        step_factors[g].above <= 1)
      continue;
    out.push_back(from);
    out.back().shape.step_factors.push_back(static_cast<Index>(g));
    out.push_back(out.back());
    SumShape& alone = out.back().shape;
    alone.left_out.resize(static_cast<std::size_t>(alone.terms));
    for (std::vector<std::size_t>& columns : alone.left_out)
      columns.push_back(scale);
  }
  return out;
}

namespace {

/// A product minus a constant, such as 10 n - 8.
SumShape less_a_constant(const SelectionTask& task) {
  SumShape out = plain_shape(task, 2, false);
  out.signs = {1, -1};
  out.left_out = {{}, indices(numeric_count(task.spec))};
  out.still.assign(to_size(out.size()), false);
  std::fill(out.still.begin() + out.features() + 1, out.still.end(), true);
  return out;
}

}  // namespace

std::vector<SumShape> simple_shapes(const SelectionTask& task) {
  std::vector<SumShape> out = {plain_shape(task, 1, true), plain_shape(task, 1, false),
                               less_a_constant(task)};
  if (const auto additive = additive_shape(task))
    out.push_back(*additive);
  if (may_subtract(task.options)) {
    for (SumShape shape : std::vector(out)) {
      shape.signs.assign(static_cast<std::size_t>(shape.terms), 1);
      shape.signs.back() = -1;
      if (shape.intercept || shape.terms > 1)
        out.push_back(shape);
    }
  }
  return out;
}

std::vector<Candidate> negative_candidates(const SelectionTask& task) {
  std::vector<Candidate> out;
  for (const bool intercept : {true, false}) {
    out.push_back({.shape = plain_shape(task, kFewTerms, intercept)});
    out.back().shape.signs = {1, -1};
  }
  out.push_back({.shape = plain_shape(task, 1, true)});
  out.back().shape.signs = {-1};
  return out;
}

SumShape plain_shape(const SelectionTask& task, Index terms, bool intercept) {
  SumShape out = task.coordinates.shape(terms, intercept);
  out.step_factors = zeros_apart(task);
  return out;
}

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kZeroFolds = 5;
constexpr std::size_t kMostJudgedRows = 5000;
constexpr double kProductRidge = 1e-6;  ///< per row: columns may be collinear

/// A sample of the rows in folds that keep equal configurations together.
struct ZeroFolds {
  Design runs;
  std::vector<std::size_t> of_row;
};

ZeroFolds deal_runs(const Design& training, std::uint64_t seed) {
  auto groups =
      with_fewer_repeats(shuffled_groups(configuration_groups(training), seed), kMostJudgedRows);
  groups.resize(std::min(groups.size(), kMostJudgedRows));
  ZeroFolds out;
  if (groups.size() < kZeroFolds)
    return out;
  std::vector<std::size_t> chosen;
  const auto parts = deal_groups(groups, kZeroFolds);
  for (std::size_t fold = 0; fold < parts.size(); ++fold) {
    chosen.insert(chosen.end(), parts[fold].begin(), parts[fold].end());
    out.of_row.resize(chosen.size(), fold);
  }
  out.runs = take_rows(training, chosen);
  return out;
}

/// Mean error of ln t in each fold, of one product fitted to the other folds.
VectorXd errors_of_product(const ModelSpec& spec, const ZeroFolds& folds) {
  const TermCoordinates coordinates(spec, folds.runs, zero_step_factors(spec), true);
  const TermData data = coordinates.data(coordinates.shape(1, true));
  const VectorXd y = data.time.array().log();
  std::vector<std::vector<Index>> rows(kZeroFolds);
  for (Index row = 0; row < data.rows(); ++row)
    rows[folds.of_row[coordinates.order()[static_cast<std::size_t>(row)]]].push_back(row);

  const MatrixXd gram = data.features.transpose() * data.features;
  const VectorXd product = data.features.transpose() * y;
  VectorXd out(index(kZeroFolds));
  for (std::size_t fold = 0; fold < kZeroFolds; ++fold) {
    const MatrixXd held_out = data.features(rows[fold], Eigen::all);
    const VectorXd times = y(rows[fold]);
    MatrixXd normal = gram - held_out.transpose() * held_out;
    normal.diagonal().array() += kProductRidge * static_cast<double>(data.rows());
    const VectorXd theta = normal.ldlt().solve(product - held_out.transpose() * times);
    out[index(fold)] = (times - held_out * theta).cwiseAbs().mean();
  }
  return out;
}

bool is_clearly_less(const VectorXd& errors, const VectorXd& others) {
  const Eigen::ArrayXd gains = others - errors;
  const double mean = gains.mean();
  const double count = static_cast<double>(gains.size());
  const double variance = (gains - mean).square().sum() / (count - 1);
  return mean > std::sqrt(variance / count);
}

}  // namespace

ModelSpec with_zeros_counted(const ModelSpec& spec, const Design& training, std::uint64_t seed) {
  ModelSpec out = spec;
  for (NumericInput& input : out.intrinsic)
    if (input.zero)
      input.zero->apart = false;
  if (!out.has_zeros() || ablated("zeros apart"))
    return out;
  const ZeroFolds folds = deal_runs(training, seed);
  if (folds.of_row.empty())
    return out;
  VectorXd errors = errors_of_product(out, folds);
  for (std::size_t i = 0; i < out.intrinsic.size(); ++i) {
    // With a single value besides 0, both forms are equivalent.
    if (!out.intrinsic[i].zero || distinct_values(training, spec.extrinsic.size() + i).size() < 3)
      continue;
    ModelSpec apart = out;
    apart.intrinsic[i].zero->apart = true;
    const VectorXd of_apart = errors_of_product(apart, folds);
    if (!is_clearly_less(of_apart, errors))
      continue;
    out = apart;
    errors = of_apart;
  }
  return out;
}

RowGroups configuration_groups(const TermData& data, const std::vector<Index>& rows) {
  RowGroups groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || !data.same_configuration(rows[i], rows[i - 1]))
      ++groups.count;
    groups.of_row.push_back(groups.count - 1);
  }
  return groups;
}

namespace {

using Rows = std::vector<Index>;

constexpr std::size_t kMostRowsOfFolds = 1000;
/// So many evenly spread times of a configuration say nearly what all its runs do.
constexpr std::size_t kMostRepeats = 12;
constexpr std::size_t kParts = 5;
constexpr double kFarShare = 0.2;
constexpr double kLeastShare = 0.25;  // least share of training configurations
constexpr std::size_t kFewestConfigurations = 5;
constexpr double kScaleRange = 100;
/// Least number of training values in an extrapolation fold.
constexpr std::size_t kFewestValues = 2;
constexpr std::size_t kFewestValuesOfFew = 3;
constexpr std::size_t kFewestForManyFolds = 10;
/// Most scales with extrapolation folds, those of the widest range: each costs fits per candidate.
constexpr std::size_t kMostScales = 6;

void add_random_parts(const std::vector<std::vector<std::size_t>>& configurations,
                      std::vector<Fold>& folds) {
  const auto parts = deal_groups(configurations, kParts);
  for (std::size_t held_out = 0; held_out < parts.size(); ++held_out) {
    Fold fold;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      Rows& rows = part == held_out ? fold.held_out : fold.training;
      rows.insert(rows.end(), parts[part].begin(), parts[part].end());
    }
    folds.push_back(std::move(fold));
  }
}

/// A numeric column and its feature.
struct Scale {
  std::size_t input;
  Index feature;
};

/// Holds out the rows from `threshold` on.
Fold extrapolation_fold(const TermData& data, const Rows& rows, const Scale& scale,
                        double threshold) {
  Fold fold;
  fold.scale = scale.input;
  for (const Index row : rows)
    (data.features(row, scale.feature) >= threshold ? fold.held_out : fold.training).push_back(row);
  return fold;
}

/// Adds one or two folds: the largest values with a fifth of the configurations, and the upper half
/// of the scale, as long as a quarter of them and the fewest values remain for training.
void add_extrapolation_folds(const TermData& data, const Rows& rows, const Scale& scale,
                             std::size_t fewest_values, std::vector<Fold>& folds) {
  std::map<double, std::size_t> counts;
  double all = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && data.same_configuration(rows[i], rows[i - 1]))
      continue;
    ++counts[data.features(rows[i], scale.feature)];
    ++all;
  }
  if (counts.size() <= fewest_values)
    return;
  const double middle = 0.5 * (counts.begin()->first + counts.rbegin()->first);
  double near = 0;
  double deep = 0;
  std::size_t held_out = 0;
  std::size_t values_left = counts.size();
  bool near_found = false;
  for (auto entry = counts.rbegin(); entry != counts.rend() && values_left > fewest_values;
       ++entry) {
    const double before = static_cast<double>(held_out);
    held_out += entry->second;
    --values_left;
    const double share = static_cast<double>(held_out) / all;
    const bool first = before == 0;
    if (!first && (share > 1 - kLeastShare || (near_found && entry->first < middle)))
      break;
    deep = entry->first;
    if (!near_found)
      near = entry->first;
    near_found = near_found || share >= kFarShare;
  }
  folds.push_back(extrapolation_fold(data, rows, scale, near));
  if (deep < near && !ablated("second extrapolation fold"))
    folds.push_back(extrapolation_fold(data, rows, scale, deep));
}

double lowest(const NumericInput& input) {
  return input.zero ? input.zero->unit : input.low;
}

bool is_scale(const NumericInput& intrinsic) {
  return intrinsic.high >= kScaleRange * lowest(intrinsic);
}

/// The numeric columns that get extrapolation folds, extrinsic ones first.
std::vector<std::size_t> scales_of(const ModelSpec& spec, std::size_t numerics) {
  std::vector<std::size_t> out;
  for (std::size_t input = 0; input < numerics; ++input)
    if (input < spec.extrinsic.size() || is_scale(numeric_input(spec, input)))
      out.push_back(input);
  if (out.size() > kMostScales) {
    const auto order = [&](std::size_t n) {
      const NumericInput& input = numeric_input(spec, n);
      return std::tuple(n >= spec.extrinsic.size(), lowest(input) / input.high, input.column);
    };
    std::sort(out.begin(), out.end(),
              [&](std::size_t a, std::size_t b) { return order(a) < order(b); });
    out.resize(kMostScales);
    std::sort(out.begin(), out.end());
  }
  return out;
}

}  // namespace

std::vector<Fold> make_folds(const TermCoordinates& coordinates, const ModelSpec& spec,
                             std::uint64_t seed) {
  const TermData& data = coordinates.data();
  std::vector<Index> all(to_size(data.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  auto configurations = shuffled_groups(configuration_groups(data, all), seed);
  std::size_t most = 0;
  for (const std::vector<std::size_t>& own : configurations)
    most += std::min(own.size(), kMostRepeats);
  configurations = with_fewer_repeats(std::move(configurations), std::min(most, kMostRowsOfFolds));
  std::vector<Fold> folds;
  if (configurations.size() < kFewestConfigurations)
    return folds;
  configurations.resize(std::min(configurations.size(), kMostRowsOfFolds));
  Rows rows;
  for (const std::vector<std::size_t>& own : configurations)
    rows.insert(rows.end(), own.begin(), own.end());
  std::sort(rows.begin(), rows.end());
  add_random_parts(configurations, folds);
  const std::vector<Index> features = coordinates.numeric_features();
  const std::size_t fewest_values =
      configurations.size() <= kFewestForManyFolds ? kFewestValuesOfFew : kFewestValues;
  for (const std::size_t input : scales_of(spec, features.size()))
    add_extrapolation_folds(data, rows, {input, features[input]}, fewest_values, folds);
  for (Fold& fold : folds) {
    std::sort(fold.training.begin(), fold.training.end());
    std::sort(fold.held_out.begin(), fold.held_out.end());
  }
  return folds;
}

}  // namespace perfmodel
