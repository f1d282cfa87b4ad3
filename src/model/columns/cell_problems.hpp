#pragma once

#include <cstddef>
#include <string>

#include "base/problem_list.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// The cells of a table that cannot be used, each with the reason.
class CellProblems {
 public:
  explicit CellProblems(const Table& table) : table_(table) {}

  /// `reason()` is the end of "runs.csv:41: column 'batch_size': <reason>".
  template <class Reason>
  void add(std::size_t row, const Column& column, const Reason& reason) {
    const auto order = static_cast<std::size_t>(&column - table_.columns.data());
    problems_.add(table_.lines[row], order, [&] {
      return table_.where(row) + ": column '" + column.name + "': " + reason();
    });
  }

  void add_blank(std::size_t row, const Column& column);

  /// A cell that should be a number: "is blank", or what it holds instead.
  void add_not_a_number(std::size_t row, const Column& column);

  /// A number where only numbers > 0, or >= 0, can be used.
  void add_too_small(std::size_t row, const Column& column, bool may_be_zero);

  bool empty() const { return problems_.empty(); }
  std::string text() const { return problems_.text(); }

 private:
  const Table& table_;
  ProblemList problems_;
};

}  // namespace perfmodel
