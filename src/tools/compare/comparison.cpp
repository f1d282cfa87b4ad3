#include "compare/comparison.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "columns/replicates.hpp"
#include "columns/spec.hpp"
#include "fit/fit.hpp"
#include "forms/fit_options.hpp"
#include "sums/sum_terms.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel {
namespace {

double feature_of(double value, NumericForm form, double zero_unit) {
  if (form == NumericForm::plain)
    return value;
  if (zero_unit > 0)
    return std::log1p(value / zero_unit);
  // A 0 that does not occur in the training rows is far from all of them.
  return std::log(std::max(value, std::numeric_limits<double>::min()));
}

constexpr double kTrainingShare = 0.6;  // of the distinct values

double default_limit(const std::set<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double kept = std::min(std::ceil(kTrainingShare * count), count - 1);
  return *std::next(values.begin(), static_cast<std::ptrdiff_t>(kept) - 1);
}

}  // namespace

std::vector<double> zero_units_of(const Design& training) {
  std::vector<double> out;
  for (const auto* factors : {&training.intrinsic, &training.extrinsic}) {
    for (const NumericFactor& factor : *factors) {
      double unit = std::numeric_limits<double>::infinity();
      bool zero = false;
      for (const double value : factor.values) {
        zero = zero || value == 0;
        unit = value > 0 ? std::min(unit, value) : unit;
      }
      out.push_back(zero && std::isfinite(unit) ? unit : 0);
    }
  }
  return out;
}

MatrixXd one_hot_features(const Design& design, NumericForm form,
                          const std::vector<double>& zero_units) {
  std::size_t columns = design.intrinsic.size() + design.extrinsic.size();
  for (const LevelFactor& factor : design.categorical)
    columns += factor.levels;
  MatrixXd features = MatrixXd::Zero(index(design.rows), index(columns));
  Index column = 0;
  for (const auto* factors : {&design.intrinsic, &design.extrinsic}) {
    for (const NumericFactor& factor : *factors) {
      const double unit = zero_units.empty() ? 0 : zero_units[to_size(column)];
      for (std::size_t row = 0; row < design.rows; ++row)
        features(index(row), column) = feature_of(factor.value(row), form, unit);
      ++column;
    }
  }
  for (const LevelFactor& factor : design.categorical) {
    for (std::size_t row = 0; row < design.rows; ++row)
      features(index(row), column + index(factor.codes[row])) = 1;
    column += index(factor.levels);
  }
  return features;
}

FeatureUnits standard_units(const MatrixXd& rows) {
  const RowVectorXd mean = rows.colwise().mean();
  RowVectorXd deviations = (rows.rowwise() - mean).colwise().squaredNorm().cwiseSqrt() /
                           std::sqrt(static_cast<double>(rows.rows()));
  for (double& deviation : deviations)
    if (deviation == 0)
      deviation = 1;
  return [mean, deviations](const MatrixXd& some) -> MatrixXd {
    return (some.rowwise() - mean).array().rowwise() / deviations.array();
  };
}

FeatureUnits float_units(const MatrixXd& rows) {
  Eigen::RowVectorXi exponents(rows.cols());
  for (Index column = 0; column < rows.cols(); ++column) {
    const double largest = rows.col(column).maxCoeff();
    exponents[column] = largest > 0 ? std::ilogb(largest) : 0;  // an indicator column may be all 0
  }
  return [exponents](const MatrixXd& some) {
    constexpr double largest = std::numeric_limits<float>::max();
    MatrixXd out(some.rows(), some.cols());
    for (Index column = 0; column < some.cols(); ++column)
      for (Index row = 0; row < some.rows(); ++row)
        out(row, column) = std::min(std::ldexp(some(row, column), -exponents[column]), largest);
    return out;
  };
}

Regressor make_expression(std::string name, const ModelSpec& spec, const FitOptions& options) {
  const auto learn = [spec, options](const Design& training) -> LearnedTimes {
    const auto model = std::make_shared<const FittedModel>(fit(spec, training, options));
    return {[model](const Design& design) { return predict(*model, design); }, model};
  };
  return {std::move(name), learn};
}

bool has_black_boxes() {
  return make_random_forest(0).fit != nullptr;
}

bool has_gradient_boosting() {
  return make_gradient_boosting(0).fit != nullptr;
}

