#include "fit/canonical_order.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "base/text.hpp"
#include "columns/replicates.hpp"
#include "table/table.hpp"

namespace perfmodel {

namespace {

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

ColumnOrder columns_by_content(const ModelSpec& spec, const Design& training) {
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

Configuration restored(const Configuration& configuration, const ColumnOrder& order) {
  std::vector<std::uint32_t> levels = configuration.levels;
  for (std::size_t c = 0; c < levels.size(); ++c)
    levels[c] = static_cast<std::uint32_t>(order.levels[c][levels[c]]);
  return {put_back(configuration.intrinsic, order.intrinsic), put_back(levels, order.categorical),
          put_back(configuration.extrinsic, order.extrinsic)};
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

/// `origin`: per canonical constant its index among those of the given spec.
Identifiability restored(Identifiability known, const FittedModel& model, const CanonicalRuns& runs,
                         const std::vector<std::size_t>& origin,
                         const std::vector<ConstantDifference>& differences) {
  known.constants = put_back(known.constants, origin);
  if (!known.at_bound.empty())
    known.at_bound = put_back(known.at_bound, origin);
  if (!known.scaling_powers.empty())
    known.scaling_powers = put_back(known.scaling_powers, runs.order.extrinsic);
  std::vector<bool> of_constant(origin.size());
  for (std::size_t d = 0; d < known.differences.size(); ++d)
    of_constant[origin[differences[d].constant]] = known.differences[d];
  const std::vector<ConstantDifference> restored_ones = model.form->differences(runs.given);
  for (std::size_t d = 0; d < known.differences.size(); ++d)
    known.differences[d] = of_constant[restored_ones[d].constant];
  return known;
}

/// The canonical order is meaningless to readers: warnings of one kind are sorted by their text.
void sort_within_kinds(std::vector<Warning>& warnings) {
  for (auto begin = warnings.begin(); begin != warnings.end();) {
    const auto end = std::find_if(
        begin, warnings.end(), [&](const Warning& warning) { return warning.kind != begin->kind; });
    std::stable_sort(begin, end, [](const Warning& a, const Warning& b) {
      return std::pair(a.constant, a.message) < std::pair(b.constant, b.message);
    });
    begin = end;
  }
}

}  // namespace

std::vector<std::size_t> canonical_rows(const Design& design) {
  // Few rows have equal times, which therefore stand beside the rows to be sorted.
  std::vector<std::pair<double, std::size_t>> keyed(design.rows);
  for (std::size_t row = 0; row < design.rows; ++row)
    keyed[row] = {design.time[index(row)], row};
  const auto place = [&](std::size_t row) {
    return std::pair(design.limit.size() > 0 ? design.limit[index(row)] : 0.0, row);
  };
  std::ranges::sort(keyed, [&](const auto& a, const auto& b) {
    if (a.first != b.first)
      return a.first < b.first;
    const auto inputs = by_inputs(design, a.second, b.second);
    return inputs != 0 ? inputs < 0 : place(a.second) < place(b.second);
  });
  return mapped(keyed, &std::pair<double, std::size_t>::second);
}

CanonicalRuns canonical(const ModelSpec& spec, const Design& training) {
  CanonicalRuns out{spec, training, columns_by_content(spec, training), spec};
  const ColumnOrder& order = out.order;
  const auto sort = [&](auto& columns) {
    columns.intrinsic = taken(columns.intrinsic, order.intrinsic);
    columns.categorical = taken(columns.categorical, order.categorical);
    columns.extrinsic = taken(columns.extrinsic, order.extrinsic);
  };
  sort(out.spec);
  sort(out.training);
  for (std::size_t c = 0; c < order.levels.size(); ++c) {
    CategoricalInput& input = out.spec.categorical[c];
    input.levels = taken(input.levels, order.levels[c]);
    input.shown = put_back(indices(input.levels.size()), order.levels[c]);
    for (std::uint32_t& code : out.training.categorical[c].codes)
      code = static_cast<std::uint32_t>(input.shown[code]);
  }
  out.training = take_rows(out.training, canonical_rows(out.training));
  return out;
}

FittedModel restored(FittedModel model, const CanonicalRuns& runs) {
  const std::vector<ConstantInfo> constants = model.form->constants(runs.spec);
  const std::vector<ConstantDifference> differences = model.form->differences(runs.spec);
  model.form = model.form->reordered(runs.order);
  const std::vector<std::size_t> origin = places_in(model.form->constants(runs.given), constants);
  model.constants = put_back(model.constants, origin);
  if (model.typical)
    model.typical = restored(*model.typical, runs.order);
  if (auto& known = model.known.identifiability)
    known = restored(*std::move(known), model, runs, origin, differences);
  sort_within_kinds(model.warnings);
  std::vector<NumericInput> intrinsic = put_back(model.spec.intrinsic, runs.order.intrinsic);
  model.spec = runs.given;
  model.spec.intrinsic = std::move(intrinsic);  // the fit chooses how a 0 enters products
  return model;
}

}  // namespace perfmodel
