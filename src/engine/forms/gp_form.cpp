#include "forms/gp_form.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {
namespace {

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

/// Lower bound of near_variance relative to the GP's variance: rounding may give 0 if runs are
/// nearly equal.
constexpr double kLeastNear = 1e-12;

/// z at the known configurations: the residual minus the noise. With neighbours, the noise of
/// single configurations is unknown and not subtracted.
VectorXd known_z(const gp::GaussianProcess& gp) {
  if (gp.neighbours > 0)
    return gp.residual;
  return gp.residual.array() - gp.kernel.noise * gp.weights.array() / gp.runs.array();
}

double mean_z(const gp::GaussianProcess& gp) {
  const VectorXd z = known_z(gp);
  return gp.neighbours > 0 ? gp.runs.dot(z) / gp.runs.sum() : z.mean();
}

/// One by one: vectorised exponentials round the elements of the last, incomplete vector
/// differently.
VectorXd factors(const VectorXd& z) {
  return z.unaryExpr([](double value) { return std::exp(value); });
}

gp::CodedInputs coded_places(const gp::GaussianProcess& gp, const GpColumns& columns,
                             const Design& design) {
  return gp::CodedInputs(gp::placed(columns.inputs(design), gp.coordinates));
}

}  // namespace

GpColumns GpColumns::of(const ModelSpec& spec) {
  return {first(spec.intrinsic.size()), first(spec.extrinsic.size()),
          first(spec.categorical.size())};
}

GpColumns GpColumns::reordered(const ColumnOrder& order) const {
  return {taken(order.intrinsic, intrinsic), taken(order.extrinsic, extrinsic),
          taken(order.categorical, categorical)};
}

const NumericInput& GpColumns::number(const ModelSpec& spec, std::size_t i) const {
  return i < intrinsic.size() ? spec.intrinsic[intrinsic[i]]
                              : spec.extrinsic[extrinsic[i - intrinsic.size()]];
}

gp::Inputs GpColumns::inputs(const Design& design) const {
  gp::Inputs out{.numbers = MatrixXd(index(design.rows), index(numbers())),
                 .levels = gp::Levels(index(design.rows), index(categorical.size()))};
  Index column = 0;
  const auto put = [&](const NumericFactor& factor) {
    for (std::size_t row = 0; row < design.rows; ++row)
      out.numbers(index(row), column) = factor.value(row);
    ++column;
  };
  for (const std::size_t i : intrinsic)
    put(design.intrinsic[i]);
  for (const std::size_t j : extrinsic)
    put(design.extrinsic[j]);
  for (std::size_t c = 0; c < categorical.size(); ++c) {
    const std::vector<std::uint32_t>& codes = design.categorical[categorical[c]].codes;
    for (std::size_t row = 0; row < design.rows; ++row)
      out.levels(index(row), index(c)) = codes[row];
  }
  return out;
}

Design GpColumns::design(const gp::Inputs& inputs, const ModelSpec& spec) const {
  Design out;
  out.rows = static_cast<std::size_t>(inputs.rows());
  out.intrinsic.resize(spec.intrinsic.size());
  out.extrinsic.resize(spec.extrinsic.size());
  for (const CategoricalInput& input : spec.categorical)
    out.categorical.push_back({.levels = input.levels.size(), .codes = {}});
  for (std::size_t j = 0; j < numbers(); ++j) {
    const auto column = inputs.numbers.col(index(j));
    NumericFactor& factor = j < intrinsic.size() ? out.intrinsic[intrinsic[j]]
                                                 : out.extrinsic[extrinsic[j - intrinsic.size()]];
    factor.values.assign(column.begin(), column.end());
  }
  for (std::size_t c = 0; c < categorical.size(); ++c) {
    const auto column = inputs.levels.col(index(c));
    out.categorical[categorical[c]].codes.assign(column.begin(), column.end());
  }
  return out;
}

KnownGp::KnownGp(gp::GaussianProcess of, std::size_t with_threads)
    : gp(std::move(of)),
      predictor(gp),
      near_variance(std::max(gp.near_variance > 0 ? gp.near_variance : predictor.near_variance(),
                             kLeastNear * gp.kernel.variance)),
      threads(with_threads),
      centre(mean_z(gp)) {}

std::shared_ptr<const gp::Prediction> KnownGp::predicted(gp::Inputs rows, bool deviations) const {
  {
    const std::scoped_lock lock(guard_);
    for (const auto& [asked, answer] : last_)
      if (answer && (!deviations || answer->deviation.size() > 0) && asked == rows)
        return answer;
  }
  // From neighbours, the deviation hardly takes longer than the search for them.
  auto found = std::make_shared<const gp::Prediction>(
      predictor.predicted(rows, deviations || gp.neighbours > 0, threads));
  const std::scoped_lock lock(guard_);
  last_[1] = std::exchange(last_[0], {std::move(rows), found});
  return found;
}

GpForm::GpForm(std::shared_ptr<const Form> trend, GpColumns columns,
               std::shared_ptr<const KnownGp> known, GpPrior prior)
    : trend_(std::move(trend)),
      columns_(std::move(columns)),
      known_(std::move(known)),
      prior_(prior) {}

FormWords GpForm::words() const {
  FormWords out = trend_->words();
  out.noun += " with a residual correction";
  out.title += ", with a residual correction";
  out.share_caption +=
      " Percentages are of the formula's prediction, which the correction then corrects.";
  out.scaled_part = "the formula, without the correction,";
  return out;
}

