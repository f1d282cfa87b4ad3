#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "columns/design.hpp"
#include "columns/replicates.hpp"
#include "perfmodel/columns.hpp"
#include "table/formula.hpp"

namespace perfmodel {
namespace {

/// The factors of the member `numbers`, with a value per configuration.
std::vector<NumericFactor> factors_of(const std::vector<Configuration>& configurations,
                                      std::vector<double> Configuration::*numbers,
                                      std::size_t columns) {
  std::vector<NumericFactor> factors(columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (const Configuration& configuration : configurations)
      factors[i].values.push_back((configuration.*numbers)[i]);
  return factors;
}

using ColumnValues = std::map<std::string, double>;

/// The numbers of all columns that are not derived.
ColumnValues underived_values(const ModelSpec& spec, const Configuration& configuration) {
  ColumnValues values;
  for (const SourceColumn& source : spec.sources)
    values[source.column] = source.typical;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    values[spec.intrinsic[i].column] = configuration.intrinsic[i];
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    if (const auto number = parse_number(input.levels[configuration.levels[c]]))
      values[input.column] = *number;
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    values[spec.extrinsic[j].column] = configuration.extrinsic[j];
  for (const DerivedColumn& item : spec.derived)
    values.erase(item.column);
  return values;
}

/// Returns false if an input of a formula is missing.
bool add_derived_values(const ModelSpec& spec, ColumnValues& values) {
  for (const DerivedColumn& item : spec.derived) {
    std::vector<double> of;
    for (const std::string& name : item.of) {
      const auto known = values.find(name);
      if (known == values.end())
        return false;
      of.push_back(known->second);
    }
    TextCodes codes;
    values[item.column] =
        Formula(item.formula, item.of, codes, quoted_formula(item.definition()))(of);
  }
  return true;
}

}  // namespace

std::optional<Configuration> with_scale(const ModelSpec& spec, const Configuration& configuration,
                                        std::size_t extrinsic, double value) {
  const std::string& scale = spec.extrinsic[extrinsic].column;
  const double factor = value / configuration.extrinsic[extrinsic];
  ColumnValues values = underived_values(spec, configuration);
  for (const Tie& tie : spec.ties)
    if (tie.scale == scale && values.contains(tie.column) && !tie.in_steps())
      values[tie.column] *= std::pow(factor, tie.power);
  values[scale] = value;
  for (const Tie& tie : spec.ties)
    if (tie.scale == scale && tie.in_steps())
      values[tie.column] = tie.step([&](const std::string& name) { return values.at(name); });
  if (!add_derived_values(spec, values))
    return std::nullopt;
  Configuration out = configuration;
  bool usable = true;
  const auto take = [&](const std::vector<NumericInput>& inputs, std::vector<double>& into) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      into[i] = values.at(inputs[i].column);
      usable = usable && inputs[i].allows(into[i]) && std::isfinite(into[i]);
    }
  };
  take(spec.intrinsic, out.intrinsic);
  take(spec.extrinsic, out.extrinsic);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    if (!spec.is_derived(input.column))
      continue;
    const auto level = LevelMatcher(input).match(values.at(input.column));
    usable = usable && level.has_value();
    out.levels[c] = level.value_or(0);
  }
  return usable ? std::optional(out) : std::nullopt;
}

Configuration configuration_of(const Design& design, std::size_t row) {
  Configuration out;
  for (const NumericFactor& factor : design.intrinsic)
    out.intrinsic.push_back(factor.value(row));
  for (const LevelFactor& factor : design.categorical)
    out.levels.push_back(factor.codes[row]);
  for (const NumericFactor& factor : design.extrinsic)
    out.extrinsic.push_back(factor.value(row));
  return out;
}

Design design_of(const std::vector<Configuration>& configurations, const ModelSpec& spec) {
  Design design;
  design.rows = configurations.size();
  design.intrinsic = factors_of(configurations, &Configuration::intrinsic, spec.intrinsic.size());
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    LevelFactor& factor = design.categorical.emplace_back();
    factor.levels = spec.categorical[c].levels.size();
    for (const Configuration& configuration : configurations)
      factor.codes.push_back(configuration.levels[c]);
  }
  design.extrinsic = factors_of(configurations, &Configuration::extrinsic, spec.extrinsic.size());
  return design;
}

