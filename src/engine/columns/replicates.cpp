#include "columns/replicates.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "base/random.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t key) {
  const std::uint64_t product = (hash ^ key) * 0x9e3779b97f4a7c15U;
  return product ^ (product >> 32);
}

std::uint64_t mixed(std::uint64_t hash, double value) {
  return mixed(hash, std::bit_cast<std::uint64_t>(value + 0.0));  // one zero
}

/// Whether most times have more than three digits, so that two runs are hardly equal by chance.
bool are_fine(const Eigen::VectorXd& times) {
  const auto coarse =
      std::ranges::count_if(times, [](double time) { return parse_number(rounded(time)) == time; });
  return 2 * coarse < times.size();
}

/// Groups rows by the values of some columns.
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

  RowGroups groups() const {
    RowGroups out;
    Numbering numbering(hashes_.size() + 1);
    std::vector<std::size_t> first_row;
    for (std::size_t row = 0; row < hashes_.size(); ++row) {
      out.of_row.push_back(numbering.number_of(
          hashes_[row], [&](std::uint32_t group) { return equal(first_row[group], row); }));
      if (out.of_row.back() == first_row.size())
        first_row.push_back(row);
    }
    out.count = numbering.size();
    return out;
  }

 private:
  std::vector<std::uint64_t> hashes_;
  std::vector<const NumericFactor*> numeric_;
  std::vector<const LevelFactor*> levels_;

  void mix(std::size_t row, std::uint64_t key) { hashes_[row] = mixed(hashes_[row], key); }

  bool equal(std::size_t a, std::size_t b) const {
    return std::ranges::all_of(
               numeric_,
               [&](const auto* column) { return column->value(a) == column->value(b); }) &&
           std::ranges::all_of(
               levels_, [&](const auto* column) { return column->codes[a] == column->codes[b]; });
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

std::vector<std::size_t> rows_in(const std::vector<std::vector<std::size_t>>& groups) {
  std::vector<std::size_t> out;
  for (const std::vector<std::size_t>& rows : groups)
    out.insert(out.end(), rows.begin(), rows.end());
  return out;
}

/// The rows of each configuration with more than one run, in the order of configurations.
std::vector<std::vector<std::size_t>> replicated_rows(const Design& design) {
  std::vector<std::vector<std::size_t>> out = configuration_groups(design).rows();
  std::erase_if(
      out, [](const auto& rows) { return rows.size() < 2; });
  std::ranges::sort(
      out, [&](const auto& a, const auto& b) { return std::is_lt(by_inputs(design, a[0], b[0])); });
  return out;
}

/// E |x - median of the sample| / E |x - mu| of a normal sample of this size >= 2, to four digits,
/// from expected normal order statistics: 0.7071 for sizes 2 and 3, 0.8312 for 4 and 5.
double median_shrinkage(std::size_t sample_size) {
  // Samples of 2k + 1 and of 2k values have the same expected mean deviation from their median. For
  // k = 1, 2, 3, 4, the exact 1 / (1 - ratio) is 3.414, 5.924, 8.453, 10.99.
  const std::size_t k = sample_size / 2;
  return 1 - 1 / (0.88 + 2.53 * static_cast<double>(k));
}

}  // namespace

std::partial_ordering by_inputs(const Design& design, std::size_t a, std::size_t b) {
  std::partial_ordering out = std::partial_ordering::equivalent;
  for (const auto* factors : {&design.intrinsic, &design.extrinsic})
    for (const NumericFactor& factor : *factors)
      if (out = factor.value(a) <=> factor.value(b); std::is_neq(out))
        return out;
  for (const LevelFactor& factor : design.categorical)
    if (out = factor.codes[a] <=> factor.codes[b]; std::is_neq(out))
      return out;
  return out;
}

RowGroups configuration_groups(const Design& design) {
  return by_configuration(design).groups();
}

RowGroups held_out_groups(const Design& design) {
  const RowGroups configurations = configuration_groups(design);
  std::vector<bool> is_split(configurations.count, false);
  for (const LevelFactor& factor : design.categorical) {
    constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> only(factor.levels,
                                  none);  // the configuration of a level, if it is one
    std::vector<bool> several(factor.levels, false);
    for (std::size_t row = 0; row < design.rows; ++row) {
      std::size_t& own = only[factor.codes[row]];
      if (own != none && own != configurations.of_row[row])
        several[factor.codes[row]] = true;
      own = configurations.of_row[row];
    }
    for (std::size_t level = 0; level < factor.levels; ++level)
      if (only[level] != none && !several[level])
        is_split[only[level]] = true;
  }
  RowGroups out;
  std::map<std::size_t, std::size_t> numbers;
  for (const std::size_t group : configurations.of_row)
    out.of_row.push_back(is_split[group] ? out.count++
                         : numbers.contains(group)
                             ? numbers[group]
                             : numbers.emplace(group, out.count++).first->second);
  return out;
}

RowGroups equal_row_groups(const Design& design) {
  RowNumbering numbering = by_configuration(design);
  const NumericFactor times{.values = {design.time.begin(), design.time.end()}, .codes = {}};
  numbering.add_column(times);
  return numbering.groups();
}

RowGroups column_groups(const Column& column, std::span<const std::size_t> rows) {
  std::map<double, std::size_t> known;  // by number, or by the code of the text
  RowGroups out;
  for (const std::size_t row : rows) {
    const double key = column.is_numeric() ? column.numbers[row] : column.codes[row];
    out.of_row.push_back(known.try_emplace(key, known.size()).first->second);
  }
  out.count = known.size();
  return out;
}

