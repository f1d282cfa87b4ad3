#include "fit/canonical_order.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "fit/result/form.hpp"

namespace perfmodel {
namespace {

template <class Inputs>
std::vector<std::size_t> by_name(const Inputs& inputs) {
  std::vector<std::size_t> out(inputs.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::sort(out.begin(), out.end(),
            [&](std::size_t a, std::size_t b) { return inputs[a].column < inputs[b].column; });
  return out;
}

template <class Items>
Items taken(const Items& items, const std::vector<std::size_t>& which) {
  Items out;
  for (const std::size_t item : which)
    out.push_back(items[item]);
  return out;
}

/// By time, then by the inputs: few rows are equal in a measured time.
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
    return a < b;
  };
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : before(a.second, b.second);
  });
  std::vector<std::size_t> out;
  out.reserve(design.rows);
  for (const auto& [time, row] : order)
    out.push_back(row);
  return out;
}

}  // namespace

CanonicalOrder::CanonicalOrder(const ModelSpec& spec, const Design& training)
    : given_(spec),
      columns_{by_name(spec.intrinsic), by_name(spec.categorical), by_name(spec.extrinsic)},
      spec_(spec) {
  spec_.intrinsic = taken(spec.intrinsic, columns_.intrinsic);
  spec_.categorical = taken(spec.categorical, columns_.categorical);
  spec_.extrinsic = taken(spec.extrinsic, columns_.extrinsic);
  Design by_column;
  by_column.rows = training.rows;
  by_column.intrinsic = taken(training.intrinsic, columns_.intrinsic);
  by_column.categorical = taken(training.categorical, columns_.categorical);
  by_column.extrinsic = taken(training.extrinsic, columns_.extrinsic);
  by_column.time = training.time;
  by_column.runs = training.runs;
  training_ = take_rows(by_column, rows_by_content(by_column));
}

FittedModel CanonicalOrder::restored(FittedModel model) const {
  const auto [form, origin] = model.form->reordered(spec_, given_, columns_);
  model.form = form;
  model.constants = put_back(model.constants, origin);
  if (model.typical)
    model.typical = restored(*model.typical);
  if (model.identifiability) {
    Identifiability& known = *model.identifiability;
    known.constants = put_back(known.constants, origin);
    if (!known.at_bound.empty())
      known.at_bound = put_back(known.at_bound, origin);
    if (!known.scaling_powers.empty())
      known.scaling_powers = put_back(known.scaling_powers, columns_.extrinsic);
    if (!known.differences.empty())
      known.differences = restored_differences(known.differences);
  }
  std::vector<NumericInput> intrinsic = put_back(model.spec.intrinsic, columns_.intrinsic);
  model.spec = given_;
  model.spec.intrinsic = std::move(intrinsic);  // a fit decides how a 0 counts
  return model;
}

Configuration CanonicalOrder::restored(const Configuration& configuration) const {
  return {put_back(configuration.intrinsic, columns_.intrinsic),
          put_back(configuration.levels, columns_.categorical),
          put_back(configuration.extrinsic, columns_.extrinsic)};
}

std::vector<bool> CanonicalOrder::restored_differences(const std::vector<bool>& differences) const {
  std::vector<std::vector<bool>> of_column(given_.categorical.size());
  std::size_t next = 0;
  for (std::size_t c = 0; c < columns_.categorical.size(); ++c) {
    std::vector<bool>& own = of_column[columns_.categorical[c]];
    for (std::size_t l = 0; l < spec_.categorical[c].levels.size(); ++l)
      own.push_back(differences[next++]);
  }
  std::vector<bool> out;
  for (const std::vector<bool>& own : of_column)
    out.insert(out.end(), own.begin(), own.end());
  return out;
}

}  // namespace perfmodel
