#include "data/row_order.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "data/content_colours.hpp"

namespace perfmodel {
namespace {

/// One number per row that sorts as the cells of the column do.
std::vector<double> sort_keys(const Column& column) {
  if (!column.is_numeric()) {
    std::vector<std::uint32_t> order(column.levels.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return column.levels[a] < column.levels[b];
    });
    std::vector<double> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      rank[order[i]] = static_cast<double>(i);
    std::vector<double> keys;
    keys.reserve(column.codes.size());
    for (const std::uint32_t code : column.codes)
      keys.push_back(rank[code]);
    return keys;
  }
  std::vector<double> keys = column.numbers;
  for (double& key : keys)
    if (key != key)  // a bad cell
      key = std::numeric_limits<double>::infinity();
  return keys;
}

using Rows = std::vector<std::size_t>;

/// Sorts rows[begin..end) by the columns from `column` on: by one, then what is equal in it by the
/// next. Few rows are equal in a measured time, so that most columns are never looked at. The
/// second key are the colours of the rows, as names must not decide between those of equal times.
class ContentOrder {
 public:
  ContentOrder(const Table& table, std::vector<const Column*> columns)
      : columns_(std::move(columns)), keys_(columns_.size() + 1), rows_(table.rows()) {
    columns_.insert(columns_.begin() + (columns_.empty() ? 0 : 1), nullptr);
    std::iota(rows_.begin(), rows_.end(), std::size_t{0});
  }

  Rows sorted() && {
    sort(0, rows_.size(), 0);
    return std::move(rows_);
  }

 private:
  std::vector<const Column*> columns_;     ///< none: the colours of the rows
  std::vector<std::vector<double>> keys_;  ///< made when they are needed
  Rows rows_;
  std::vector<std::pair<double, std::size_t>> keyed_;

  std::vector<double> colours() const {
    std::vector<std::vector<std::uint32_t>> codes;
    for (const Column* column : columns_)
      if (column != nullptr)
        codes.push_back(column->is_numeric() ? ranks_of(sort_keys(*column)) : column->codes);
    const std::vector<std::uint64_t> rows = content_colours(keys_[0], codes).rows;
    return {rows.begin(), rows.end()};
  }

  void sort(std::size_t begin, std::size_t end, std::size_t column) {
    for (; end - begin > 1 && column < columns_.size(); ++column) {
      if (keys_[column].empty())
        keys_[column] = columns_[column] != nullptr ? sort_keys(*columns_[column]) : colours();
      const std::vector<double>& keys = keys_[column];
      keyed_.clear();
      for (std::size_t i = begin; i < end; ++i)
        keyed_.emplace_back(keys[rows_[i]], rows_[i]);
      std::sort(keyed_.begin(), keyed_.end());
      for (std::size_t i = begin; i < end; ++i)
        rows_[i] = keyed_[i - begin].second;
      if (keys[rows_[begin]] != keys[rows_[end - 1]]) {
        sort_equal_runs(begin, end, column);
        return;
      }
    }
  }

  void sort_equal_runs(std::size_t begin, std::size_t end, std::size_t column) {
    for (std::size_t first = begin; first < end;) {
      std::size_t last = first + 1;
      while (last < end && keys_[column][rows_[last]] == keys_[column][rows_[first]])
        ++last;
      sort(first, last, column + 1);
      first = last;
    }
  }
};

}  // namespace

std::vector<std::size_t> rows_by_content(const Table& table, std::string_view first) {
  std::vector<const Column*> columns;
  for (const Column& column : table.columns)
    columns.push_back(&column);
  std::sort(columns.begin(), columns.end(), [&](const Column* a, const Column* b) {
    return std::pair(a->name != first, std::string_view(a->name)) <
           std::pair(b->name != first, std::string_view(b->name));
  });
  return ContentOrder(table, std::move(columns)).sorted();
}

}  // namespace perfmodel
