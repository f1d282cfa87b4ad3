#include "choice/fit_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "forms/fit_options.hpp"
#include "forms/sum_form.hpp"
#include "search/global_search.hpp"
#include "search/losses.hpp"
#include "search/sensitivity.hpp"
#include "sums/identify_sum.hpp"
#include "sums/sum_finish.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Sums over the penalised constants u of a sum.
struct PenalisedSums {
  double absolute = 0;
  double squared = 0;

  void add(double u) {
    absolute += std::abs(u);
    squared += u * u;
  }
};

PenalisedSums penalised_sums(const FittedSum& sum) {
  PenalisedSums out;
  const auto add_factors = [&](const VectorXd& factors) {
    double logs = 0;
    double present = 0;
    for (const double factor : factors) {
      if (factor > 0) {
        logs += std::log(factor);
        present += 1;
      }
    }
    for (const double factor : factors)
      if (factor > 0)  // an absent term is not penalised
        out.add(std::log(factor) - logs / present);
  };
  for (std::size_t k = 0; k < sum.structure.terms; ++k) {
    for (const TermInput& input : sum.inputs) {
      const Index first = index(sum.layout.coefficient(k) + input.first);
      if (input.has_factors())
        add_factors(sum.constants.segment(first, index(input.count)));
      else
        out.add(sum.constants[first]);
    }
  }
  return out;
}

/// Objective of a fitted sum in the units of the data: the loss over the runs, plus the penalties
/// of its powers and of the logarithms of its factors (see SumGoal).
double sum_cost(const FittedModel& model, const Design& runs, const FitOptions& options) {
  const double out = loss_value(SignedLoss(options), runs.time, predict(model, runs));
  const FittedSum sum = fitted_sum(model);
  const double l2 = options.penalty.l2 + sum.estimate.ridge;
  if (options.penalty.l1 == 0 && l2 == 0)
    return out;
  const double typical_time = std::exp(runs.time.array().log().mean());
  const PenalisedSums sums = penalised_sums(sum);
  return out + loss_of_time(options.loss, typical_time) *
                   (options.penalty.l1 * sums.absolute + l2 * sums.squared);
}

/// A C below this share of the typical time counts as 0.
constexpr double kNoIntercept = 1e-9;
constexpr double kNegligible = 1e-4;
/// Largest increase of the loss by factors of 0: kUnnoticed of the loss, plus the loss of relative
/// errors of kExact.
constexpr double kUnnoticed = 1e-7;
constexpr double kExact = 1e-9;

/// Sets those factors of an input of a term to 0 whose rows all have a negligible share, and scales
/// the others so that the first shown one is 1. Ignores rows in which another factor is 0.
void tidy_factors(const VectorXd& shares, const std::vector<std::uint32_t>& codes,
                  const TermInput& input, Index coefficient, VectorXd& constants) {
  const Index count = index(input.count);
  VectorXd largest = VectorXd::Constant(count, -1);
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const double share = shares[static_cast<Index>(row)];
    double& most = largest[static_cast<Index>(codes[row])];
    if (share > 0)
      most = std::max(most, share);
  }
  if (largest.maxCoeff() < kNegligible)
    return;  // the whole term is negligible
  auto factors = constants.segment(coefficient + index(input.first), count);
  for (Index l = 0; l < count; ++l)
    if (largest[l] >= 0 && largest[l] < kNegligible)
      factors[l] = 0;
  std::size_t place = 0;
  const auto shown = [&] { return factors[static_cast<Index>(input.shown_factor(place))]; };
  while (!(shown() > 0))
    ++place;
  const double scale = shown();
  constants[coefficient] *= scale;
  factors /= scale;
}

