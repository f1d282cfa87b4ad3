#include "model/columns/role_values.hpp"

#include <cmath>

#include "data/column_numbers.hpp"
#include "model/columns/facts/grouped_numbers.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/columns/failed_runs.hpp"

namespace perfmodel {
namespace {

std::string named(const ColumnPart& part) {
  return "column '" + part.column->name + "'";
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

Field as_categorical(const ColumnPart& part) {
  return {"categorical", {part.column->name}};
}
Field ignored(const ColumnPart& part) {
  return {"ignore", {part.column->name}};
}

/// ", such as "1,024" (runs.csv:3): write 1024 there" of the first such cell.
std::string written_number_in(const Table& table, const Column& column) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string cell = column.text(row);
    const auto plain = without_group_marks(cell);
    if (plain || has_size_letter(cell)) {
      return ", such as \"" + cell + "\" (" + table.where(row) + "): write " +
             plain.value_or("all digits") + " there";
    }
  }
  return "";
}

/// Notes every cell that is no number, too small, or 0 in a target or a scale. Returns whether
/// there is none.
bool check_numbers(const ColumnPart& part, CellProblems& problems) {
  const Column& column = *part.column;
  const bool may_be_zero = part.part == Part::intrinsic;
  const bool too_small = may_be_zero ? part.facts.negative : !part.facts.all_positive;
  if (column.is_numeric()) {
    for (const BadCell& cell : column.bad_cells)
      problems.add_not_a_number(cell.row, column);
    if (too_small) {
      for (std::size_t row = 0; row < column.numbers.size(); ++row)
        if (column.numbers[row] < 0 || (column.numbers[row] == 0 && !may_be_zero))
          problems.add_too_small(row, column, may_be_zero);
    }
    return part.facts.texts == 0 && !too_small;
  }
  const std::vector<double> numbers = numbers_of(column);
  bool all_well = true;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const double x = numbers[row];
    if (std::isnan(x))
      problems.add_not_a_number(row, column);
    else if (x < 0 || (x == 0 && !may_be_zero))
      problems.add_too_small(row, column, may_be_zero);
    else
      continue;
    all_well = false;
  }
  return all_well;
}

/// A blank cell is not a level. Returns whether there is none.
bool check_levels(const Column& column, CellProblems& problems) {
  bool complete = true;
  const auto refuse_blank = [&](std::size_t row, const std::string& text) {
    if (text.empty()) {
      problems.add_not_a_number(row, column);
      complete = false;
    }
  };
  for (const BadCell& cell : column.bad_cells)
    refuse_blank(cell.row, cell.text);
  for (std::size_t row = 0; row < column.codes.size(); ++row)
    refuse_blank(row, column.levels[column.codes[row]]);
  return complete;
}

/// Names or numbers of runs, which differ from row to row, would get a coefficient each.
void refuse_row_names(const Table& table, const ColumnPart& part, Obstacles& obstacles) {
  constexpr std::size_t few = 10;
  if (!part.by_flag && part.facts.levels >= few && 2 * part.facts.levels > table.rows()) {
    obstacles.columns.push_back(table.source + ": " + named(part) + " has " +
                                std::to_string(part.facts.levels) + " different texts in " +
                                std::to_string(table.rows()) +
                                " rows, too many to be levels; pass " + ignored(part) + ", or " +
                                as_categorical(part) + " to keep it");
  }
}

}  // namespace

void Obstacles::throw_if_any() const {
  Sentence message = cells.text();
  for (const Sentence& line : columns)
    message += Sentence(message.empty() ? "" : "\n") + line;
  if (!message.empty())
    throw InputError(message);
}

Sentence remedy_of_measured(const std::string& what, const Table& table, const Column& column) {
  const std::string needed = "every run needs a measured " + what + " > 0: correct this";
  if (without_failed_runs(table, column.name, {}).failed.empty())
    return needed + " or remove the rows";
  return needed + ", remove the rows, or pass " + Field{"failed", {"drop"}} +
         " to leave out runs that failed";
}

void refuse_mixed(const Table& table, const ColumnPart& part, Obstacles& obstacles) {
  obstacles.columns.push_back(
      table.source + ": " + named(part) + " mixes " + counted(part.facts.numbers, "number") +
      " and " + counted(part.facts.texts, "text") + written_number_in(table, *part.column) +
      "; pass " + as_categorical(part) + " to take its values as levels, or " + ignored(part));
}

void check_values(const Table& table, const std::vector<ColumnPart>& parts, Obstacles& obstacles) {
  CellProblems& cells = obstacles.cells;
  for (const ColumnPart& part : parts) {
    const Column& column = *part.column;
    if (part.part == Part::target && !check_numbers(part, cells))
      cells.set_remedy(column, remedy_of_measured("time", table, column));
    const bool powered = part.part == Part::extrinsic || part.part == Part::intrinsic;
    if (powered && !check_numbers(part, cells)) {
      cells.set_remedy(column, std::string("needed are numbers ") +
                                   (part.part == Part::intrinsic ? ">= 0" : "> 0") +
                                   ": correct this, or pass " + as_categorical(part) + " or " +
                                   ignored(part));
    }
    if (part.part == Part::categorical) {
      if (!check_levels(column, cells))
        cells.set_remedy(column, "fill this, or pass " + Sentence(ignored(part)));
      refuse_row_names(table, part, obstacles);
    }
  }
}

}  // namespace perfmodel
