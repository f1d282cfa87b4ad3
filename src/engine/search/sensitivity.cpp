#include "search/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "columns/replicates.hpp"
#include "forms/form.hpp"
#include "table/expressions.hpp"

namespace perfmodel {
namespace {

constexpr double kFlatPart = 1e-4;   // of a gradient
constexpr double kMovedPart = 1e-3;  // of the largest entry of a direction

/// Gauss-Jordan elimination on the columns: each gets a row in which it alone is nonzero.
void separate(MatrixXd& basis) {
  std::vector<bool> used(static_cast<std::size_t>(basis.rows()), false);
  for (Index d = 0; d < basis.cols(); ++d) {
    Index pivot = 0;
    double largest = -1;
    for (Index k = 0; k < basis.rows(); ++k) {
      if (!used[static_cast<std::size_t>(k)] && std::abs(basis(k, d)) > largest) {
        largest = std::abs(basis(k, d));
        pivot = k;
      }
    }
    used[static_cast<std::size_t>(pivot)] = true;
    basis.col(d) /= basis(pivot, d);
    for (Index other = 0; other < basis.cols(); ++other)
      if (other != d)
        basis.col(other) -= basis(pivot, other) * basis.col(d);
  }
}

}  // namespace

Sensitivity::Sensitivity(std::vector<Standing> standings, std::vector<bool> left_out,
                         const Gram& gram, const Curvature& curvature, std::size_t runs,
                         std::stop_token stop)
    : stop_(std::move(stop)),
      standings_(std::move(standings)),
      left_out_(std::move(left_out)),
      held_(left_out_) {
  const VectorXd& weights = curvature.weights;
  SymmetricMatrix normal = gram(weights);
  norms_ = normal.diagonal().cwiseMax(0).cwiseSqrt();
  for (std::size_t k = 0; k < held_.size(); ++k) {
    double& norm = norms_[index(k)];
    if (norm == 0 && !held_[k] && standings_[k] != Standing::idle)
      standings_[k] = Standing::untrained;
    held_[k] = held_[k] || norm == 0;
    if (held_[k])
      norm = 1;
  }
  const VectorXd units = norms_.cwiseInverse();
  normal_ = without(scaled(std::move(normal), units), held_, 0);
  scores_ = scaled(gram(weights.cwiseProduct(curvature.scores.cwiseAbs2())), units);
  null_ = null_space(normal_, held_, stop_);
  for (std::size_t k = 0; k < held_.size(); ++k)
    held_[k] = held_[k] || standings_[k] != Standing::free;
  inverse_ = PseudoInverse(normal_, held_, stop_);
  const double rank = static_cast<double>(inverse_.rank());
  const double rows = static_cast<double>(runs);
  enough_rows_ = rows > rank;
  factor_ = rows / (rows - rank);
}

double Sensitivity::effect(const VectorXd& direction) const {
  const VectorXd change = direction.cwiseProduct(norms_);
  return std::sqrt(std::max(0.0, change.dot(normal_ * change)));
}

MatrixXd Sensitivity::flat_directions(const std::vector<bool>& held) const {
  const VectorXd diagonal = normal_.diagonal();
  std::vector<bool> all = held;
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = all[k] || diagonal[static_cast<Index>(k)] == 0;
  MatrixXd out = null_space(normal_, all, stop_);
  separate(out);
  return out;
}

VectorXd Sensitivity::of_coordinates(const VectorXd& gradient) const {
  return (normal_.diagonal().array() == 0).select(0, gradient.array()).matrix();
}

bool Sensitivity::is_estimable(const VectorXd& gradient) const {
  const VectorXd scaled = gradient.cwiseQuotient(norms_);
  return (null_.transpose() * scaled).norm() <= kFlatPart * scaled.norm();
}

double Sensitivity::standard_error(const VectorXd& gradient) const {
  if (stop_.stop_requested())
    throw Interrupted();
  if (!enough_rows_)
    return std::numeric_limits<double>::infinity();
  VectorXd scaled = gradient.cwiseQuotient(norms_);
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (held_[k])
      scaled[static_cast<Index>(k)] = 0;
  const VectorXd spread = inverse_ * scaled;
  return std::sqrt(std::max(0.0, factor_ * spread.dot(scores_ * spread)));
}

IdentifiedConstants::IdentifiedConstants(const Sensitivity& sensitivity,
                                         std::vector<JudgedConstant> constants,
                                         const std::function<VectorXd(std::size_t)>& gradient)
    : sensitivity_(sensitivity), constants_(std::move(constants)) {
  for (std::size_t k = 0; k < size(); ++k) {
    const bool free = standing(k) == Standing::free;
    const bool at_zero = standing(k) == Standing::at_zero && !sensitivity.left_out(k);
    const VectorXd slope = free || at_zero ? gradient(k) : VectorXd();
    const bool estimable = (free || at_zero) && sensitivity.is_estimable(slope);
    half_widths_.push_back(free ? kNormalQuantile * sensitivity.standard_error(slope) : 0);
    identified_.push_back(free ? estimable && half_widths_[k] <= constants_[k].widest &&
                                     !constants_[k].distorted
                               : estimable || standing(k) == Standing::fixed ||
                                     (standing(k) == Standing::at_zero && !at_zero));
    wide_.push_back(free && estimable && std::isfinite(half_widths_[k]) && !identified_[k]);
  }
}

Identifiability IdentifiedConstants::identifiability() const {
  Identifiability out;
  out.constants = identified_;
  for (std::size_t k = 0; k < size(); ++k)
    out.at_bound.push_back(standing(k) == Standing::at_bound);
  return out;
}

bool IdentifiedConstants::is_narrow(const VectorXd& gradient, double widest) const {
  return sensitivity_.is_estimable(gradient) &&
         kNormalQuantile * sensitivity_.standard_error(gradient) <= widest;
}

IdentifiedConstants::Moved IdentifiedConstants::moved_by(const VectorXd& direction) const {
  std::set<std::string> columns;
  std::set<std::size_t> terms;
  const auto moves =
      (direction.array().abs() > kMovedPart * direction.cwiseAbs().maxCoeff()).eval();
  for (std::size_t k = 0; k < size(); ++k) {
    if (!moves[index(k)])
      continue;
    if (!constants_[k].column.empty())
      columns.insert(constants_[k].column);
    if (constants_[k].term > 0)
      terms.insert(constants_[k].term);
  }
  return {{columns.begin(), columns.end()}, {terms.begin(), terms.end()}, moves.tail<1>()[0]};
}

void IdentifiedConstants::warn_of_width(std::size_t k, std::vector<Warning>& out) const {
  const auto& [name, column, term, value, widest, distorted] = constants_[k];
  if (is_wide(k))
    out.push_back(
        {"undetermined", name,
         name + " is not determined: " + rounded(value) + " +- " + rounded(half_widths_[k])});
}

std::string together_sentence(const std::vector<std::string>& columns, const std::string& where,
                              const std::string& by_itself) {
  if (columns.size() > 1)
    return sorted_list(columns) + " move together" + where +
           ": only their joint effect is determined";
  return "the constants of '" + columns.front() + "'" + where +
         " are not determined one by one, only together" + by_itself;
}

namespace {

/// Increase of the power that indicates another law, not a time that rises from a floor.
constexpr double kSteeper = 1;
/// The same for other inputs: the work of a layer grows as the square of its width.
constexpr double kSteeperInput = 2;
/// At this multiple of the largest value, a term that takes over dominates.
constexpr double kFarBeyond = 16;
/// A time this many times beyond those of all runs is none that they suggest.
constexpr double kFarFromRuns = 100;
/// Of more columns, pairs are too many to look at.
constexpr std::size_t kMostInCorners = 24;
/// This many configurations, or fewer, hardly suffice to choose a form.
constexpr std::size_t kFewConfigurations = 5;
/// With this many or fewer, the best of many forms fits its own runs better than new ones.
constexpr std::size_t kFewForManyForms = 14;

void warn_of_few_rows(const FittedModel& model, const Design& training, std::vector<Warning>& out) {
  const std::size_t constants = static_cast<std::size_t>(model.constants.size());
  const std::size_t runs = training.rows;
  if (runs > constants)
    return;
  out.push_back({"few_rows", "",
                 std::to_string(runs) + " training rows cannot determine " +
                     std::to_string(constants) + " constants; measure more runs or " +
                     spelled("ignore") + " columns"});
}

void warn_of_untrained_levels(const FittedModel& model, const Design& training,
                              std::vector<Warning>& out) {
  for (std::size_t c = 0; c < training.categorical.size(); ++c) {
    const std::vector<bool> seen = seen_levels(training.categorical[c]);
    for (std::size_t l = 0; l < seen.size(); ++l) {
      if (seen[l])
        continue;
      out.push_back({"untrained_level",
                     std::string(1, model.form->words().level_letter) + "[" +
                         model.spec.categorical[c].column + "=" +
                         model.spec.categorical[c].levels[l] + "]",
                     "no training row has " + model.spec.categorical[c].column + " = " +
                         model.spec.categorical[c].levels[l] + ": its constant means nothing"});
    }
  }
}

/// Warns if derived columns cannot be computed around the typical configuration.
void warn_of_derived_scales(const FittedModel& model, std::vector<Warning>& out) {
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j) {
    const NumericInput& input = model.spec.extrinsic[j];
    if (model.spec.is_derived_from(input.column) && !power_through_derived(model, j)) {
      out.push_back({"derived_scale", "q[" + input.column + "]",
                     "a derived column is computed from " + input.column +
                         ": the scaling power of " + input.column + " does not count its effect"});
    }
  }
}

/// Slope of ln(time) over ln(value) between two values of a numeric column; nullopt if columns
/// derived from it cannot be computed there.
std::optional<double> power_between(const FittedModel& model, std::size_t numeric, double low,
                                    double high) {
  const auto near = with_scale(model.spec, *model.typical, numeric, low);
  const auto far = with_scale(model.spec, *model.typical, numeric, high);
  if (!near || !far)
    return std::nullopt;
  const auto time = [&](const Configuration& at) {
    return model.form->predict(model.spec, model.constants, design_of(at, model.spec))[0];
  };
  return std::log(time(*far) / time(*near)) / std::log(high / low);
}

/// True if the time falls with log2(n) where a count was measured from more than 1 on: a term that
/// is 0 at n = 1.
bool falls_below(const FittedModel& model, std::size_t numeric) {
  const NumericInput& input = numeric_input(model.spec, numeric);
  if (!model.typical || !(input.low > 1) || !(input.high > input.low))
    return false;
  const auto measured =
      power_between(model, numeric, input.low, std::min(2 * input.low, input.high));
  const auto below =
      power_between(model, numeric, std::max(1.0, input.low / kFarBeyond), input.low);
  return measured && below && *below > 1 && *below - *measured > kSteeper;
}

void warn_of_steep_growth(const FittedModel& model, std::vector<Warning>& out) {
  for (std::size_t n = 0; n < numeric_count(model.spec); ++n) {
    const std::string growth = steep_growth(model, n);
    const NumericInput& scale = numeric_input(model.spec, n);
    if (falls_below(model, n))
      out.push_back({"steep_growth", "",
                     "below " + scale.column + " = " + rounded(scale.low) +
                         " a term falls to 0: do not predict smaller values of " + scale.column});
    if (!growth.empty())
      out.push_back(
          {"steep_growth", "",
           "beyond " + scale.column + " = " + rounded(scale.high) + " " + growth +
               ": a term that is small in the measured range dominates; do not extrapolate " +
               scale.column});
  }
}

/// Warns of two columns whose powers cancel in the runs, where both rise together, but not where
/// one does alone.
void warn_of_steep_corners(const FittedModel& model, const Design& training,
                           std::vector<Warning>& out) {
  if (!model.typical || numeric_count(model.spec) > kMostInCorners)
    return;
  const auto times_of = [&](const Design& at) {
    return model.form->trend().predict(model.spec, model.constants, at);
  };
  const VectorXd known = times_of(training);
  const Design typical = design_of(*model.typical, model.spec);
  double most = kFarFromRuns;
  std::string where;
  for (std::size_t n = 0; n < numeric_count(model.spec); ++n) {
    for (std::size_t other = 0; other < n; ++other) {
      const NumericInput& a = numeric_input(model.spec, other);
      const NumericInput& b = numeric_input(model.spec, n);
      for (const auto& [at_a, at_b] : {std::pair(a.low, b.low), std::pair(a.low, b.high),
                                       std::pair(a.high, b.low), std::pair(a.high, b.high)}) {
        const double time =
            times_of(with_numeric_at(with_numeric_at(typical, other, at_a), n, at_b))[0];
        const double ratio = std::max(time / known.maxCoeff(), known.minCoeff() / time);
        if (ratio > most) {
          most = ratio;
          where = a.column + " = " + rounded(at_a) + " and " + b.column + " = " + rounded(at_b);
        }
      }
    }
  }
  if (!where.empty())
    out.push_back({"steep_growth", "",
                   "where " + where + ", the model is off the times of all runs by a factor of " +
                       rounded(most) + ": do not extrapolate one of them without the other"});
}

}  // namespace