/// Sets factors of levels and steps to exactly 0 if the term is below 1e-4 of the time of every row
/// that they apply to, unless the loss increases noticeably.
void switch_off_negligible_factors(FittedModel& model, const Design& training,
                                   const SignedLoss& loss) {
  const SumStructure& structure = sum_form(model).structure;
  const SumLayout layout(model.spec, structure);
  const auto loss_at = [&](const VectorXd& constants) {
    return loss_value(loss, training.time,
                      predict_terms({model.spec, structure}, constants, training));
  };
  const double most = (1 + kUnnoticed) * loss_at(model.constants) +
                      loss_value(loss, training.time, (1 + kExact) * training.time);
  const MatrixXd parts = term_parts({model.spec, structure}, model.constants, training);
  const VectorXd total = parts.rowwise().sum();
  const std::vector<TermInput> inputs = term_inputs(model.spec, structure);
  for (std::size_t k = 0; k < structure.terms; ++k) {
    const VectorXd shares = parts.col(static_cast<Index>(k)).cwiseQuotient(total).cwiseAbs();
    for (const TermInput& input : inputs) {
      if (!input.has_factors())
        continue;
      VectorXd tidied = model.constants;
      tidy_factors(shares, factor_codes(input, structure, training), input,
                   index(layout.coefficient(k)), tidied);
      if (tidied != model.constants && loss_at(tidied) <= most)
        model.constants = tidied;
    }
  }
}

/// Orders the terms of a sum by their share of the time, the largest first.
void order_by_share(FittedModel& model, const Design& training) {
  SumStructure& structure = own_sum_form(model).structure;
  const SumLayout layout(model.spec, structure);
  const VectorXd sums =
      term_parts({model.spec, structure}, model.constants, training).colwise().sum();
  std::vector<std::size_t> order = indices(structure.terms);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(sums[static_cast<Index>(a)]) > std::abs(sums[static_cast<Index>(b)]);
  });
  const VectorXd constants = model.constants;
  const SumStructure before = structure;
  const Index stride =
      structure.terms == 0 ? 0 : (constants.size() - 1) / static_cast<Index>(structure.terms);
  for (std::size_t k = 0; k < structure.terms; ++k) {
    model.constants.segment(static_cast<Index>(layout.coefficient(k)), stride) =
        constants.segment(static_cast<Index>(layout.coefficient(order[k])), stride);
    for (std::size_t n = 0; n < numeric_count(model.spec); ++n)
      structure.own_feature(k, n) = before.feature(order[k], n);
  }
}

/// Largest power of a scale with two values that is extrapolated. Two values cannot show how growth
/// continues: work grows about in proportion. Communication with more workers is taken as 1 - 1/n
/// if all terms share the power, else clamped, since a small term could reach any size.
constexpr double kMostOfWork = 1.2;

/// True if a column counts from one, as workers do: between one and several, communication begins.
bool counts_from_one(const SelectionTask& task, std::size_t extrinsic) {
  return task.spec.extrinsic[extrinsic].low == 1;
}

bool is_shared(const SumShape& shape, std::size_t numeric) {
  return shape.terms == 1 || contains(shape.shared, numeric);
}

double power_of(const SumShape& shape, const Eigen::VectorXd& theta, Index term,
                std::size_t numeric) {
  return theta[term * shape.features() + shape.numeric_features[numeric]];
}

std::vector<std::size_t> growing_pairs(const SelectionTask& task, const SumShape& shape,
                                       const Eigen::VectorXd& theta) {
  std::vector<std::size_t> out;
  for (const std::size_t numeric : task.coordinates.two_valued())
    if (!contains(shape.saturations, numeric) && shape.terms > 0 && is_shared(shape, numeric) &&
        counts_from_one(task, numeric) && power_of(shape, theta, 0, numeric) > 0 &&
        is_count(task.training, numeric))
      out.push_back(numeric);
  return out;
}

