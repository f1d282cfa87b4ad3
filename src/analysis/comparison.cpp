#include "analysis/comparison.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "analysis/scaling.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"

namespace perfmodel {
namespace {

std::optional<std::size_t> place_of_scale(const FittedModel& model, const std::string& scale) {
  const auto& inputs = model.spec.extrinsic;
  const auto found = std::ranges::find_if(
      inputs, [&](const NumericInput& input) { return input.column == scale; });
  if (found == inputs.end() || model.spec.is_derived(scale))
    return std::nullopt;
  return static_cast<std::size_t>(found - inputs.begin());
}

}  // namespace

void RankingPlace::see(const FittedModel& model) {
  for (const NumericInput& input : model.spec.extrinsic)
    if (scale.empty() && !model.spec.follows(input.column))
      scale = input.column;
  if (const auto place = place_of_scale(model, scale))
    at = std::max(at, model.spec.extrinsic[*place].high);
}

std::optional<Configuration> RankingPlace::configuration(const FittedModel& model) const {
  const std::optional<Centre> centre = centre_of(model);
  if (!centre)
    return std::nullopt;
  const auto place = place_of_scale(model, scale);
  return place ? MovedConfiguration(model, centre->configuration, *place).at(at)
               : centre->configuration;
}

RankedModel ranked_at(const FittedModel& model, const std::string& scale,
                      std::optional<Configuration> configuration) {
  RankedModel out;
  out.configuration = std::move(configuration);
  if (!out.configuration)
    return out;
  out.time = time_of(model, *out.configuration);
  if (const auto place = place_of_scale(model, scale)) {
    const MovedConfiguration moved(model, *out.configuration, *place);
    const double here = out.configuration->extrinsic[*place];
    const auto time = moved.time_at(here);
    const auto doubled = moved.time_at(2 * here);
    if (time && doubled)
      out.growth = *doubled / *time;
  }
  return out;
}

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

double feature_of(double value, NumericForm form, double zero_unit) {
  if (form == NumericForm::plain)
    return value;
  if (zero_unit > 0)
    return std::log1p(value / zero_unit);
  // A 0 that does not occur in the training rows is far from all of them.
  return std::log(std::max(value, std::numeric_limits<double>::min()));
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
  MatrixXd features = MatrixXd::Zero(static_cast<Index>(design.rows), static_cast<Index>(columns));
  Index column = 0;
  for (const auto* factors : {&design.intrinsic, &design.extrinsic}) {
    for (const NumericFactor& factor : *factors) {
      for (std::size_t row = 0; row < design.rows; ++row) {
        features(static_cast<Index>(row), column) =
            feature_of(factor.value(row), form,
                       zero_units.empty() ? 0 : zero_units[static_cast<std::size_t>(column)]);
      }
      ++column;
    }
  }
  for (const LevelFactor& factor : design.categorical) {
    for (std::size_t row = 0; row < design.rows; ++row)
      features(static_cast<Index>(row), column + static_cast<Index>(factor.codes[row])) = 1;
    column += static_cast<Index>(factor.levels);
  }
  return features;
}

Standardiser::Standardiser(const MatrixXd& rows)
    : mean_(rows.colwise().mean()),
      deviation_((rows.rowwise() - mean_).colwise().squaredNorm().cwiseSqrt() /
                 std::sqrt(static_cast<double>(rows.rows()))) {
  for (double& deviation : deviation_)
    if (deviation == 0)
      deviation = 1;
}

MatrixXd Standardiser::operator()(const MatrixXd& rows) const {
  return (rows.rowwise() - mean_).array().rowwise() / deviation_.array();
}

FloatUnits::FloatUnits(const MatrixXd& rows) : exponents_(rows.cols()) {
  for (Index column = 0; column < rows.cols(); ++column) {
    const double largest = rows.col(column).maxCoeff();
    exponents_[column] = largest > 0 ? std::ilogb(largest) : 0;  // an indicator column may be all 0
  }
}

MatrixXd FloatUnits::operator()(const MatrixXd& rows) const {
  constexpr double largest = std::numeric_limits<float>::max();
  MatrixXd out(rows.rows(), rows.cols());
  for (Index column = 0; column < rows.cols(); ++column)
    for (Index row = 0; row < rows.rows(); ++row)
      out(row, column) = std::min(std::ldexp(rows(row, column), -exponents_[column]), largest);
  return out;
}

namespace {

class ExpressionRegressor final : public Regressor {
 public:
  ExpressionRegressor(std::string name, const ModelSpec& spec, const FitOptions& options)
      : name_(std::move(name)), spec_(spec), options_(options) {}

  std::string name() const override { return name_; }
  void fit(const Design& training) override { model_ = perfmodel::fit(spec_, training, options_); }
  Eigen::VectorXd predict(const Design& design) const override {
    return perfmodel::predict(model_, design);
  }
  const FittedModel* expression() const override { return &model_; }

 private:
  std::string name_;
  ModelSpec spec_;
  FitOptions options_;
  FittedModel model_;
};

}  // namespace

std::unique_ptr<Regressor> make_expression(std::string name, const ModelSpec& spec,
                                           const FitOptions& options) {
  return std::make_unique<ExpressionRegressor>(std::move(name), spec, options);
}

namespace {

constexpr double kTrainingShare = 0.6;  // of the distinct values

double default_limit(const std::set<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double kept = std::min(std::ceil(kTrainingShare * count), count - 1);
  return *std::next(values.begin(), static_cast<std::ptrdiff_t>(kept) - 1);
}

}  // namespace

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

}  // namespace perfmodel
