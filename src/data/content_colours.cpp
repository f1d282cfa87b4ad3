#include "data/content_colours.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"

namespace perfmodel {
namespace {

/// One of all rows that are equal throughout: what was run again, or merged, is no other content.
std::vector<std::size_t> distinct_rows(const std::vector<std::uint32_t>& ranks,
                                       const std::vector<std::vector<std::uint32_t>>& columns) {
  std::vector<std::size_t> rows(ranks.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const auto compared = [&](std::size_t a, std::size_t b) {
    auto order = ranks[a] <=> ranks[b];
    for (std::size_t c = 0; c < columns.size() && order == 0; ++c)
      order = columns[c][a] <=> columns[c][b];
    return order;
  };
  std::sort(
      rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return compared(a, b) < 0; });
  const auto equal = [&](std::size_t a, std::size_t b) { return compared(a, b) == 0; };
  rows.erase(std::unique(rows.begin(), rows.end(), equal), rows.end());
  return rows;
}

}  // namespace

std::vector<std::uint32_t> ranks_of(const std::vector<double>& numbers) {
  std::vector<double> distinct = numbers;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::uint32_t> out;
  for (const double number : numbers)
    out.push_back(static_cast<std::uint32_t>(
        std::lower_bound(distinct.begin(), distinct.end(), number) - distinct.begin()));
  return out;
}

ContentColours content_colours(const std::vector<double>& measured,
                               const std::vector<std::vector<std::uint32_t>>& columns) {
  const std::vector<std::uint32_t> ranks = ranks_of(measured);
  const std::vector<std::size_t> distinct = distinct_rows(ranks, columns);
  ContentColours out{.columns = {}, .values = {}, .rows = {ranks.begin(), ranks.end()}};
  for (int round = 0; round < 3; ++round) {  // of its time, its values, rows that share these
    for (std::uint64_t& row : out.rows)
      row = splitmix64(row);
    std::vector<std::uint64_t> next = out.rows;
    out.columns.clear();
    out.values.clear();
    for (const std::vector<std::uint32_t>& codes : columns) {  // sums: of no order
      std::vector<std::uint64_t>& values = out.values.emplace_back();
      std::uint64_t& own = out.columns.emplace_back(0);
      for (const std::uint32_t code : codes)
        values.resize(std::max<std::size_t>(values.size(), code + std::size_t{1}), 0);
      for (const std::size_t row : distinct)
        values[codes[row]] += out.rows[row];
      for (const std::size_t row : distinct)
        own += splitmix64(out.rows[row] ^ splitmix64(values[codes[row]]));
      for (std::size_t row = 0; row < codes.size(); ++row)
        next[row] += splitmix64(own ^ values[codes[row]]);
    }
    out.rows = std::move(next);
  }
  return out;
}

}  // namespace perfmodel