Extrapolation split_by_value(const Table& table, std::span<const std::size_t> rows,
                             std::string_view column, std::optional<double> limit) {
  const Column& source = table.at(column);
  if (!source.is_numeric())
    throw InputError(fmt::format("column '{}' in {} holds texts; only numbers can be extrapolated",
                                 source.name, table.source));
  const std::set<double> values(source.numbers.begin(), source.numbers.end());
  if (values.size() < 2)
    throw UsageError(
        fmt::format("--extrapolate {}: {} has only one value of it, so nothing is higher",
                    source.name, table.source));
  Extrapolation out;
  out.limit = limit.value_or(default_limit(values));
  for (const std::size_t row : rows)
    (source.numbers[row] <= out.limit ? out.split.train : out.split.test).push_back(row);
  if (out.split.train.empty() || out.split.test.empty())
    throw UsageError(fmt::format(
        "--extrapolate {}:{}: {} has values from {} to {}, so one side would have no rows",
        source.name, to_text(out.limit), table.source, to_text(*values.begin()),
        to_text(*values.rbegin())));
  return out;
}

namespace {

/// What `fit --expression auto` fits: the chosen form, with a residual correction if that predicts
/// held-out runs better, averaged with what the runs say without it.
Regressor automatic_form(const ModelSpec& spec, const CompareRequest& request) {
  FitOptions options = request.options;
  options.form = AutomaticOptions{request.sum.signed_terms};
  options.residual = request.loss || request.sum.signed_terms ? Residual::none : Residual::chosen;
  options.penalty = {};
  options.loss = request.loss.value_or(default_loss(options));
  const auto learn = [spec, options](const Design& training) -> LearnedTimes {
    FittedModel model = fit(spec, training, options);
    const auto groups = held_out_groups(training).of_row;
    if (const auto held_out = HeldOutFits::of(model, training, groups, options))
      model.belief = held_out->belief();
    const auto found = std::make_shared<const FittedModel>(std::move(model));
    return {[found](const Design& design) { return predict(*found, design); }, found};
  };
  return {"auto", learn};
}

std::vector<Regressor> models_for(const ModelSpec& spec, const CompareRequest& request) {
  std::vector<Regressor> models;
  FitOptions options = request.options;
  const bool scales = method_of(options) == Method::scaled;
  options.loss = request.loss.value_or(default_loss(options));
  options.penalty.l1 = options.penalty.l2 = 0;
  models.push_back(make_expression("Eq. (4)", spec, options));
  options.penalty.l1 = request.l1;
  models.push_back(make_expression("Eq. (4), L1 " + short_number(request.l1), spec, options));
  options.penalty.l1 = 0;
  options.penalty.l2 = request.l2;
  models.push_back(make_expression("Eq. (4), L2 " + short_number(request.l2), spec, options));
  options.penalty.l2 = 0;
  options.form = request.sum;
  options.loss = request.loss.value_or(default_loss(options));
  if (terms_can_be_chosen(spec))
    models.push_back(make_expression("sum of products", spec, options));
  if (scales) {
    options.form = SumOptions{1, request.sum.signed_terms};
    options.residual = Residual::gp;
    models.push_back(make_expression("product and process", spec, options));
    models.push_back(automatic_form(spec, request));
  }
  models.push_back(make_random_forest(options.seed));
  models.push_back(make_support_vectors(NumericForm::plain));
  models.push_back(make_support_vectors(NumericForm::logarithmic));
  models.push_back(make_gradient_boosting(options.seed));
  std::erase_if(models, [](const Regressor& model) { return !model.fit; });
  return models;
}

/// Fits a model to the training rows and computes its metrics on every part.
ModelScore score_model(const Regressor& model, const PreparedRuns& runs) {
  ModelScore out;
  const auto start = std::chrono::steady_clock::now();
  const LearnedTimes learned = model.fit(runs.training);
  out.fit_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.name = model.name;
  out.file = runs.provenance.file;
  const auto judge = [&](const Design& design) {
    return measure(design, learned.predict(design), out.file + " by " + out.name);
  };
  out.metrics.train = judge(runs.training);
  if (runs.validation)
    out.metrics.validation = judge(*runs.validation);
  if (runs.test)
    out.metrics.test = judge(*runs.test);
  if (learned.expression) {
    for (const auto& input : runs.spec.extrinsic)
      out.columns.push_back(input.column);
    out.scaling_powers = scaling_powers(*learned.expression);
  }
  return out;
}

}  // namespace

std::vector<ModelScore> compare_models(const PreparedRuns& runs, const CompareRequest& request,
                                       const std::function<void(std::size_t, std::size_t)>& done) {
  const std::vector<Regressor> models = models_for(runs.spec, request);
  std::vector<ModelScore> scores;
  for (const Regressor& model : models) {  // each uses all threads
    scores.push_back(score_model(model, runs));
    if (request.options.stop.stop_requested())
      throw Interrupted();
    if (done)
      done(scores.size(), models.size());
  }
  return scores;
}

}  // namespace perfmodel
