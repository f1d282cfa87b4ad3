#include "perfmodel/model/design/central_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/index.hpp"

namespace perfmodel {
namespace {

/// Sums of distances that differ by no more are the same, but for rounding.
constexpr double kSameDistance = 1e-9;

/// A column as the index of a value per row; smaller values have smaller indices.
struct IndexedColumn {
  std::vector<double> sums;  ///< per value: of its distances to the values of all rows
  std::vector<std::uint32_t> values;
};

std::vector<double> counts_of(const std::vector<std::uint32_t>& values, std::size_t distinct,
                              const Design& design) {
  std::vector<double> counts(distinct, 0);
  for (std::size_t row = 0; row < values.size(); ++row)
    counts[values[row]] += static_cast<double>(design.runs_of(row));
  return counts;
}

/// Of ascending places on a line, each taken so often: the sum of distances to all, over the
/// standard deviation.
std::vector<double> scaled_sums(const std::vector<double>& places,
                                const std::vector<double>& counts) {
  double rows = 0;
  double sum = 0;
  for (std::size_t v = 0; v < places.size(); ++v) {
    rows += counts[v];
    sum += counts[v] * places[v];
  }
  double squares = 0;
  for (std::size_t v = 0; v < places.size(); ++v)
    squares += counts[v] * std::pow(places[v] - sum / rows, 2);
  const double deviation = std::sqrt(squares / rows);
  std::vector<double> out(places.size(), 0);
  if (!(deviation > 0))
    return out;
  double below = 0;
  double sum_below = 0;
  for (std::size_t v = 0; v < places.size(); ++v) {
    out[v] = (places[v] * below - sum_below + (sum - sum_below) - places[v] * (rows - below)) /
             deviation;
    below += counts[v];
    sum_below += counts[v] * places[v];
  }
  return out;
}

IndexedColumn indexed(const NumericInput& input, const NumericFactor& factor,
                      const Design& design) {
  const std::size_t rows = design.rows;
  IndexedColumn column;
  std::vector<double> distinct = factor.values;
  column.values = factor.codes;
  if (!factor.coded()) {
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::size_t row = 0; row < rows; ++row) {
      const auto found = std::lower_bound(distinct.begin(), distinct.end(), factor.value(row));
      column.values.push_back(static_cast<std::uint32_t>(found - distinct.begin()));
    }
  }
  std::vector<double> places;
  for (const double value : distinct)
    places.push_back(std::log(input.zero ? 1 + value / input.zero->unit : value));
  column.sums = scaled_sums(places, counts_of(column.values, places.size(), design));
  return column;
}

IndexedColumn indexed(const LevelFactor& factor, const Design& design) {
  IndexedColumn column{counts_of(factor.codes, factor.levels, design), factor.codes};
  for (double& count : column.sums)
    count = static_cast<double>(design.total_runs()) - count;
  return column;
}

/// Which input is which, by the names of the columns: their order in the file shall decide nothing.
template <class Inputs>
std::vector<std::size_t> order_of_names(const Inputs& inputs) {
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return inputs[a].column < inputs[b].column; });
  return order;
}

std::vector<IndexedColumn> columns_of(const ModelSpec& spec, const Design& design) {
  std::vector<IndexedColumn> columns;
  for (const std::size_t i : order_of_names(spec.intrinsic))
    columns.push_back(indexed(spec.intrinsic[i], design.intrinsic[i], design));
  for (const std::size_t c : order_of_names(spec.categorical))
    columns.push_back(indexed(design.categorical[c], design));
  for (const std::size_t j : order_of_names(spec.extrinsic))
    columns.push_back(indexed(spec.extrinsic[j], design.extrinsic[j], design));
  return columns;
}

}  // namespace

std::size_t central_row(const ModelSpec& spec, const Design& training) {
  const std::vector<IndexedColumn> columns = columns_of(spec, training);
  std::vector<double> sums(training.rows, 0);
  for (const IndexedColumn& column : columns)
    for (std::size_t row = 0; row < training.rows; ++row)
      sums[row] += column.sums[column.values[row]];
  const double least = *std::min_element(sums.begin(), sums.end());
  std::vector<std::size_t> central;
  for (std::size_t row = 0; row < training.rows; ++row)
    if (sums[row] <= least * (1 + kSameDistance))
      central.push_back(row);
  for (const IndexedColumn& column : columns) {
    std::uint32_t smallest = column.values[central.front()];
    for (const std::size_t row : central)
      smallest = std::min(smallest, column.values[row]);
    std::erase_if(central, [&](std::size_t row) { return column.values[row] != smallest; });
  }
  if (training.time.size() == 0)
    return central.front();
  std::stable_sort(central.begin(), central.end(), [&](std::size_t a, std::size_t b) {
    return training.time[index(a)] < training.time[index(b)];
  });
  std::size_t runs = 0;
  for (const std::size_t row : central)
    runs += training.runs_of(row);
  std::size_t before = 0;
  return *std::find_if(central.begin(), central.end(), [&](std::size_t row) {
    before += training.runs_of(row);
    return before > (runs - 1) / 2;
  });
}

Configuration central_configuration(const ModelSpec& spec, const Design& training) {
  return configuration_of(training, central_row(spec, training));
}

}  // namespace perfmodel
