#include "columns/replicates.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel {
namespace {

/// Groups rows by the values of some columns, in a hash table with open addressing: sorting a
/// million rows would take longer than fitting them.
class RowNumbering {
 public:
  explicit RowNumbering(std::size_t rows) : hashes_(rows, 0) {}

  void add_column(const NumericFactor& factor) {
    for (std::size_t row = 0; row < hashes_.size(); ++row) {
      mix(row,
          factor.coded() ? factor.codes[row] : std::bit_cast<std::uint64_t>(factor.values[row]));
    }
    numeric_.push_back(&factor);
  }

  void add_column(const LevelFactor& factor) {
    for (std::size_t row = 0; row < hashes_.size(); ++row)
      mix(row, factor.codes[row]);
    levels_.push_back(&factor);
  }

  void add_times(const Eigen::VectorXd& time) {
    for (std::size_t row = 0; row < hashes_.size(); ++row)
      mix(row, std::bit_cast<std::uint64_t>(time[index(row)]));
    time_ = &time;
  }

  RowGroups groups() const {
    RowGroups out;
    out.of_row.resize(hashes_.size());
    std::vector<std::uint32_t> slots(std::bit_ceil(2 * hashes_.size() + 1), 0);  // group + 1
    std::vector<std::size_t> first_row;
    for (std::size_t row = 0; row < hashes_.size(); ++row) {
      std::size_t slot = hashes_[row] & (slots.size() - 1);
      while (slots[slot] != 0 && !equal(first_row[slots[slot] - 1], row))
        slot = (slot + 1) & (slots.size() - 1);
      if (slots[slot] == 0) {
        first_row.push_back(row);
        slots[slot] = static_cast<std::uint32_t>(first_row.size());
      }
      out.of_row[row] = slots[slot] - 1;
    }
    out.count = first_row.size();
    return out;
  }

 private:
  std::vector<std::uint64_t> hashes_;
  std::vector<const NumericFactor*> numeric_;
  std::vector<const LevelFactor*> levels_;
  const Eigen::VectorXd* time_ = nullptr;

  /// The upper bits of the product depend on all bits of the key; the shift moves them to the lower
  /// bits, which choose the slot.
  void mix(std::size_t row, std::uint64_t key) {
    const std::uint64_t product = (hashes_[row] ^ key) * 0x9e3779b97f4a7c15U;
    hashes_[row] = product ^ (product >> 32);
  }

  bool equal(std::size_t a, std::size_t b) const {
    if (hashes_[a] != hashes_[b])
      return false;
    return std::ranges::all_of(
               numeric_,
               [&](const auto* column) { return column->value(a) == column->value(b); }) &&
           std::ranges::all_of(
               levels_, [&](const auto* column) { return column->codes[a] == column->codes[b]; }) &&
           (time_ == nullptr || (*time_)[index(a)] == (*time_)[index(b)]);
  }
};

RowNumbering by_configuration(const Design& design) {
  RowNumbering out(design.rows);
  for (const NumericFactor& factor : design.intrinsic)
    out.add_column(factor);
  for (const LevelFactor& factor : design.categorical)
    out.add_column(factor);
  for (const NumericFactor& factor : design.extrinsic)
    out.add_column(factor);
  return out;
}

}  // namespace

RowGroups configuration_groups(const Design& design) {
  return by_configuration(design).groups();
}

RowGroups equal_row_groups(const Design& design) {
  RowNumbering numbering = by_configuration(design);
  numbering.add_times(design.time);
  return numbering.groups();
}

namespace {

/// Groups rows by a key; groups are numbered as they first appear.
template <class Key, class KeyOfRow>
RowGroups grouped(std::size_t rows, const KeyOfRow& key_of_row) {
  std::map<Key, std::size_t> known;
  RowGroups out;
  for (std::size_t row = 0; row < rows; ++row)
    out.of_row.push_back(known.try_emplace(key_of_row(row), known.size()).first->second);
  out.count = known.size();
  return out;
}

}  // namespace

RowGroups column_groups(const Column& column, std::span<const std::size_t> rows) {
  if (column.is_numeric())
    return grouped<double>(
        rows.size(), [&](std::size_t row) { return column.numbers[rows[row]]; });
  return grouped<std::uint32_t>(rows.size(),
                                [&](std::size_t row) { return column.codes[rows[row]]; });
}

std::vector<std::vector<std::size_t>> shuffled_groups(const RowGroups& groups, std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> out(groups.count);
  for (std::size_t row = 0; row < groups.of_row.size(); ++row)
    out[groups.of_row[row]].push_back(row);
  RandomStream random(seed, "folds");
  random.shuffle(std::span(out));
  return out;
}

std::vector<std::vector<std::size_t>> deal_groups(
    const std::vector<std::vector<std::size_t>>& groups, std::size_t parts) {
  std::vector<std::vector<std::size_t>> out(std::min(parts, groups.size()));
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::vector<std::size_t>& rows = out[group % out.size()];
    rows.insert(rows.end(), groups[group].begin(), groups[group].end());
  }
  return out;
}

std::vector<std::vector<std::size_t>> make_held_out_parts(const RowGroups& groups,
                                                          std::optional<std::size_t> folds,
                                                          std::uint64_t seed) {
  if (groups.count < 2) {
    throw UsageError(
        "cross-validation needs at least two groups of training rows; there is only one");
  }
  if (folds.value_or(groups.count) > groups.count)
    throw UsageError(
        fmt::format("--folds {}: the training rows are only {} groups that stay together; pass at "
                    "most that number, or 'all'",
                    shell_word(std::to_string(*folds)), groups.count));
  auto parts = deal_groups(shuffled_groups(groups, seed), folds.value_or(groups.count));
  for (auto& rows : parts)
    std::ranges::sort(rows);
  return parts;
}