Design design_of(const Configuration& configuration, const ModelSpec& spec) {
  return design_of(std::vector<Configuration>{configuration}, spec);
}

namespace {

/// Relative difference up to which sums of distances are equal except for rounding.
constexpr double kSameDistance = 1e-9;

/// A column as indices of its values in ascending order, per row.
struct IndexedColumn {
  std::vector<double> sums;  ///< per value: sum of its distances to the values of all rows
  std::vector<std::uint32_t> values;
};

std::vector<double> counts_of(const std::vector<std::uint32_t>& values, std::size_t distinct) {
  std::vector<double> counts(distinct, 0);
  for (std::size_t row = 0; row < values.size(); ++row)
    ++counts[values[row]];
  return counts;
}

/// Per position, ascending, with multiplicities `counts`: the sum of its distances to all
/// positions, divided by their standard deviation.
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
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::size_t row = 0; row < rows; ++row) {
      const auto found = std::ranges::lower_bound(distinct, factor.value(row));
      column.values.push_back(static_cast<std::uint32_t>(found - distinct.begin()));
    }
  }
  std::vector<double> places;
  for (const double value : distinct)
    places.push_back(std::log(input.zero ? 1 + value / input.zero->unit : value));
  column.sums = scaled_sums(places, counts_of(column.values, places.size()));
  return column;
}

IndexedColumn indexed(const LevelFactor& factor, const Design& design) {
  IndexedColumn column{counts_of(factor.codes, factor.levels), factor.codes};
  for (double& count : column.sums)
    count = static_cast<double>(design.rows) - count;
  return column;
}

/// The order of the inputs by name, so that their order in the file has no effect.
template <class Inputs>
std::vector<std::size_t> order_of_names(const Inputs& inputs) {
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(
      order, [&](std::size_t a, std::size_t b) { return inputs[a].column < inputs[b].column; });
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
  const double least = *std::ranges::min_element(sums);
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
  std::ranges::stable_sort(central, [&](std::size_t a, std::size_t b) {
    return training.time[index(a)] < training.time[index(b)];
  });
  return central[(central.size() - 1) / 2];
}

Configuration central_configuration(const ModelSpec& spec, const Design& training) {
  return configuration_of(training, central_row(spec, training));
}

namespace {

constexpr std::size_t kMostOwnCells = 6;  // with more distinct values, cells are shared
constexpr std::size_t kSharedCells = 4;
constexpr double kExpectedRows = 6;

struct CellColumn {
  std::vector<RegionPart> cells;
  std::vector<std::size_t> of_row;
  std::vector<std::size_t> runs;  ///< in each cell
  bool ordered = false;           ///< neighbouring cells can be merged

