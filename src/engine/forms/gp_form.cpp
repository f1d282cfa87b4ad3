#include "forms/gp_form.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "columns/spec.hpp"
#include "forms/eq4_form.hpp"
#include "forms/own_form.hpp"
#include "forms/sum_form.hpp"

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

void describe(Fields& f, GpNumber& x) {
  f("column", x.column, "a numeric input");
  f("form", x.coordinate.form, "f(x): ln x, ln(1 + x / `unit`), or 1 - 1 / x");
  f("unit", x.coordinate.unit, "of f", kPositive);
  f("centre", x.coordinate.centre, "u = round(2^30 (f(x) - `centre`) / `scale`) / 2^30");
  f("scale", x.coordinate.scale, "of the coordinate u", kPositive);
  f("inverse_length", x.inverse_length, "of the correlation", kPositive);
  f("share", x.share, "of the correlation that remains far away", kShare);
  f("values", x.values, "distinct coordinates");
  f("codes", x.codes, "of each known configuration the position in `values`, from 0");
  auto most = std::isfinite(x.coordinate.most) ? std::optional(x.coordinate.most) : std::nullopt;
  f("most", most, "a larger number counts as this: the formula says the same beyond it",
    kSparse | kPositive);
  if (f.reads() && most)
    x.coordinate.most = *most;
}

void describe(Fields& f, GpLevels& x) {
  f("column", x.column, "an input with levels");
  f("rate", x.rate, "of the correlation", kPositive);
  f("codes", x.codes, "of each known configuration the position in the column's levels, from 0");
}

void check_size(const JsonCursor& node, Index rows) {
  if (index(node.items().size()) != rows)
    node.fail(fmt::format("expected {} numbers, one per known configuration", rows));
}

void check_codes(const JsonCursor& node, Index rows, std::size_t end) {
  check_size(node, rows);
  for (const JsonCursor& item : node.items())
    if (item.count() >= end)
      item.fail(fmt::format("there are only {} values", end));
}

