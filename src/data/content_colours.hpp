#pragma once

#include <cstdint>
#include <vector>

namespace perfmodel {

/// Numbers of columns, of their values and of rows that are the same whatever columns and levels
/// are called, however rows are ordered and often repeated, and in any unit.
struct ContentColours {
  std::vector<std::uint64_t> columns;
  std::vector<std::vector<std::uint64_t>> values;
  std::vector<std::uint64_t> rows;
};

/// The ranks of numbers among themselves, from 0.
std::vector<std::uint32_t> ranks_of(const std::vector<double>& numbers);

/// `columns`: the index of a value per row.
ContentColours content_colours(const std::vector<double>& measured,
                               const std::vector<std::vector<std::uint32_t>>& columns);

}  // namespace perfmodel