  void count_runs() {
    runs.assign(cells.size(), 0);
    for (std::size_t row = 0; row < of_row.size(); ++row)
      ++runs[of_row[row]];
  }
};

struct ValueCount {
  double value;
  std::size_t runs;
};

/// The distinct values, ascending.
std::vector<ValueCount> count_values(const NumericFactor& factor, const Design& design) {
  std::vector<ValueCount> counts;
  if (factor.coded()) {
    for (const double value : factor.values)
      counts.push_back({value, 0});
    for (std::size_t row = 0; row < design.rows; ++row)
      ++counts[factor.codes[row]].runs;
    std::erase_if(counts, [](const ValueCount& count) { return count.runs == 0; });
    return counts;
  }
  std::vector<double> sorted = factor.values;
  std::ranges::sort(sorted);
  for (const double value : sorted) {
    if (counts.empty() || counts.back().value != value)
      counts.push_back({value, 0});
    ++counts.back().runs;
  }
  return counts;
}

CellColumn numeric_cells(const std::string& column, const NumericFactor& factor,
                         const Design& design) {
  const std::vector<ValueCount> counts = count_values(factor, design);
  const std::size_t runs = design.rows;
  CellColumn out;
  out.ordered = true;
  const bool own = counts.size() <= kMostOwnCells;
  std::size_t before = 0;
  std::size_t quarter = 0;
  for (const auto& [value, count] : counts) {
    const std::size_t now = before * kSharedCells / runs;
    if (out.cells.empty() || own || now != quarter)
      out.cells.push_back({column, value, value, ""});
    quarter = now;
    out.cells.back().high = value;
    before += count;
  }
  out.of_row.reserve(design.rows);
  for (std::size_t row = 0; row < design.rows; ++row) {
    const auto cell = std::ranges::find_if(
        out.cells, [&](const RegionPart& part) { return factor.value(row) <= part.high; });
    out.of_row.push_back(static_cast<std::size_t>(cell - out.cells.begin()));
  }
  out.count_runs();
  return out;
}

CellColumn level_cells(const CategoricalInput& input, const LevelFactor& factor) {
  CellColumn out;
  for (const std::string& level : input.levels)
    out.cells.push_back({input.column, 0, 0, level});
  out.of_row.assign(factor.codes.begin(), factor.codes.end());
  out.count_runs();
  return out;
}

std::vector<CellColumn> all_cells(const ModelSpec& spec, const Design& design) {
  std::vector<CellColumn> out;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    out.push_back(numeric_cells(spec.intrinsic[i].column, design.intrinsic[i], design));
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    out.push_back(level_cells(spec.categorical[c], design.categorical[c]));
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out.push_back(numeric_cells(spec.extrinsic[j].column, design.extrinsic[j], design));
  return out;
}

/// In the order of all_cells(); nullopt for categorical and constant columns.
std::vector<std::optional<StripColumn>> all_strips(const ModelSpec& spec, const Design& design) {
  std::vector<std::optional<StripColumn>> out;
  const auto add = [&](const NumericInput& input, const NumericFactor& factor) {
    const auto differs = [&](std::size_t row) { return factor.value(row) != factor.value(0); };
    bool two_values = false;
    for (std::size_t row = 0; row < design.rows && !two_values; ++row)
      two_values = differs(row);
    out.push_back(two_values ? std::optional(strips_of(input, factor, design.rows)) : std::nullopt);
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    add(spec.intrinsic[i], design.intrinsic[i]);
  out.resize(out.size() + spec.categorical.size());
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    add(spec.extrinsic[j], design.extrinsic[j]);
  return out;
}

/// The merged cells first..last of a column.
struct CellRun {
  std::size_t first;
  std::size_t last;
  friend bool operator==(const CellRun&, const CellRun&) = default;
};

RegionPart joined_cells(const CellColumn& column, const CellRun& run) {
  RegionPart part = column.cells[run.first];
  part.high = column.cells[run.last].high;
  return part;
}

/// The rows per cell: a table of all pairs of cells could exceed the memory.
std::vector<std::vector<std::size_t>> rows_by_cell(const CellColumn& column) {
  std::vector<std::vector<std::size_t>> out(column.cells.size());
  for (std::size_t row = 0; row < column.of_row.size(); ++row)
    out[column.of_row[row]].push_back(row);
  return out;
}

/// Expected number of runs in both a cell of `a` and a cell of `b` if the columns were independent.
double expected_runs(std::size_t runs_of_a, std::size_t runs_of_b, std::size_t runs) {
  return static_cast<double>(runs_of_a) * static_cast<double>(runs_of_b) /
         static_cast<double>(runs);
}

/// The cells of `b` that share no run with a cell of `a` although runs are expected, neighbours
/// merged. `rows_of_a`, `runs_of_a`: those of the cell; `runs`: all runs.
std::vector<CellRun> empty_cells(const std::vector<std::size_t>& rows_of_a, std::size_t runs_of_a,
                                 const CellColumn& b, std::size_t runs) {
  std::vector<bool> measured(b.cells.size(), false);
  for (const std::size_t row : rows_of_a)
    measured[b.of_row[row]] = true;
  std::vector<CellRun> out;
  for (std::size_t k = 0; k < b.cells.size(); ++k) {
    if (measured[k] || expected_runs(runs_of_a, b.runs[k], runs) < kExpectedRows)
      continue;
    if (b.ordered && !out.empty() && out.back().last + 1 == k)
      out.back().last = k;
    else
      out.push_back({k, k});
  }
  return out;
}

void add_empty_pairs(const CellColumn& a, const CellColumn& b, std::vector<UnmeasuredRegion>& out) {
  const std::vector<std::vector<std::size_t>> rows = rows_by_cell(a);
  const std::size_t most = b.runs.empty() ? 0 : *std::ranges::max_element(b.runs);
  const std::size_t runs = std::accumulate(a.runs.begin(), a.runs.end(), std::size_t{0});
  std::vector<std::pair<CellRun, CellRun>> rectangles;
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell) {
    if (expected_runs(a.runs[cell], most, runs) < kExpectedRows)
      continue;  // too few runs to expect any in a pair of cells
    for (const CellRun& run : empty_cells(rows[cell], a.runs[cell], b, runs)) {
      const auto below = std::ranges::find_if(rectangles, [&](const auto& rectangle) {
        return a.ordered && rectangle.first.last + 1 == cell && rectangle.second == run;
      });
      if (below != rectangles.end())
        below->first.last = cell;
      else
        rectangles.push_back({{cell, cell}, run});
    }
  }
  for (const auto& [first, second] : rectangles)
    out.push_back({{joined_cells(a, first), joined_cells(b, second)}});
}

std::string part_text(const RegionPart& part) {
  if (!part.level.empty() || part.low == part.high)
    return fmt::format("{} = {}", part.column, part.level.empty() ? to_text(part.low) : part.level);
  return fmt::format("{} in {} .. {}", part.column, to_text(part.low), to_text(part.high));
}

/// Position of a column among the inputs of one kind.
template <class Inputs>
std::optional<std::size_t> position(const Inputs& inputs, const std::string& column) {
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (inputs[k].column == column)
      return k;
  return std::nullopt;
}

void leave_out_rows(const RegionPart& part, const ModelSpec& spec, const Design& design,
                    std::vector<bool>& inside) {
  const auto keep = [&](const auto& lies_inside) {
    for (std::size_t row = 0; row < design.rows; ++row)
      if (!lies_inside(row))
        inside[row] = false;
  };
  const auto keep_numbers = [&](const NumericFactor& factor) {
    keep([&](std::size_t row) {
      return part.low <= factor.value(row) && factor.value(row) <= part.high;
    });
  };
  if (const auto i = position(spec.intrinsic, part.column)) {
    keep_numbers(design.intrinsic[*i]);
  } else if (const auto j = position(spec.extrinsic, part.column)) {
    keep_numbers(design.extrinsic[*j]);
  } else if (const auto c = position(spec.categorical, part.column)) {
    keep([&](std::size_t row) {
      return spec.categorical[*c].levels[design.categorical[*c].codes[row]] == part.level;
    });
  } else {
    keep([](std::size_t) { return false; });  // no column of the model
  }
}

}  // namespace