SumStructure with_clamped_pairs(const SelectionTask& task, const SumShape& shape,
                                const Eigen::VectorXd& theta) {
  SumStructure out = task.coordinates.structure(shape);
  for (const std::size_t numeric : task.coordinates.two_valued()) {
    const double most =
        counts_from_one(task, numeric) && !is_shared(shape, numeric) ? 0 : kMostOfWork;
    for (Index k = 0; k < shape.terms; ++k) {
      if (contains(shape.saturations, numeric) || power_of(shape, theta, k, numeric) <= most)
        continue;
      double& clamp = out.own_feature(static_cast<std::size_t>(k), numeric).clamp;
      clamp = std::min(clamp, task.coordinates.high(numeric));
    }
  }
  return out;
}

std::size_t sum_starts(const FitOptions& options) {
  return options.starts.value_or(8);
}

/// Fits the constants of a sum to all rows, to a minimum of the user's loss.
SearchedSum search_sum(const SelectionTask& task, const Candidate& chosen) {
  const FitOptions& options = task.options;
  const TermCoordinates& coordinates = task.coordinates;
  const SumShape& shape = chosen.shape;
  const TermData data = coordinates.data(shape);
  TermSearchOptions how = term_search_options(options, chosen.ridge);
  how.starts = sum_starts(options);
  std::vector<SumFit> path;
  extend_path(data, shape, how, path);
  // The ridge chosen on the folds is tied to their loss; other losses are minimised without. A
  // bound needs it: few rows beyond a high quantile determine its powers.
  const bool is_own_loss = options.loss == Loss::soft_l1 && !given_terms(options);
  const bool is_chosen_bound = options.quantile && !given_terms(options);
  const double ridge = is_own_loss || is_chosen_bound ? chosen.ridge : 0;
  const SumGoal goal(coordinates, shape, options, ridge);
  // The folds judged the form by the same kind of search: an optimum that needs more starts is not
  // the form that they chose.
  SumFit fit;
  fit.theta = path.back().theta;
  if (ridge == 0)
    fit = minimise_goal({data, shape, goal, options, how.starts}, fit.theta);
  fit = finish(data, shape, goal, fit, options, kSettledSumGap);
  const std::vector<std::size_t> saturations = growing_pairs(task, shape, fit.theta);
  if (!given_terms(options) && !saturations.empty()) {
    Candidate with_saturations = chosen;
    with_saturations.shape.saturations.insert(with_saturations.shape.saturations.end(),
                                              saturations.begin(), saturations.end());
    return search_sum(task, with_saturations);
  }
  SearchedSum out{shape, fit, ridge};
  if (is_own_loss && !ablated("simplified"))
    out = simplified(task, out);
  for (const SumFit& robust : path)
    out.fit.evaluations += robust.evaluations;
  return out;
}

/// Percent of the time. A difference of larger numbers says nothing of other values.
constexpr double kMostTakenAway = 100;

/// Restart value of a C of 0, as a share of the shortest time: a descent in ln C cannot leave 0.
constexpr double kLeastRefittedIntercept = 0.01;
/// Least reference factor, as a share of the largest, to avoid division by a vanished one.
constexpr double kLeastReference = 1e-87;

SumShape shape_of(const FittedSum& sum, const TermCoordinates& coordinates) {
  SumShape out = coordinates.shape(index(sum.structure.terms), sum.estimate.intercept);
  out.shared = sum.estimate.shared;
  for (std::size_t n = 0; n < numeric_count(sum.spec); ++n) {
    if (sum.structure.feature(0, n).saturates)  // the same in all terms
      out.saturations.push_back(n);
    for (std::size_t k = 0; k < sum.structure.terms; ++k)
      out.log_powers[k][n] = sum.structure.feature(k, n).log_power;
  }
  for (std::size_t k = 0; k < sum.structure.terms; ++k)
    out.signs.push_back(sum.constants[index(sum.layout.coefficient(k))] < 0 ? -1 : 1);
  return out;
}

