#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/numbering.hpp"
#include "columns/spec.hpp"
#include "perfmodel/unmeasured.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostOwnCells = 6;  // with more distinct values, cells are shared
constexpr std::size_t kSharedCells = 4;
constexpr double kExpectedRows = 6;

/// A column divided into ranges or levels.
struct CellColumn {
  std::vector<RegionPart> cells;
  std::vector<std::uint32_t> of_row;  ///< row -> cell
  std::vector<std::size_t> runs;      ///< in each cell; empty for strips
  bool ordered = false;               ///< neighbouring cells can be merged
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

void count_runs(CellColumn& column) {
  column.runs.assign(column.cells.size(), 0);
  for (const std::uint32_t cell : column.of_row)
    ++column.runs[cell];
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
    out.of_row.push_back(static_cast<std::uint32_t>(cell - out.cells.begin()));
  }
  count_runs(out);
  return out;
}

CellColumn level_cells(const CategoricalInput& input, const LevelFactor& factor) {
  CellColumn out;
  for (const std::string& level : input.levels)
    out.cells.push_back({input.column, 0, 0, level});
  out.of_row = factor.codes;
  count_runs(out);
  return out;
}

/// Expected number of runs in both a cell of `a` and a cell of `b` if the columns were independent.
double expected_runs(std::size_t runs_of_a, std::size_t runs_of_b, std::size_t runs) {
  return static_cast<double>(runs_of_a) * static_cast<double>(runs_of_b) /
         static_cast<double>(runs);
}

/// The merged cells first..last of a column.
struct CellRun {
  std::size_t first;
  std::size_t last;
  friend bool operator==(const CellRun&, const CellRun&) = default;
};

/// Pairs of cells of two columns that are next to each other.
struct CellRectangle {
  CellRun a;
  CellRun b;
};

/// Adds the marked cells of `b` in a cell of `a`: neighbours are merged, in both columns if they
/// are ordered.
void add_marked(const CellColumn& a, std::size_t cell, const CellColumn& b,
                const std::vector<bool>& marked, std::vector<CellRectangle>& rectangles) {
  for (std::size_t k = 0; k < marked.size(); ++k) {
    if (!marked[k])
      continue;
    CellRun run{k, k};
    while (b.ordered && k + 1 < marked.size() && marked[k + 1])
      run.last = ++k;
    const auto below = std::ranges::find_if(rectangles, [&](const CellRectangle& known) {
      return a.ordered && known.a.last + 1 == cell && known.b == run;
    });
    if (below != rectangles.end())
      below->a.last = cell;
    else
      rectangles.push_back({{cell, cell}, run});
  }
}

RegionPart joined_cells(const CellColumn& column, const CellRun& run) {
  RegionPart part = column.cells[run.first];
  part.high = column.cells[run.last].high;
  return part;
}

std::vector<UnmeasuredRegion> regions_of(const CellColumn& a, const CellColumn& b,
                                         const std::vector<CellRectangle>& rectangles) {
  std::vector<UnmeasuredRegion> out;
  for (const CellRectangle& rectangle : rectangles)
    out.push_back({{joined_cells(a, rectangle.a), joined_cells(b, rectangle.b)}});
  return out;
}

/// The pairs of cells that share no run although runs are expected.
std::vector<UnmeasuredRegion> empty_pairs(const CellColumn& a, const CellColumn& b) {
  // Rows per cell: a table of all pairs of cells could exceed the memory.
  const std::vector<std::vector<std::size_t>> rows = places_of_numbers(a.of_row, a.cells.size());
  const std::size_t most = b.runs.empty() ? 0 : *std::ranges::max_element(b.runs);
  const std::size_t runs = a.of_row.size();
  std::vector<CellRectangle> rectangles;
  for (std::size_t cell = 0; cell < a.cells.size(); ++cell) {
    if (expected_runs(a.runs[cell], most, runs) < kExpectedRows)
      continue;  // too few runs to expect any in a pair of cells
    std::vector<bool> empty;
    for (const std::size_t runs_of_b : b.runs)
      empty.push_back(!(expected_runs(a.runs[cell], runs_of_b, runs) < kExpectedRows));
    for (const std::size_t row : rows[cell])
      empty[b.of_row[row]] = false;
    add_marked(a, cell, b, empty, rectangles);
  }
  return regions_of(a, b, rectangles);
}

constexpr std::size_t kStrips = 16;
constexpr std::size_t kNear = kStrips / 2;  // strips
using Marks = std::array<std::array<bool, kStrips>, kStrips>;

