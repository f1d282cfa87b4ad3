#include "trust/cross_validation.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "base/text.hpp"
#include "columns/replicates.hpp"
#include "fit/censored.hpp"
#include "forms/form.hpp"
#include "trust/resampling.hpp"

namespace perfmodel {

std::vector<std::size_t> other_rows(std::size_t rows, const std::vector<std::size_t>& some) {
  std::vector<std::size_t> out;
  auto next = some.begin();
  for (std::size_t row = 0; row < rows; ++row)
    if (next != some.end() && *next == row)
      ++next;
    else
      out.push_back(row);
  return out;
}

namespace {

bool has_one_value(const NumericFactor& factor, std::size_t rows) {
  for (std::size_t row = 1; row < rows; ++row)
    if (factor.value(row) != factor.value(0))
      return false;
  return true;
}

void require_variation(const ModelSpec& spec, const Design& all, const Design& kept) {
  const auto require = [&](const NumericInput& input, const NumericFactor& of_all,
                           const NumericFactor& of_kept) {
    if (has_one_value(of_kept, kept.rows) && !has_one_value(of_all, all.rows))
      throw UsageError(fmt::format(
          "a fold leaves no row to fit on with another {0} than {1}, so the power of {0} could be "
          "anything; hold out less, or {2} {3}",
          input.column, to_text(of_kept.value(0)), spelled("ignore"), shell_word(input.column)));
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    require(spec.intrinsic[i], all.intrinsic[i], kept.intrinsic[i]);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    require(spec.extrinsic[j], all.extrinsic[j], kept.extrinsic[j]);
}

/// Predictions for a held-out fold, in the order of its rows, and their errors.
struct HeldOutFold {
  Metrics metrics;
  VectorXd predicted;
};

/// Fits the rows outside of a fold and predicts the fold.
HeldOutFold fit_without(const std::vector<std::size_t>& held_out, const ModelSpec& spec,
                        const Design& training, const FitOptions& options) {
  const Design kept = take_rows(training, other_rows(training.rows, held_out));
  require_variation(spec, training, kept);
  const Design judged = take_rows(training, held_out);
  FittedModel model = fit(spec, kept, options);
  model.form->settle_unseen_levels(kept, model);
  HeldOutFold out;
  out.predicted = predict(model, judged);
  const std::vector<std::size_t> finished = finished_rows(judged);
  if (finished.empty())
    throw InputError(
        "a fold has only runs that were cut off, whose errors are unknown; make the "
        "folds larger, or group the rows in another way");
  out.metrics = compute_metrics(judged.time(finished), out.predicted(finished));
  return out;
}

constexpr std::size_t kMostRows = 500;
constexpr std::size_t kFolds = 5;
constexpr std::uint64_t kFoldSeed = 1;
constexpr Index kRowsPerCoefficient = 3;
constexpr double kFarBetter = 0.7;    // of the model's error
constexpr double kWorthAWord = 0.03;  // of the time: for less, nobody would change the form
constexpr double kFarWorse = 3;       // times the error of the surface
constexpr double kRidge = 1e-3;       // penalty per row, for coordinates of standard deviation 1
constexpr double kLargestMiss = 3;    // of a logarithm: limits the effect of a single row

/// ln of a numeric column, standardised to mean 0 and standard deviation 1.
VectorXd log_coordinate(const NumericInput& input, const NumericFactor& factor, std::size_t rows) {
  VectorXd out(index(rows));
  for (std::size_t row = 0; row < rows; ++row)
    out[index(row)] = std::log(input.counted(factor.value(row)));
  out.array() -= out.mean();
  const double deviation = std::sqrt(out.squaredNorm() / static_cast<double>(rows));
  return deviation > 0 ? VectorXd(out / deviation) : out;
}

/// The regressors of a response surface.
struct Surface {
  MatrixXd terms;   ///< a column each
  Index first = 0;  ///< number of those of first order, which come first
};

/// 1, the logarithms of numbers, an indicator for each level but the first of its column, and all
/// products of two of them of which at least one is a number.
Surface surface_of(const ModelSpec& spec, const Design& runs) {
  std::vector<VectorXd> columns = {VectorXd::Ones(index(runs.rows))};
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    columns.push_back(log_coordinate(spec.intrinsic[i], runs.intrinsic[i], runs.rows));
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    columns.push_back(log_coordinate(spec.extrinsic[j], runs.extrinsic[j], runs.rows));
  const std::size_t numbers = columns.size();
  for (const LevelFactor& factor : runs.categorical) {
    for (std::uint32_t level = 1; level < factor.levels; ++level) {
      VectorXd& column = columns.emplace_back(index(runs.rows));
      for (std::size_t row = 0; row < runs.rows; ++row)
        column[index(row)] = factor.codes[row] == level ? 1 : 0;
    }
  }
  const std::size_t first = columns.size();
  for (std::size_t i = 1; i < numbers; ++i)
    for (std::size_t j = i; j < first; ++j)
      columns.push_back(VectorXd(columns[i].cwiseProduct(columns[j])));
  Surface out{MatrixXd(index(runs.rows), index(columns.size())), index(first)};
  for (std::size_t k = 0; k < columns.size(); ++k)
    out.terms.col(index(k)) = columns[k];
  return out;
}

/// A sample of at most kMostRows rows; repeats are left out before configurations are.
Design some_rows(const Design& training) {
  if (training.rows <= kMostRows)
    return training;
  const auto groups =
      with_fewer_repeats(shuffled_groups(configuration_groups(training), kFoldSeed), kMostRows);
  std::vector<std::size_t> rows;
  for (const auto& group : groups)
    if (rows.size() + group.size() <= kMostRows)
      rows.insert(rows.end(), group.begin(), group.end());
  return take_rows(training, rows);
}

double mean_miss(const VectorXd& log_measured, const VectorXd& log_predicted) {
  return (log_measured - log_predicted).array().abs().min(kLargestMiss).mean();
}

}  // namespace

std::optional<CrossValidation> cross_validate(const ModelSpec& spec, const Design& training,
                                              const FitOptions& options,
                                              const std::vector<std::vector<std::size_t>>& held_out,
                                              const std::function<void(std::size_t)>& fold_done) {
  const auto folds = fits_until_stopped<HeldOutFold>(
      held_out.size(), options,
      [&](std::size_t k, const FitOptions& own) {
        return fit_without(held_out[k], spec, training, own);
      },
      fold_done);
  CrossValidation out;
  out.predicted.resize(index(training.rows));
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    if (!folds[fold])
      return std::nullopt;
    out.folds.push_back(folds[fold]->metrics);
    for (std::size_t k = 0; k < held_out[fold].size(); ++k)
      out.predicted[index(held_out[fold][k])] = folds[fold]->predicted[index(k)];
  }
  return out;
}

bool FormCheck::points_elsewhere() const {
  return of_surface < kFarBetter * of_model && of_model - of_surface > kWorthAWord;
}

bool FormCheck::is_far_worse() const {
  return points_elsewhere() && std::expm1(of_model) >= kFarWorse * std::expm1(of_surface);
}

std::optional<FormCheck> check_form(const FittedModel& model, const Design& training) {
  const Design runs = some_rows(finished_runs(training));
  const RowGroups groups = configuration_groups(runs);
  if (groups.count < 2 * kFolds)
    return std::nullopt;
  const Index rows = index(runs.rows);
  const auto [all_terms, first_order] = surface_of(model.spec, runs);
  const MatrixXd terms = all_terms.leftCols(
      all_terms.cols() * kRowsPerCoefficient > rows ? first_order : all_terms.cols());
  if (terms.cols() * kRowsPerCoefficient > rows)
    return std::nullopt;
  const VectorXd log_time = runs.time.array().log();
  const MatrixXd all_products = terms.transpose() * terms;
  const VectorXd all_sides = terms.transpose() * log_time;
  VectorXd surface(rows);
  for (const auto& part : make_held_out_parts(groups, kFolds, kFoldSeed)) {
    const std::vector<Index> held_out(part.begin(), part.end());
    const MatrixXd some = terms(held_out, Eigen::all);
    MatrixXd products = all_products - some.transpose() * some;
    products.diagonal().array() += kRidge * static_cast<double>(rows);
    surface(held_out) =
        some * products.ldlt().solve(all_sides - some.transpose() * VectorXd(log_time(held_out)));
  }
  const VectorXd predicted = predict(model, runs);
  if (!(predicted.minCoeff() > 0))
    return std::nullopt;
  return FormCheck{mean_miss(log_time, predicted.array().log()), mean_miss(log_time, surface)};
}

}  // namespace perfmodel