/// Per coordinate: true if its input is not used in the term.
std::vector<bool> still_coordinates(const FittedSum& sum, const TermCoordinates& coordinates,
                                    const SumShape& shape) {
  const std::vector<SumConstant> constants = sum_constants(sum);
  std::vector<bool> out(static_cast<std::size_t>(shape.size()), false);
  for (std::size_t k = 0; k < sum.structure.terms; ++k) {
    for (std::size_t i = 0; i < sum.inputs.size(); ++i) {
      const auto begin = constants.begin() + index(sum.layout.coefficient(k) + sum.inputs[i].first);
      const auto end = begin + index(sum.inputs[i].count);
      const auto [start, size] = coordinates.inputs()[i];
      if (std::find(begin, end, SumConstant::unused) != end)
        std::fill_n(out.begin() + index(k) * shape.features() + start, size, true);
    }
  }
  return out;
}

/// Removes each term from the rows in which it is absent, by a further column of logarithms per
/// term, 0 or -infinity, with power 1.
void switch_off(const FittedSum& sum, const Design& runs, const TermCoordinates& coordinates,
                TermData& data, SumShape& shape) {
  const Index columns = data.log_logs.cols();
  const Index terms = shape.terms;
  MatrixXd logs = MatrixXd::Zero(data.rows(), columns + terms);
  logs.leftCols(columns) = data.log_logs;
  for (Index k = 0; k < terms; ++k) {
    const auto term = static_cast<std::size_t>(k);
    for (const TermInput& input : sum.inputs) {
      if (!input.has_factors())
        continue;
      const std::vector<std::uint32_t> codes = factor_codes(input, sum.structure, runs);
      const std::size_t first = sum.layout.coefficient(term) + input.first;
      for (Index row = 0; row < data.rows(); ++row) {
        const std::uint32_t code = codes[coordinates.order()[static_cast<std::size_t>(row)]];
        if (sum.constants[index(first + code)] == 0)
          logs(row, columns + k) = -std::numeric_limits<double>::infinity();
      }
    }
    std::vector<int>& powers = shape.log_powers[term];
    powers.resize(static_cast<std::size_t>(columns + terms), 0);
    powers[static_cast<std::size_t>(columns + k)] = 1;
  }
  data.log_logs = std::move(logs);
}

/// Sets factors that were 0 to 0 again, and scales the first remaining one to 1.
void restore_zeros(const FittedSum& sum, VectorXd& constants) {
  for (std::size_t k = 0; k < sum.structure.terms; ++k) {
    const std::size_t coefficient = sum.layout.coefficient(k);
    for (const TermInput& input : sum.inputs) {
      if (!input.has_factors())
        continue;
      const Index first = index(coefficient + input.first);
      auto factors = constants.segment(first, index(input.count));
      const auto were = sum.constants.segment(first, index(input.count)).array();
      factors = (were == 0).select(0, factors.array()).matrix();
      const auto first_left =
          std::find_if(were.begin(), were.end(), [](double was) { return was > 0; });
      if (first_left == were.end())
        continue;
      double& reference = factors[first_left - were.begin()];
      const double scale = std::max(reference, kLeastReference * factors.maxCoeff());
      if (scale == 1)
        continue;
      constants[index(coefficient)] *= scale;
      factors /= scale;
      reference = 1;
    }
  }
}

/// Refits a fitted sum of product terms to other runs of the same kind: one descent from its
/// constants, with the same terms, C and objective. Constants without effect stay fixed: powers of
/// exactly 0, factors of exactly 1 and factors of 0.
class SumRefit final : public Refit {
 public:
  /// `options` are those of the fit.
  SumRefit(const FittedModel& model, const Design& /*training*/, const FitOptions& options)
      : model_(model), options_(options), sum_(fitted_sum(model)) {}