std::vector<std::uint32_t> row_marks(const ModelSpec& spec, const Design& design) {
  std::vector<std::uint32_t> out(design.rows);
  for (std::size_t row = 0; row < design.rows; ++row) {
    std::uint64_t hash = 1;
    for (const auto* factors : {&design.intrinsic, &design.extrinsic})
      for (const NumericFactor& factor : *factors)
        hash = mixed(hash, factor.value(row));
    // Codes of levels depend on the file, their names do not.
    for (std::size_t c = 0; c < design.categorical.size(); ++c) {
      for (const char letter : spec.categorical[c].levels[design.categorical[c].codes[row]])
        hash = mixed(hash, static_cast<std::uint64_t>(static_cast<unsigned char>(letter)));
      hash = mixed(hash, std::uint64_t{256});
    }
    out[row] = static_cast<std::uint32_t>(mixed(hash, design.time[static_cast<Eigen::Index>(row)]));
  }
  return out;
}

std::vector<std::size_t> rows_with_marks(const std::vector<std::uint32_t>& marks,
                                         const ModelSpec& spec, const Design& design) {
  if (marks.empty())
    return {};
  std::map<std::uint32_t, std::size_t> left;  // number of rows with this mark
  for (const std::uint32_t mark : marks)
    ++left[mark];
  const std::size_t distinct = left.size();
  const std::vector<std::uint32_t> own = row_marks(spec, design);
  std::vector<std::size_t> out;
  for (std::size_t row = 0; row < own.size(); ++row) {
    const auto found = left.find(own[row]);
    if (found == left.end() || found->second == 0)
      continue;
    --found->second;
    out.push_back(row);
  }
  constexpr std::size_t few = 10;        // a share of one in ten
  constexpr std::size_t repeated = 100;  // one equal pair of runs in a hundred
  const std::size_t fewer = std::min(marks.size(), own.size());
  const bool tells_apart = few * out.size() >= fewer && are_fine(design.time) &&
                           repeated * (marks.size() - distinct) <= marks.size();
  return out.size() == fewer || tells_apart ? out : std::vector<std::size_t>();
}

std::vector<std::vector<std::size_t>> shuffled_groups(const RowGroups& groups, std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> out = groups.rows();
  RandomStream random(seed, "folds");
  random.shuffle(std::span(out));
  return out;
}

std::vector<std::vector<std::size_t>> with_fewer_repeats(
    std::vector<std::vector<std::size_t>> groups, std::size_t most) {
  const auto rows_with = [&](std::size_t of_each) {
    std::size_t out = 0;
    for (const auto& group : groups)
      out += std::min(group.size(), of_each);
    return out;
  };
  if (rows_with(std::numeric_limits<std::size_t>::max()) <= most)
    return groups;
  std::size_t level = 1;  // the most rows of each group that are not too many
  for (std::size_t above = std::max<std::size_t>(most, 1) + 1; above - level > 1;) {
    const std::size_t middle = level + (above - level) / 2;
    (rows_with(middle) <= most ? level : above) = middle;
  }
  std::size_t more = most - std::min(most, rows_with(level));
  for (std::vector<std::size_t>& group : groups) {
    std::size_t count = std::min(group.size(), level);
    if (more > 0 && count < group.size()) {
      ++count;
      --more;
    }
    for (std::size_t i = 0; i < count; ++i)
      group[i] = group[(2 * i + 1) * group.size() / (2 * count)];
    group.resize(count);
  }
  return groups;
}

std::vector<std::size_t> without_most_repeats(const Design& design, std::size_t most) {
  if (design.rows <= most)
    return indices(design.rows);
  std::vector<std::vector<std::size_t>> groups = configuration_groups(design).rows();
  for (std::vector<std::size_t>& rows : groups)
    std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return design.time[index(row)]; });
  std::vector<std::size_t> out = rows_in(with_fewer_repeats(std::move(groups), most));
  std::ranges::sort(out);
  return out;
}

std::vector<std::size_t> some_rows_of(const Design& design, std::size_t most) {
  const std::vector<std::size_t> rows = without_most_repeats(design, most);
  std::vector<std::size_t> out = evenly_chosen(rows.size(), std::min(rows.size(), most));
  for (std::size_t& place : out)
    place = rows[place];
  return out;
}

std::vector<std::size_t> drawn_rows(const RowGroups& groups, const std::vector<std::size_t>& order,
                                    std::size_t most) {
  std::vector<std::size_t> place(groups.count, order.size());
  std::vector<std::vector<std::size_t>> drawn;
  for (const std::size_t row : order) {
    std::size_t& own = place[groups.of_row[row]];
    if (own == order.size()) {
      own = drawn.size();
      drawn.emplace_back();
    }
    drawn[own].push_back(row);
  }
  std::vector<std::size_t> out = rows_in(with_fewer_repeats(std::move(drawn), most));
  out.resize(std::min(out.size(), most));
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
        fmt::format("{} {}: the training rows are only {} groups that stay together; pass at "
                    "most that number, or 'all'",
                    spelled("folds"), shell_word(std::to_string(*folds)), groups.count));
  auto parts = deal_groups(shuffled_groups(groups, seed), folds.value_or(groups.count));
  for (auto& rows : parts)
    std::ranges::sort(rows);
  return parts;
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

}  // namespace perfmodel