VectorXd GpForm::mean(const Design& design) const {
  return known_->predicted(columns_.inputs(design), false)->mean.array() - known_->centre;
}

std::string_view GpForm::name() const {
  return to_text(Residual::gp);
}

std::vector<ConstantInfo> GpForm::constants(const ModelSpec& spec) const {
  return trend_->constants(spec);
}

std::vector<std::string> GpForm::groups(const ModelSpec& spec) const {
  return trend_->groups(spec);
}

VectorXd GpForm::predict(const ModelSpec& spec, const VectorXd& constants,
                         const Design& design) const {
  return trend_->predict(spec, constants, design).cwiseProduct(factors(mean(design)));
}

MatrixXd GpForm::log_slopes(const ModelSpec& spec, const VectorXd& constants,
                            const Design& design) const {
  return trend_->log_slopes(spec, constants, design);
}

std::shared_ptr<const Form> GpForm::multiplied(double factor) const {
  auto trend = trend_->multiplied(factor);
  return trend ? std::make_shared<GpForm>(std::move(trend), columns_, known_, prior_) : nullptr;
}

std::optional<VectorXd> GpForm::gp_factors(const Design& design) const {
  return factors(mean(design));
}

std::optional<GpReach> GpForm::gp_reach(const ModelSpec& spec, const VectorXd& constants,
                                        const Design& design) const {
  const auto gone = depends_beyond(*trend_, spec, constants, design);
  const gp::Kernel& kernel = known_->gp.kernel;
  const gp::Inputs inputs = columns_.inputs(design);
  const ArrayXd variances = known_->predicted(inputs, true)->deviation.array().square();
  GpReach out;
  for (Index row = 0; row < variances.size(); ++row)
    out.near.push_back(!gone[row] && variances[row] <= known_->near_variance &&
                       is_within_clamps(inputs.numbers.row(row)));
  out.deviations = (variances + kernel.noise).sqrt();
  return out;
}

bool GpForm::is_within_clamps(const VectorXd& numbers) const {
  const auto& coordinates = known_->gp.coordinates;
  for (std::size_t j = 0; j < coordinates.size(); ++j)
    if (numbers[index(j)] > coordinates[j].most)
      return false;
  return true;
}

std::vector<TimePart> GpForm::parts(const ModelSpec& spec, const VectorXd& constants,
                                    const std::function<std::string(std::size_t)>& mark) const {
  return trend_->parts(spec, constants, mark);
}

std::vector<double> GpForm::shares(const ModelSpec& spec, const VectorXd& constants,
                                   const Design& design) const {
  return trend_->shares(spec, constants, design);
}

std::vector<double> GpForm::scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                           const Configuration* at) const {
  std::vector<double> out = trend_->scaling_powers(spec, constants, at);
  const double rest = trend_->unscaled_time(constants);
  if (rest == 0)
    return out;
  const double time = trend_->predict(spec, constants, design_of(*at, spec))[0];
  for (double& power : out)
    power *= (time - rest) / time;
  return out;
}

std::string GpForm::formula(const ModelSpec& spec, const VectorXd& constants) const {
  const std::string trend = trend_->formula(spec, constants);
  const std::size_t right = trend.find(" = ") + 3;
  return trend.substr(0, right) + "(" + trend.substr(right) + ") * exp(z)";
}

std::shared_ptr<const Form> GpForm::reordered(const ColumnOrder& order) const {
  gp::GaussianProcess gp = known_->gp;
  gp.near_variance = known_->near_variance;
  for (std::size_t c = 0; c < columns_.categorical.size(); ++c)
    for (std::uint32_t& code : gp.inputs.levels.col(index(c)))
      code = static_cast<std::uint32_t>(order.levels[columns_.categorical[c]][code]);
  return std::make_shared<GpForm>(trend_->reordered(order), columns_.reordered(order),
                                  std::make_shared<const KnownGp>(std::move(gp), known_->threads),
                                  prior_);
}

std::size_t GpForm::constants_in_use(const FittedModel& model) const {
  FittedModel of_trend = model;
  of_trend.form = trend_;
  return trend_->constants_in_use(of_trend);
}

std::optional<GpBelief> GpForm::gp_belief(const ModelSpec& spec) const {
  const gp::GaussianProcess& gp = known_->gp;
  gp::Inputs values = gp.inputs;
  for (Index j = 0; j < values.numbers.cols(); ++j)
    for (double& value : values.numbers.col(j))
      value = gp.coordinates[static_cast<std::size_t>(j)].value(value);
  GpBelief out;
  out.covariance = [known = known_, columns = columns_](const Design& a, const Design& b) {
    const gp::GaussianProcess& of = known->gp;
    return MatrixXd(of.kernel.variance * correlations(of.kernel, coded_places(of, columns, a),
                                                      coded_places(of, columns, b)));
  };
  out.noise = gp.kernel.noise;
  out.near_variance = known_->near_variance;
  out.known = columns_.design(values, spec);
  out.runs = gp.runs;
  out.most.resize(columns_.numbers());
  for (std::size_t j = 0; j < out.most.size(); ++j) {
    const std::size_t intrinsic = columns_.intrinsic.size();
    out.most[j < intrinsic ? columns_.intrinsic[j]
                           : intrinsic + columns_.extrinsic[j - intrinsic]] =
        gp.coordinates[j].most;
  }
  return out;
}

}  // namespace perfmodel
