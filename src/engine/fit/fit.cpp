#include "fit/fit.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "choice/fit_sum.hpp"
#include "choice/fit_with_gp.hpp"
#include "choice/form_choice.hpp"
#include "fit/censored.hpp"
#include "fit/fit_from_prior.hpp"
#include "forms/eq4_form.hpp"
#include "forms/fit_options.hpp"
#include "forms/gp_form.hpp"
#include "forms/own_form.hpp"
#include "forms/sum_form.hpp"
#include "own/fit_own.hpp"
#include "perfmodel/error.hpp"
#include "search/global_search.hpp"
#include "search/losses.hpp"
#include "table/table.hpp"

namespace perfmodel {

namespace {

/// Reads, or describes, a form by one of its kind without constants.
template <class FormOfModel>
void read_as(Fields& f, FittedModel& model) {
  FormOfModel().describe_constants(f, model);
}

std::vector<std::uint32_t> codes_of(const NumericFactor& factor, std::size_t rows) {
  std::vector<double> values;
  for (std::size_t row = 0; !factor.coded() && row < rows; ++row)
    values.push_back(factor.value(row));
  return factor.coded() ? factor.codes : ranks_of(values);
}

/// A sort key that separates columns with equal order of values, such as a width and its square:
/// mean weighted by time, as a share of the largest value. Coarse, lest rounding decides.
double place_of(const NumericFactor& factor, const Design& runs) {
  double sum = 0;
  double most = 0;
  double weights = 0;
  for (std::size_t row = 0; row < runs.rows; ++row) {
    const double weight = runs.time[index(row)];
    sum += weight * factor.value(row);
    most = std::max(most, std::abs(factor.value(row)));
    weights += weight;
  }
  return most > 0 ? std::floor(1e6 / std::numbers::pi * sum / (most * weights)) : 0;
}

double place_of(const LevelFactor&, const Design&) {
  return 0;
}

/// Indices 0, ..., count - 1, sorted by key.
template <class Key>
std::vector<std::size_t> sorted_by(std::size_t count, const Key& key) {
  std::vector<std::pair<decltype(key(0)), std::size_t>> keyed;
  for (std::size_t i = 0; i < count; ++i)
    keyed.emplace_back(key(i), i);
  std::ranges::sort(keyed);
  std::vector<std::size_t> out;
  for (const auto& [own, place] : keyed)
    out.push_back(place);
  return out;
}

ColumnOrder order_of(const ModelSpec& spec, const Design& training) {
  std::vector<std::vector<std::uint32_t>> codes = mapped(training.categorical, &LevelFactor::codes);
  for (const auto* factors : {&training.intrinsic, &training.extrinsic})
    for (const NumericFactor& factor : *factors)
      codes.push_back(codes_of(factor, training.rows));
  ContentColours colours = content_colours({training.time.begin(), training.time.end()}, codes);
  auto own = colours.columns.begin();
  const auto ordered = [&](const auto& inputs, const auto& factors) {
    const auto first = std::exchange(own, own + static_cast<std::ptrdiff_t>(inputs.size()));
    return sorted_by(inputs.size(), [&](std::size_t i) {
      return std::tuple(first[static_cast<std::ptrdiff_t>(i)], place_of(factors[i], training),
                        std::string_view(inputs[i].column));
    });
  };
  ColumnOrder out;
  out.categorical = ordered(spec.categorical, training.categorical);
  out.intrinsic = ordered(spec.intrinsic, training.intrinsic);
  out.extrinsic = ordered(spec.extrinsic, training.extrinsic);
  for (const std::size_t column : out.categorical) {
    std::vector<std::uint64_t>& levels = colours.values[column];
    levels.resize(spec.categorical[column].levels.size());
    out.levels.push_back(sorted_by(levels.size(), [&](std::size_t l) { return levels[l]; }));
  }
  return out;
}

/// Sorts by time, then by the inputs, since few rows have equal times.
std::vector<std::size_t> rows_by_content(const Design& design) {
  std::vector<std::pair<double, std::size_t>> order(design.rows);
  for (std::size_t row = 0; row < design.rows; ++row)
    order[row] = {design.time[index(row)], row};
  const auto before = [&](std::size_t a, std::size_t b) {
    for (const auto* factors : {&design.intrinsic, &design.extrinsic}) {
      for (const NumericFactor& factor : *factors)
        if (factor.value(a) != factor.value(b))
          return factor.value(a) < factor.value(b);
    }
    for (const LevelFactor& factor : design.categorical)
      if (factor.codes[a] != factor.codes[b])
        return factor.codes[a] < factor.codes[b];
    const auto limit = [&](std::size_t row) {
      return design.limit.size() > 0 ? design.limit[index(row)] : 0.0;
    };
    return std::pair(limit(a), a) < std::pair(limit(b), b);
  };
  std::ranges::sort(order, [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : before(a.second, b.second);
  });
  std::vector<std::size_t> out;
  out.reserve(design.rows);
  for (const auto& [time, row] : order)
    out.push_back(row);
  return out;
}

/// Per constant its index among those of the same form with another order of columns. Names alone
/// are ambiguous: 'a[x=y]' may be of a column 'x=y'.
std::vector<std::size_t> places_in(const std::vector<ConstantInfo>& all,
                                   const std::vector<ConstantInfo>& constants) {
  const auto key = [](const ConstantInfo& info) {
    return std::tuple(info.role, std::string_view(info.level), std::string_view(info.name));
  };
  std::map<decltype(key(all.front())), std::size_t> places;
  for (std::size_t k = 0; k < all.size(); ++k)
    places.emplace(key(all[k]), k);
  return mapped(constants, [&](const ConstantInfo& info) { return places.at(key(info)); });
}

/// Throws InputError if inputs far from 1 led to results beyond the range of double.
void require_finite(const FittedModel& model) {
  const Metrics& metrics = model.known.metrics.train;
  if (!model.constants.allFinite() || !std::isfinite(metrics.mse) ||
      !std::isfinite(metrics.mape_percent) || !std::isfinite(model.search.cost) ||
      !std::isfinite(model.search.gap))
    throw InputError(numbers_out_of_range());
}

FittedModel fit_form(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  if (options.expression == Expression::automatic)
    return fit_auto(spec, training, options);
  const std::vector<FormKind>& kinds = form_kinds();
  const std::string_view name =
      options.residual == Residual::none ? to_text(options.expression) : to_text(options.residual);
  const auto kind = std::ranges::find(kinds, name, &FormKind::name);
  return kind->fit(spec, training, options);
}

}  // namespace

const std::vector<FormKind>& form_kinds() {
  static const std::vector<FormKind> kinds = {
      {to_text(Expression::eq4), fit_eq4, read_as<Eq4Form>},
      {to_text(Expression::sum), fit_sum, read_as<SumForm>},
      {to_text(Expression::formula), fit_own, read_as<OwnForm>},
      {to_text(Residual::gp), fit_with_gp, GpForm::read}};
  return kinds;
}

CanonicalOrder::CanonicalOrder(const ModelSpec& spec, const Design& training)
    : given_(spec), columns_(order_of(spec, training)), spec_(spec) {
  spec_.intrinsic = taken(spec.intrinsic, columns_.intrinsic);
  spec_.categorical = taken(spec.categorical, columns_.categorical);
  spec_.extrinsic = taken(spec.extrinsic, columns_.extrinsic);
  for (std::size_t c = 0; c < columns_.levels.size(); ++c) {
    std::vector<std::size_t> places(columns_.levels[c].size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    spec_.categorical[c].levels = taken(spec_.categorical[c].levels, columns_.levels[c]);
    spec_.categorical[c].shown = put_back(places, columns_.levels[c]);
  }
  Design ordered = training;
  ordered.intrinsic = taken(training.intrinsic, columns_.intrinsic);
  ordered.categorical = taken(training.categorical, columns_.categorical);
  ordered.extrinsic = taken(training.extrinsic, columns_.extrinsic);
  for (std::size_t c = 0; c < ordered.categorical.size(); ++c)
    for (std::uint32_t& code : ordered.categorical[c].codes)
      code = static_cast<std::uint32_t>(spec_.categorical[c].shown[code]);
  training_ = take_rows(ordered, rows_by_content(ordered));
}

FittedModel CanonicalOrder::restored(FittedModel model) const {
  const std::vector<ConstantInfo> constants = model.form->constants(spec_);
  const std::vector<ConstantDifference> differences = model.form->differences(spec_);
  model.form = model.form->reordered(columns_);
  const std::vector<std::size_t> origin = places_in(model.form->constants(given_), constants);
  model.constants = put_back(model.constants, origin);
  if (model.typical)
    model.typical = restored(*model.typical);
  if (model.known.identifiability) {
    Identifiability& known = *model.known.identifiability;
    known.constants = put_back(known.constants, origin);
    if (!known.at_bound.empty())
      known.at_bound = put_back(known.at_bound, origin);
    if (!known.scaling_powers.empty())
      known.scaling_powers = put_back(known.scaling_powers, columns_.extrinsic);
    std::vector<bool> of_constant(constants.size());
    for (std::size_t d = 0; d < known.differences.size(); ++d)
      of_constant[origin[differences[d].constant]] = known.differences[d];
    const std::vector<ConstantDifference> restored_ones = model.form->differences(given_);
    for (std::size_t d = 0; d < known.differences.size(); ++d)
      known.differences[d] = of_constant[restored_ones[d].constant];
  }
  // The canonical order is meaningless to readers: warnings of one kind are sorted by their text.
  for (auto begin = model.warnings.begin(); begin != model.warnings.end();) {
    const auto end = std::find_if(
        begin, model.warnings.end(),
        [&](const Warning& warning) { return warning.kind != begin->kind; });
    std::stable_sort(begin, end, [](const Warning& a, const Warning& b) {
      return std::pair(a.constant, a.message) < std::pair(b.constant, b.message);
    });
    begin = end;
  }
  std::vector<NumericInput> intrinsic = put_back(model.spec.intrinsic, columns_.intrinsic);
  model.spec = given_;
  model.spec.intrinsic = std::move(intrinsic);  // the fit chooses how a 0 enters products
  return model;
}

Configuration CanonicalOrder::restored(const Configuration& configuration) const {
  std::vector<std::uint32_t> levels = configuration.levels;
  for (std::size_t c = 0; c < levels.size(); ++c)
    levels[c] = static_cast<std::uint32_t>(columns_.levels[c][levels[c]]);
  return {put_back(configuration.intrinsic, columns_.intrinsic),
          put_back(levels, columns_.categorical),
          put_back(configuration.extrinsic, columns_.extrinsic)};
}

FittedModel fit(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  require_fitted_range(training);
  if (options.prior) {
    FittedModel adapted =
        fit_from_prior(spec, take_rows(training, rows_by_content(training)), options);
    require_finite(adapted);
    return adapted;
  }
  if (options.quantile && options.residual == Residual::none && !is_absolute(options.loss))
    throw UsageError(
        fmt::format("{0} needs {1} mae or {1} mape: a bound minimises weighted absolute errors",
                    spelled("quantile"), spelled("loss")));
  const CanonicalOrder runs(spec, training);
  FittedModel model = runs.restored(
      has_cut_runs(training) ? fit_censored(runs.spec(), runs.training(), options, fit_form)
                             : fit_form(runs.spec(), runs.training(), options));
  require_finite(model);
  return model;
}

}  // namespace perfmodel
