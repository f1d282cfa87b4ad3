#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/spec.hpp"

namespace perfmodel {

/// Sorts levels as in models: numbers first, by value, so that "8" precedes "16", then texts.
void sort_levels(std::vector<std::string>& levels);

/// The columns of all inputs: intrinsic, categorical, extrinsic.
std::vector<std::string> input_columns(const ModelSpec& spec);

/// The numeric input of this name, or null.
const NumericInput* input_called(const ModelSpec& spec, const std::string& column);

/// The index of the input of this name among those of one kind; nullopt if there is none.
template <class Input>
std::optional<std::size_t> place_of_input(const std::vector<Input>& inputs,
                                          const std::string& column) {
  const auto found = std::ranges::find(inputs, column, &Input::column);
  return found == inputs.end() ? std::nullopt : std::optional(to_size(found - inputs.begin()));
}

/// "num_gpus * local_batch", "batch_size / time_s", "1 / time_s".
std::string product_text(const std::vector<Factor>& factors);

/// "ceil(num_gpus / 8)"
std::string law_of_step(const Tie& step);

/// Numbers by column.
using ColumnValues = std::map<std::string, double>;

/// Numbers of columns in the order in which they were set: of columns tied to one another, the
/// first one moves the others.
using SetValues = std::vector<std::pair<std::string, double>>;

/// The ties by which columns move if others of these are set.
std::vector<Tie> moving_ties(const ModelSpec& spec, const ColumnValues& from, const SetValues& set);

/// The values after some are set: what these explain moves along.
ColumnValues moved(const ModelSpec& spec, const ColumnValues& from, const SetValues& set);

/// The unusable cells of a table, by column: all are counted, and the first ones are kept with the
/// reason.
class CellProblems {
 public:
  static constexpr std::size_t shown = 5;

  explicit CellProblems(const Table& table) : table_(table) {}

  /// `reason()` is the end of "runs.csv:41: column 'batch_size': <reason>". It is called only for
  /// cells that may be shown, so that a million bad cells do not cost a million sentences.
  template <class Reason>
  void add(std::size_t row, const Column& column, const Reason& reason) {
    OfColumn& found = columns_[static_cast<std::size_t>(&column - table_.columns.data())];
    ++found.count;
    auto& first = found.first;
    if (first.size() < shown || row < std::prev(first.end())->first) {
      first.emplace(row, reason());
      if (first.size() > shown)
        first.erase(std::prev(first.end()));
    }
  }

  void add_blank(std::size_t row, const Column& column);

  /// Adds a cell that should be a number; the reason is "is blank" or quotes its text.
  void add_not_a_number(std::size_t row, const Column& column);

  /// Adds a number that is not > 0 or, if it may be 0, not >= 0.
  void add_too_small(std::size_t row, const Column& column, bool may_be_zero);

  /// Adds the cell with this number if it is such a one, or NaN: no number. Returns whether it is
  /// neither.
  bool check(std::size_t row, const Column& column, double number, bool may_be_zero) {
    if (number > 0 || (may_be_zero && number == 0))
      return true;
    if (number <= 0)
      add_too_small(row, column, may_be_zero);
    else
      add_not_a_number(row, column);
    return false;
  }

  /// Sets the remedy for a column that has unusable cells.
  void set_remedy(const Column& column, const std::string& remedy);

  bool empty() const { return columns_.empty(); }
  /// One line per column, with its cells and the remedy.
  std::string text() const;

 private:
  struct OfColumn {
    std::size_t count = 0;
    std::map<std::size_t, std::string> first;  ///< row -> reason
    std::string remedy;
  };

  const Table& table_;
  std::map<std::size_t, OfColumn> columns_;  ///< by their order in the table

  std::string place(std::size_t row) const;
  std::string cells(const OfColumn& column) const;
};

/// How to cure unusable cells of a measured "time" or "throughput".
using Remedy =
    std::function<std::string(const std::string& what, const Table& table, const Column& column)>;

/// "every run needs a measured time > 0: correct this or remove the rows"
std::string needs_measured(const std::string& what, const Table& table, const Column& column);

/// make_spec() without ties: which inputs follow from others is known to who finds roles.
ModelSpec plain_spec(const Table& table, const Roles& roles,
                     std::span<const std::size_t> training_rows);

/// "4 * nodes", "256 / gpus", "gpus / 4".
std::string scaled_product(double factor, const std::vector<Factor>& factors);

/// Throws UsageError, which begins with `where`, if a column of the formula is missing.
void refuse_unknown(const Table& table, const std::string& formula, const std::string& where);

/// with_time_of(), with what is said of a throughput that cannot be used.
Table with_computed_time(const Table& table, const Throughput& throughput,
                         const std::string& target, const Remedy& remedy);

}  // namespace perfmodel