namespace {

/// A GP that is read from a file.
struct ReadGp {
  gp::GaussianProcess gp;
  GpColumns columns;
};

std::vector<GpNumber> numbers_of(const gp::GaussianProcess& gp, const GpColumns& columns,
                                 const ModelSpec& spec) {
  const gp::CodedInputs coded(gp.inputs);
  std::vector<GpNumber> out;
  for (std::size_t j = 0; j < coded.numbers.size(); ++j) {
    const gp::CodedColumn& column = coded.numbers[j];
    out.push_back({columns.number(spec, j).column,
                   gp.coordinates[j],
                   gp.kernel.inverse_lengths[index(j)],
                   gp.kernel.shares[index(j)],
                   column.values,
                   {column.codes.begin(), column.codes.end()}});
  }
  return out;
}

std::vector<GpLevels> levels_of(const gp::GaussianProcess& gp, const GpColumns& columns,
                                const ModelSpec& spec) {
  std::vector<GpLevels> out;
  for (Index j = 0; j < gp.inputs.levels.cols(); ++j) {
    const auto codes = gp.inputs.levels.col(j);
    out.push_back({spec.categorical[columns.categorical[static_cast<std::size_t>(j)]].column,
                   gp.kernel.rates[j],
                   {codes.begin(), codes.end()}});
  }
  return out;
}

bool is_each_once(std::vector<std::size_t> places, std::size_t count) {
  std::sort(places.begin(), places.end());
  return places.size() == count && std::adjacent_find(places.begin(), places.end()) == places.end();
}

void put_number(const JsonCursor& node, const GpNumber& number, std::size_t j,
                const ModelSpec& spec, ReadGp& out) {
  if (const auto place = place_of_input(spec.intrinsic, number.column)) {
    if (!out.columns.extrinsic.empty())
      node.member("column").fail("intrinsic columns stand before extrinsic ones");
    out.columns.intrinsic.push_back(*place);
  } else if (const auto scale = place_of_input(spec.extrinsic, number.column)) {
    out.columns.extrinsic.push_back(*scale);
  } else {
    node.member("column").fail(fmt::format("'{}' is no numeric input of the model", number.column));
  }
  gp::GaussianProcess& gp = out.gp;
  gp.coordinates.push_back(number.coordinate);
  gp.kernel.inverse_lengths[index(j)] = number.inverse_length;
  gp.kernel.shares[index(j)] = number.share;
  check_codes(node.member("codes"), gp.runs.size(), static_cast<std::size_t>(number.values.size()));
  for (std::size_t row = 0; row < number.codes.size(); ++row)
    gp.inputs.numbers(index(row), index(j)) = number.values[index(number.codes[row])];
}

void put_levels(const JsonCursor& node, const GpLevels& levels, std::size_t j,
                const ModelSpec& spec, ReadGp& out) {
  const auto place = place_of_input(spec.categorical, levels.column);
  if (!place)
    node.member("column").fail(
        fmt::format("'{}' is no categorical input of the model", levels.column));
  out.columns.categorical.push_back(*place);
  out.gp.kernel.rates[index(j)] = levels.rate;
  check_codes(node.member("codes"), out.gp.runs.size(), spec.categorical[*place].levels.size());
  for (std::size_t row = 0; row < levels.codes.size(); ++row)
    out.gp.inputs.levels(index(row), index(j)) = static_cast<std::uint32_t>(levels.codes[row]);
}

/// Throws InputError if fields contradict each other or the inputs of the spec.
void put_columns(const JsonCursor& node, const std::vector<GpNumber>& numbers,
                 const std::vector<GpLevels>& levels, const ModelSpec& spec, ReadGp& out) {
  gp::GaussianProcess& gp = out.gp;
  const Index rows = gp.runs.size();
  if (rows == 0 || !(gp.runs.array() > 0).all())
    node.member("runs").fail("expected numbers of runs, above 0 each");
  check_size(node.member("residual"), rows);
  if (gp.neighbours == 0)
    check_size(node.member("weights"), rows);
  gp.inputs.numbers.resize(rows, index(numbers.size()));
  gp.kernel.inverse_lengths.resize(index(numbers.size()));
  gp.kernel.shares.resize(index(numbers.size()));
  for (std::size_t j = 0; j < numbers.size(); ++j)
    put_number(node.member("numbers").items()[j], numbers[j], j, spec, out);
  gp.inputs.levels.resize(rows, index(levels.size()));
  gp.kernel.rates.resize(index(levels.size()));
  for (std::size_t j = 0; j < levels.size(); ++j)
    put_levels(node.member("levels").items()[j], levels[j], j, spec, out);
  if (!is_each_once(out.columns.intrinsic, spec.intrinsic.size()) ||
      !is_each_once(out.columns.extrinsic, spec.extrinsic.size()) ||
      !is_each_once(out.columns.categorical, spec.categorical.size()))
    node.fail("expected every input of the model once");
}

/// Reads or writes the field `process` of the constants, which suffices for predictions. `known`:
/// the GP to write.
void describe_gp(Fields& f, const KnownGp* known, const ModelSpec& spec, ReadGp& out) {
  gp::GaussianProcess& gp = out.gp;
  std::vector<GpNumber> numbers;
  std::vector<GpLevels> levels;
  if (known != nullptr) {
    gp = known->gp;
    gp.near_variance = known->near_variance;
    numbers = numbers_of(gp, out.columns, spec);
    levels = levels_of(gp, out.columns, spec);
  }
  f("variance", gp.kernel.variance, "of z", kPositive);
  f("noise", gp.kernel.noise, "variance of one run about formula and z", kPositive);
  f("near_variance", gp.near_variance,
    "what of `variance` is left at 19 in 20 of the known configurations given all others: where "
    "more is left, no run is near",
    kNewer | kPositive);
  f("centre", known != nullptr ? known->centre : 0., "the mean of z over the known configurations");
  f("neighbours", gp.neighbours,
    "0: z is exact; else each prediction is from so many known configurations");
  f("numbers", numbers, "the numeric inputs");
  f("levels", levels, "the inputs with levels");
  f("runs", gp.runs,
    "of each known configuration the number of its runs; under noise of Student's t what they "
    "count for, an outlier for little");
  f("residual", gp.residual,
    "of each the (weighted) mean of ln(time) less that of the trend, plus `centre`, which is part "
    "of the trend");
  f("weights", gp.weights, "of each; where `neighbours` is 0", only_if(gp.neighbours == 0));
  if (f.reads())
    put_columns(f.node(), numbers, levels, spec, out);
}

/// The forms that can be the trend of a GP.
enum class Trend { eq4, sum, formula };

constexpr auto texts_of(Trend) {
  return std::to_array<EnumText<Trend>>({{Trend::eq4, to_text(Expression::eq4)},
                                         {Trend::sum, to_text(Expression::sum)},
                                         {Trend::formula, to_text(Expression::formula)}});
}

Trend trend_of(const Form& form) {
  for (const auto& [trend, text] : texts_of(Trend{}))
    if (text == form.name())
      return trend;
  return Trend::eq4;
}

void describe_gp_fields(Fields& f, const Form* trend, const KnownGp* known,
                        const FittedModel& model, ReadGp& gp) {
  Trend kind = trend != nullptr ? trend_of(*trend) : Trend::eq4;
  f("trend", kind, "the form of the formula, whose fields stand beside this one");
  f.object("process", "z of t = trend * exp(z - `centre`)",
           [&](Fields& inner) { describe_gp(inner, known, model.spec, gp); });
}

}  // namespace

void GpForm::describe_constants(Fields& f, FittedModel& model) const {
  trend_->describe_constants(f, model);
  ReadGp gp{{}, columns_};
  describe_gp_fields(f, trend_.get(), known_.get(), model, gp);
}

void GpForm::read(Fields& f, FittedModel& model) {
  // Unless `f` reads, the form of the model is already its trend.
  Trend trend = trend_of(*model.form);
  if (f.reads())
    f.read(f.node().member("trend"), trend);
  if (trend == Trend::formula)
    OwnForm().describe_constants(f, model);
  else if (trend == Trend::sum)
    SumForm().describe_constants(f, model);
  else
    Eq4Form().describe_constants(f, model);
  ReadGp found;
  describe_gp_fields(f, nullptr, nullptr, model, found);
  if (!f.reads())
    return;
  model.form = std::make_shared<GpForm>(
      model.form, std::move(found.columns),
      std::make_shared<const KnownGp>(std::move(found.gp), processor_count()), GpPrior{});
}

}  // namespace perfmodel