  Refitted operator()(const Design& runs) const override {
    if (sum_.structure.terms == 0 && !sum_.estimate.intercept)
      return {model_.form, model_.constants};
    const TermCoordinates coordinates(sum_.spec, runs, sum_.structure.step_factors,
                                      options_.penalty.l1 > 0);
    const SumShape shape = shape_of(sum_, coordinates);
    VectorXd from = sum_.constants;
    if (shape.intercept) {
      double& intercept = from[from.size() - 1];
      intercept = std::max(intercept, kLeastRefittedIntercept * runs.time.minCoeff());
    }
    SumShape masked = shape;
    masked.still = still_coordinates(sum_, coordinates, shape);
    TermData data = coordinates.data(shape);
    switch_off(sum_, runs, coordinates, data, masked);
    // Resampled rows can have a better optimum of absolute errors far away, in which terms have
    // swapped roles: intervals would then be meaningless.
    const SumFit found = approach(data, masked, options_, sum_.estimate.ridge,
                                  coordinates.theta(shape, from), Reach::nearby);
    VectorXd out = coordinates.constants(shape, found.theta);
    restore_zeros(sum_, out);
    double& intercept = out[out.size() - 1];
    if (shape.terms > 0 && intercept < kNoIntercept * coordinates.typical_time())
      intercept = 0;
    return {model_.form, out};
  }

  std::size_t free_constants() const override { return perfmodel::free_constants(sum_); }

 private:
  const FittedModel& model_;
  const FitOptions& options_;
  FittedSum sum_;
};

/// True if Eq. (4) is a product term plus C, so that its powers can be rounded to plain values.
bool is_product_and_constant(const ModelSpec& spec) {
  return spec.intrinsic.size() <= 1 && spec.categorical.empty() && !spec.has_zeros();
}

/// Returns the spec; throws UsageError if its sums have too many constants.
const ModelSpec& of_few_constants(const ModelSpec& spec, const FitOptions& options) {
  const std::size_t terms = given_terms(options).value_or(2);
  const std::size_t constants = count_sum_constants(spec, terms);
  if (constants <= kMostSumConstants)
    return spec;
  const auto most = std::max_element(spec.categorical.begin(), spec.categorical.end(),
                                     [](const CategoricalInput& a, const CategoricalInput& b) {
                                       return a.levels.size() < b.levels.size();
                                     });
  const std::string advice = most == spec.categorical.end()
                                 ? "leave columns out"
                                 : "leave out '" + most->column + "', which has " +
                                       std::to_string(most->levels.size()) + " levels";
  throw InputError("a sum of " + std::to_string(terms) + (terms == 1 ? " term" : " terms") +
                   " would have " + std::to_string(constants) + " constants here, and at most " +
                   std::to_string(kMostSumConstants) + " can be fitted together: use " +
                   spelled("expression") + " generic, or " + advice);
}

FittedModel model_of(const SelectionTask& task, const SearchedSum& sum, const FormChoice& form) {
  const FitOptions& options = task.options;
  const Design& training = task.training;
  FittedModel model;
  model.spec = task.spec;
  model.form = std::make_shared<SumForm>(
      given_terms(options) ? task.coordinates.structure(sum.shape)
                           : with_clamped_pairs(task, sum.shape, sum.fit.theta),
      SumEstimate{sum.ridge, sum.shape.intercept, sum.shape.shared});
  model.typical = central_configuration(task.spec, training);
  model.constants = task.coordinates.constants(sum.shape, sum.fit.theta);
  switch_off_negligible_factors(model, training, SignedLoss(options));
  order_by_share(model, training);
  model.search = summary_of(options);
  model.search.strategy = "descent";
  model.search.starts = sum_starts(options);
  model.search.evaluations = sum.fit.evaluations;
  model.search.termination = options.stop.stop_requested() ? "interrupted" : "converged";
  model.search.gap = sum.fit.gap;
  model.search.cost = sum_cost(model, training, options);
  model.search.form = form;
  if (sum.ridge > 0)
    model.search.ridges.push_back(sum.ridge);
  model.known.metrics.train = compute_metrics(training.time, predict(model, training));
  model.known.noise_floor = noise_floor(training);
  const std::optional<Findings> findings = identify_sum(model, training, options);
  if (findings)
    model.known.identifiability = findings->identifiability;
  model.warnings = find_warnings(model, training, findings);
  return model;
}

}  // namespace