std::string to_text(const UnmeasuredRegion& region) {
  std::string text;
  for (const RegionPart& part : region.parts)
    text += (text.empty() ? "" : " with ") + part_text(part);
  return text;
}

std::vector<UnmeasuredRegion> find_unmeasured(const ModelSpec& spec, const Design& training) {
  const std::vector<CellColumn> columns = all_cells(spec, training);
  const std::vector<std::optional<StripColumn>> strips = all_strips(spec, training);
  std::vector<UnmeasuredRegion> out;
  for (const CellColumn& column : columns) {
    for (std::size_t cell = 0; cell < column.cells.size(); ++cell)
      if (column.runs[cell] == 0)  // a level; values are those of the rows
        out.push_back({{column.cells[cell]}});
  }
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      const std::size_t known = out.size();
      add_empty_pairs(columns[a], columns[b], out);
      if (out.size() > known || !strips[a] || !strips[b])
        continue;
      const std::vector<UnmeasuredRegion> corners = far_corners(*strips[a], *strips[b]);
      out.insert(out.end(), corners.begin(), corners.end());
    }
  return out;
}

std::vector<bool> rows_in_region(const UnmeasuredRegion& region, const ModelSpec& spec,
                                 const Design& design) {
  std::vector<bool> inside(design.rows, true);
  for (const RegionPart& part : region.parts)
    leave_out_rows(part, spec, design, inside);
  return inside;
}

}  // namespace perfmodel