/// Per pair of strips, whether a row is within kNear strips along both axes.
Marks near_rows(const Marks& measured) {
  const auto first = [](std::size_t i) { return i > kNear ? i - kNear : 0; };
  const auto last = [](std::size_t i) { return std::min(kStrips - 1, i + kNear); };
  Marks along{};
  Marks out{};
  for (std::size_t i = 0; i < kStrips; ++i)
    for (std::size_t j = 0; j < kStrips; ++j)
      for (std::size_t k = first(i); k <= last(i); ++k)
        along[i][j] = along[i][j] || measured[k][j];
  for (std::size_t i = 0; i < kStrips; ++i)
    for (std::size_t j = 0; j < kStrips; ++j)
      for (std::size_t k = first(j); k <= last(j); ++k)
        out[i][j] = out[i][j] || along[i][k];
  return out;
}

/// Per pair of strips, whether for each of the four corners a row is at least as far out in both
/// columns.
Marks enclosed(const Marks& measured) {
  Marks out;
  for (auto& row : out)
    row.fill(true);
  for (const bool up : {false, true}) {
    for (const bool right : {false, true}) {
      const auto strip = [](bool from_end, std::size_t k) {
        return from_end ? kStrips - 1 - k : k;
      };
      std::array<bool, kStrips> seen{};  // by strip of b, in the strips of a so far
      for (std::size_t k = 0; k < kStrips; ++k) {
        const std::size_t i = strip(up, k);
        bool any = false;
        for (std::size_t l = 0; l < kStrips; ++l) {
          const std::size_t j = strip(right, l);
          seen[j] = seen[j] || measured[i][j];
          any = any || seen[j];
          out[i][j] = out[i][j] && any;
        }
      }
    }
  }
  return out;
}

/// A numeric column divided into strips of equal width in ln x, or in ln(1 + x / unit) if the
/// column contains 0. Requires two distinct values.
CellColumn strips_of(const NumericInput& input, const NumericFactor& factor, std::size_t rows) {
  NumericInput shifted = input;  // a 0 that is modelled apart counts as near here
  if (shifted.zero)
    shifted.zero->apart = false;
  const auto place = [&](double value) { return std::log(shifted.counted(value)); };
  const auto value_at = [&](double at) {
    return shifted.zero ? shifted.zero->unit * std::expm1(at) : std::exp(at);
  };
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    low = std::min(low, factor.value(row));
    high = std::max(high, factor.value(row));
  }
  const double start = place(low);
  const double width = (place(high) - start) / static_cast<double>(kStrips);
  // Rounded for output: no row is so near that a tenth of a strip matters.
  const auto edge_at = [&](double at) {
    const double exact = value_at(at);
    const double rough = parse_number(rounded(exact)).value_or(exact);
    return std::abs(place(rough) - at) < 0.1 * width ? rough : exact;
  };
  CellColumn out;
  out.ordered = true;
  double edge = low;
  for (std::size_t strip = 1; strip <= kStrips; ++strip) {
    const double next =
        strip < kStrips ? edge_at(start + static_cast<double>(strip) * width) : high;
    out.cells.push_back({input.column, edge, next, ""});
    edge = next;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const double strip = std::floor((place(factor.value(row)) - start) / width);
    out.of_row.push_back(
        static_cast<std::uint32_t>(std::clamp(strip, 0.0, static_cast<double>(kStrips - 1))));
  }
  return out;
}

/// Regions towards a corner of two columns in strips that are far from every row: no row is as far
/// out in both columns, and none is within half the measured range in both. Finds gaps that counts
/// of runs cannot show if there are few rows, such as two crossing lines; a full grid has none.
std::vector<UnmeasuredRegion> far_corners(const CellColumn& a, const CellColumn& b) {
  Marks measured{};
  for (std::size_t row = 0; row < a.of_row.size(); ++row)
    measured[a.of_row[row]][b.of_row[row]] = true;
  const Marks close = near_rows(measured);
  const Marks inside = enclosed(measured);
  std::vector<CellRectangle> rectangles;
  for (std::size_t i = 0; i < kStrips; ++i) {
    std::vector<bool> far;
    for (std::size_t j = 0; j < kStrips; ++j)
      far.push_back(!close[i][j] && !inside[i][j]);
    add_marked(a, i, b, far, rectangles);
  }
  return regions_of(a, b, rectangles);
}

constexpr std::size_t kMostConfounded = 8;  ///< levels of a text of few levels

using LevelPairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

LevelPairs measured_pairs(const std::vector<std::uint32_t>& a,
                          const std::vector<std::uint32_t>& b) {
  LevelPairs out;
  for (std::size_t row = 0; row < a.size(); ++row)
    out.emplace(a[row], b[row]);
  return out;
}

bool is_of_single_values(const CellColumn& column) {
  return std::ranges::all_of(
      column.cells, [](const RegionPart& part) { return part.low == part.high; });
}

/// The pairs of levels that share no run, of two texts of few levels, or a text and a number of few
/// values, of which one follows from the other: as many pairs were measured as one of them has
/// levels.
std::vector<UnmeasuredRegion> confounded_pairs(const CellColumn& a, const CellColumn& b) {
  const std::size_t most = std::max(a.cells.size(), b.cells.size());
  const auto measured_cells = [](const CellColumn& column) {
    return column.runs.size() - to_size(std::ranges::count(column.runs, std::size_t{0}));
  };
  const std::size_t least = std::min(measured_cells(a), measured_cells(b));
  if ((a.ordered && b.ordered) || !is_of_single_values(a) || !is_of_single_values(b) ||
      most > kMostConfounded || least < 2 || a.of_row.size() < 2 * most)
    return {};
  const LevelPairs measured = measured_pairs(a.of_row, b.of_row);
  std::vector<UnmeasuredRegion> out;
  if (measured.size() > most)
    return out;
  for (std::uint32_t i = 0; i < a.cells.size(); ++i)
    for (std::uint32_t j = 0; j < b.cells.size(); ++j)
      if (!measured.contains({i, j}))
        out.push_back({{a.cells[i], b.cells[j]}});
  return out;
}

/// A column in cells and, if it is numeric and not constant, in strips.
struct DividedColumn {
  CellColumn cells;
  std::optional<CellColumn> strips = {};
};

std::vector<DividedColumn> divided_columns(const ModelSpec& spec, const Design& design,
                                           bool in_strips) {
  std::vector<DividedColumn> out;
  const auto add = [&](const NumericInput& input, const NumericFactor& factor) {
    out.push_back({numeric_cells(input.column, factor, design)});
    if (in_strips && out.back().cells.cells.front().low < out.back().cells.cells.back().high)
      out.back().strips = strips_of(input, factor, design.rows);
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    add(spec.intrinsic[i], design.intrinsic[i]);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    out.push_back({level_cells(spec.categorical[c], design.categorical[c])});
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    add(spec.extrinsic[j], design.extrinsic[j]);
  return out;
}

std::string part_text(const RegionPart& part) {
  if (!part.level.empty() || part.low == part.high)
    return fmt::format("{} = {}", part.column, part.level.empty() ? to_text(part.low) : part.level);
  return fmt::format("{} in {} .. {}", part.column, to_text(part.low), to_text(part.high));
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
  if (const auto i = place_of_input(spec.intrinsic, part.column)) {
    keep_numbers(design.intrinsic[*i]);
  } else if (const auto j = place_of_input(spec.extrinsic, part.column)) {
    keep_numbers(design.extrinsic[*j]);
  } else if (const auto c = place_of_input(spec.categorical, part.column)) {
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
  const std::vector<DividedColumn> columns = divided_columns(spec, training, true);
  std::vector<UnmeasuredRegion> out;
  for (const auto& [column, strips] : columns) {
    for (std::size_t cell = 0; cell < column.cells.size(); ++cell)
      if (column.runs[cell] == 0)  // a level; values are those of the rows
        out.push_back({{column.cells[cell]}});
  }
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      std::vector<UnmeasuredRegion> found = empty_pairs(columns[a].cells, columns[b].cells);
      if (found.empty() && columns[a].strips && columns[b].strips)
        found = far_corners(*columns[a].strips, *columns[b].strips);
      if (found.empty())
        found = confounded_pairs(columns[a].cells, columns[b].cells);
      out.insert(out.end(), found.begin(), found.end());
    }
  return out;
}

std::vector<std::pair<std::string, std::string>> confounded_texts(const ModelSpec& spec,
                                                                  const Design& training) {
  const std::vector<DividedColumn> columns = divided_columns(spec, training, false);
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      const CellColumn& one = columns[a].cells;
      const CellColumn& other = columns[b].cells;
      if (one.cells.size() == other.cells.size() && !confounded_pairs(one, other).empty())
        out.emplace_back(one.cells.front().column, other.cells.front().column);
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
