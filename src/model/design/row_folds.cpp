#include "model/design/row_folds.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "base/random.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// Groups of rows by a key, numbered as they first appear.
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
  if (folds.value_or(groups.count) > groups.count) {
    throw UsageError(Field{"folds", {std::to_string(*folds)}} + ": the training rows are only " +
                     std::to_string(groups.count) +
                     " groups that stay together; pass at most that number, or 'all'");
  }
  auto parts = deal_groups(shuffled_groups(groups, seed), folds.value_or(groups.count));
  for (auto& rows : parts)
    std::sort(rows.begin(), rows.end());
  return parts;
}

}  // namespace perfmodel