namespace {

/// Orders rows by their inputs; rows of one configuration are equal.
class ByConfiguration {
 public:
  explicit ByConfiguration(const Design& design) : design_(design) {}

  /// Less than, equal to or greater than 0.
  int compare(std::size_t a, std::size_t b) const {
    for (const auto* factors : {&design_.intrinsic, &design_.extrinsic}) {
      for (const NumericFactor& factor : *factors)
        if (factor.value(a) != factor.value(b))
          return factor.value(a) < factor.value(b) ? -1 : 1;
    }
    for (const LevelFactor& factor : design_.categorical)
      if (factor.codes[a] != factor.codes[b])
        return factor.codes[a] < factor.codes[b] ? -1 : 1;
    return 0;
  }

 private:
  const Design& design_;
};

/// The rows of each configuration with more than one run, in the order of configurations.
std::vector<std::vector<std::size_t>> replicated_rows(const Design& design) {
  const RowGroups groups = configuration_groups(design);
  std::vector<std::size_t> runs(groups.count, 0);
  for (std::size_t row = 0; row < design.rows; ++row)
    ++runs[groups.of_row[row]];
  std::vector<std::vector<std::size_t>> out;
  std::vector<std::size_t> place(groups.count, 0);
  for (std::size_t group = 0; group < groups.count; ++group) {
    if (runs[group] < 2)
      continue;
    place[group] = out.size();
    out.emplace_back();
  }
  for (std::size_t row = 0; row < design.rows; ++row)
    if (runs[groups.of_row[row]] >= 2)
      out[place[groups.of_row[row]]].push_back(row);
  const ByConfiguration order(design);
  std::ranges::sort(out,
                    [&](const auto& a, const auto& b) { return order.compare(a[0], b[0]) < 0; });
  return out;
}

double sample_median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace

double median_shrinkage(std::size_t sample_size) {
  // Samples of 2k + 1 and of 2k values have the same expected mean deviation from their median. For
  // k = 1, 2, 3, 4, the exact 1 / (1 - ratio) is 3.414, 5.924, 8.453, 10.99.
  const std::size_t k = sample_size / 2;
  return 1 - 1 / (0.88 + 2.53 * static_cast<double>(k));
}

std::optional<NoiseFloor> noise_floor(const Design& design) {
  NoiseFloor out;
  double sum = 0;
  for (const std::vector<std::size_t>& rows : replicated_rows(design)) {
    std::vector<double> times;
    for (const std::size_t row : rows)
      times.push_back(design.time[index(row)]);
    const double middle = sample_median(times);
    double deviations = 0;
    for (const double time : times)
      deviations += std::abs(time - middle) / time;
    sum += deviations / median_shrinkage(times.size());
    out.rows += times.size();
    ++out.groups;
  }
  if (out.groups == 0)
    return std::nullopt;
  out.mape_percent = 100 * sum / static_cast<double>(out.rows);
  return out;
}

namespace {

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

/// Strips first..last of both columns.
struct StripRectangle {
  std::size_t first_a;
  std::size_t last_a;
  std::size_t first_b;
  std::size_t last_b;
};

/// Adjacent rows with the same sequence of far strips are merged.
std::vector<StripRectangle> far_rectangles(const Marks& measured) {
  const Marks close = near_rows(measured);
  const Marks inside = enclosed(measured);
  const auto far = [&](std::size_t i, std::size_t j) { return !close[i][j] && !inside[i][j]; };
  std::vector<StripRectangle> out;
  for (std::size_t i = 0; i < kStrips; ++i) {
    for (std::size_t j = 0; j < kStrips; ++j) {
      if (!far(i, j))
        continue;
      const std::size_t first = j;
      while (j + 1 < kStrips && far(i, j + 1))
        ++j;
      const auto below = std::ranges::find_if(out, [&](const StripRectangle& known) {
        return known.last_a + 1 == i && known.first_b == first && known.last_b == j;
      });
      if (below != out.end())
        below->last_a = i;
      else
        out.push_back({i, i, first, j});
    }
  }
  return out;
}

RegionPart part_of(const StripColumn& column, std::size_t first, std::size_t last) {
  return {column.column, column.edges[first], column.edges[last + 1], ""};
}

}  // namespace

StripColumn strips_of(const NumericInput& input, const NumericFactor& factor, std::size_t rows) {
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
  StripColumn out;
  out.column = input.column;
  out.edges.push_back(low);
  for (std::size_t strip = 1; strip < kStrips; ++strip)
    out.edges.push_back(edge_at(start + static_cast<double>(strip) * width));
  out.edges.push_back(high);
  for (std::size_t row = 0; row < rows; ++row) {
    const double strip = std::floor((place(factor.value(row)) - start) / width);
    out.of_row.push_back(
        static_cast<std::uint8_t>(std::clamp(strip, 0.0, static_cast<double>(kStrips - 1))));
  }
  return out;
}

std::vector<UnmeasuredRegion> far_corners(const StripColumn& a, const StripColumn& b) {
  Marks measured{};
  for (std::size_t row = 0; row < a.of_row.size(); ++row)
    measured[a.of_row[row]][b.of_row[row]] = true;
  std::vector<UnmeasuredRegion> out;
  for (const StripRectangle& far : far_rectangles(measured))
    out.push_back({{part_of(a, far.first_a, far.last_a), part_of(b, far.first_b, far.last_b)}});
  return out;
}

}  // namespace perfmodel
