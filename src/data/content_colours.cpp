#include "data/content_colours.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace perfmodel {

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
                               const std::vector<std::vector<std::uint32_t>>& columns,
                               const std::vector<std::uint64_t>& runs) {
  const auto count = [&](std::size_t row) -> std::uint64_t { return runs.empty() ? 1 : runs[row]; };
  const std::vector<std::uint32_t> ranks = ranks_of(measured);
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
      for (std::size_t row = 0; row < codes.size(); ++row) {
        values.resize(std::max<std::size_t>(values.size(), codes[row] + std::size_t{1}), 0);
        values[codes[row]] += count(row) * out.rows[row];
      }
      for (std::size_t row = 0; row < codes.size(); ++row)
        own += count(row) * splitmix64(out.rows[row] ^ splitmix64(values[codes[row]]));
      for (std::size_t row = 0; row < codes.size(); ++row)
        next[row] += splitmix64(own ^ values[codes[row]]);
    }
    out.rows = std::move(next);
  }
  return out;
}

}  // namespace perfmodel