/// The 95 % quantile of Student's t distribution (Abramowitz and Stegun 26.7.5).
double t_quantile_95(std::size_t degrees) {
  const double z = 1.6448536;
  const auto n = static_cast<double>(std::max<std::size_t>(degrees, 1));
  const double z3 = z * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * n * n);
}

std::string steep_growth(const FittedModel& model, std::size_t numeric) {
  const NumericInput& input = numeric_input(model.spec, numeric);
  if (!model.typical || !(input.high > input.low))
    return {};
  const auto measured =
      power_between(model, numeric, std::max(input.low, input.high / 2), input.high);
  const auto beyond =
      power_between(model, numeric, kFarBeyond * input.high, 2 * kFarBeyond * input.high);
  const double steeper = numeric < model.spec.extrinsic.size() ? kSteeper : kSteeperInput;
  if (!measured || !beyond || !(*beyond > 1) || !(*beyond - *measured > steeper))
    return {};
  return "the model grows as " + input.column + "^" + rounded(*beyond) + ", up to there as " +
         input.column + "^" + rounded(*measured);
}

void warn_of_few_configurations(const FittedModel& model, const Design& training,
                                std::vector<Warning>& out) {
  if (!model.search.form || model.search.form->given)
    return;
  const std::size_t configurations = configuration_groups(training).count;
  const bool many_forms = !model.search.form->held_out.empty();
  if (configurations > (many_forms ? kFewForManyForms : kFewConfigurations))
    return;
  const std::string count =
      std::to_string(configurations) + (configurations == 1 ? " configuration" : " configurations");
  if (model.search.form->random_folds == 0) {
    out.push_back({"few_configurations", "",
                   count + " cannot distinguish forms: measure more before you trust this one"});
    return;
  }
  std::string text = "the form was chosen from " + count + ": measure more to be sure of it";
  if (many_forms)
    text +=
        "; its held-out errors are those of the best of many forms, smaller than those of new "
        "runs; " +
        spelled("folds") + " all also judges the choice";
  out.push_back({"few_configurations", "", text});
}

std::vector<Warning> find_warnings(const FittedModel& model, const Design& training,
                                   const std::optional<Findings>& findings) {
  std::vector<Warning> out;
  if (!model.search.gp) {  // a Gaussian process never has too many constants
    warn_of_few_rows(model, training, out);
    if (model.search.termination == "generation_limit")
      out.push_back({"not_converged", "",
                     "the search stopped at its limit of generations; raise " + spelled("search") +
                         " generations=N or tolerance=X"});
    warn_of_few_configurations(model, training, out);
  }
  warn_of_untrained_levels(model, training, out);
  warn_of_derived_scales(model, out);
  if (model.form->has_local_powers())
    warn_of_steep_growth(model, out);
  warn_of_steep_corners(model, training, out);
  if (findings)
    out.insert(out.end(), findings->warnings.begin(), findings->warnings.end());
  return out;
}

}  // namespace perfmodel