const Fitter& sum_fitter() {
  static constexpr Fitter fitter = {
      [](const FittedModel& model) { return free_constants(fitted_sum(model)); },
      refit_as<SumRefit>};
  return fitter;
}

SumChoice::SumChoice(const ModelSpec& spec, const Design& training, const FitOptions& options)
    : spec_(with_zeros_counted(of_few_constants(spec, options), training, options.seed)),
      coordinates_(spec_, training, possible_step_factors(spec_, training), options.penalty.l1 > 0),
      folds_(make_folds(coordinates_, spec_, options.seed)),
      task_{coordinates_, spec_, training, options, folds_},
      judge_(task_),
      selection_(select_shape(task_, judge_)) {}

FormChoice SumChoice::facts() const {
  FormChoice out;
  out.candidates = selection_.tried.size();
  for (const Fold& fold : folds_)
    ++(fold.is_extrapolation() ? out.extrapolation_folds : out.random_folds);
  return out;
}

/// A cost that begins at the last gap of a scale, as on the second node of a cluster, can be fitted
/// by any sufficiently steep power: such a sum is clamped to the measured range unless all
/// extrapolation folds confirm its growth.
Candidate SumChoice::with_steep_growth_clamped(const FittedModel& model,
                                               Candidate candidate) const {
  std::vector<std::size_t>& steep = candidate.shape.steep;
  for (std::size_t scale = 0; scale < task_.spec.extrinsic.size(); ++scale) {
    const bool is_steep =
        !steep_growth(model, scale).empty() || is_steep_beyond(task_, judge_, candidate, scale);
    if (ablated("steep scales") || !is_steep || grows_on(folds_, candidate, scale) ||
        contains(steep, scale))
      continue;
    steep.push_back(scale);
    candidate.shape.clamps.push_back(scale);
  }
  return candidate;
}

FittedModel SumChoice::fitted(const Candidate& candidate, const FitOptions& options) const {
  if (candidate.eq4 && is_product_and_constant(task_.spec)) {
    Candidate product = candidate;
    product.eq4 = false;
    product.shape = plain_shape(task_, 1, true);
    return fitted(product, options);
  }
  if (!candidate.eq4) {
    const SelectionTask task{coordinates_, spec_, task_.training, options, folds_};
    FittedModel model = model_of(task, search_sum(task, candidate), facts());
    if (!may_subtract(options) &&
        std::ranges::min(time_shares(model, task_.training)) < -kMostTakenAway) {
      Candidate product = candidate;
      product.shape = plain_shape(task_, 1, true);
      return fitted(product, options);
    }
    const Candidate clamped = with_steep_growth_clamped(model, candidate);
    return clamped.shape.steep == candidate.shape.steep ? model : fitted(clamped, options);
  }
  FittedModel model = fit_eq4(spec_, task_.training, eq4_options(options));
  model.search.form = facts();
  warn_of_few_configurations(model, task_.training, model.warnings);
  return model;
}

FittedModel fit_sum(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  const std::optional<std::size_t> terms = given_terms(options);
  if (!terms) {
    const FitOptions of_choice = without_quantile(options);
    return SumChoice(spec, training, of_choice).fitted(options);
  }
  const ModelSpec counted =
      with_zeros_counted(of_few_constants(spec, options), training, options.seed);
  const TermCoordinates coordinates(counted, training, zero_step_factors(counted),
                                    options.penalty.l1 > 0);
  const std::vector<Fold> no_folds;
  const SelectionTask task{coordinates, counted, training, options, no_folds};
  const Candidate given{.shape = plain_shape(task, index(*terms), true)};
  return model_of(task, search_sum(task, given), {.given = true});
}

}  // namespace perfmodel
