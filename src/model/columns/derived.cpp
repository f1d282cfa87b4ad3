#include "perfmodel/model/columns/derived.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "data/column_numbers.hpp"
#include "data/formula.hpp"
#include "model/columns/cell_problems.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

std::string trimmed_word(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_column_word(const std::string& name) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  return !name.empty() && letters.find(name.front()) != std::string::npos &&
         name.find_first_not_of(letters + "0123456789") == std::string::npos;
}

/// The values of the columns that a formula uses, [column][row].
std::vector<std::vector<double>> values_of(const Table& table, const DerivedColumn& derived) {
  std::vector<std::vector<double>> values;
  CellProblems problems(table);
  for (const std::string& name : derived.of) {
    const Column& column = table.at(name);
    values.push_back(numbers_of(column));
    const auto is_nan = [](double x) { return x != x; };
    if (std::all_of(values.back().begin(), values.back().end(), is_nan)) {
      throw InputError(table.source + ": column '" + name + "' holds texts, and " +
                       quoted_formula(derived.definition()) + " needs numbers");
    }
    for (std::size_t row = 0; row < table.rows(); ++row)
      if (is_nan(values.back()[row]))
        problems.add_not_a_number(row, column);
  }
  if (!problems.empty())
    throw InputError(problems.text());
  return values;
}

Column derived_column(const Table& table, const DerivedColumn& derived) {
  const std::vector<std::vector<double>> values = values_of(table, derived);
  TextCodes codes;
  const Formula formula(derived.formula, derived.of, codes, quoted_formula(derived.definition()));
  Column column;
  column.name = derived.column;
  column.formula = derived.formula;
  column.numbers = formula.of_rows(values, table.rows());
  return column;
}

void refuse_infinite(const Table& table, const Column& column) {
  CellProblems problems(table);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!std::isfinite(column.numbers[row])) {
      problems.add(
          row, column,
          [&] {
            return shown_formula(column.formula) + " is " +
                   (std::isnan(column.numbers[row]) ? "no number" : "infinite");
          });
    }
  }
  if (!problems.empty())
    throw InputError(problems.text());
}

}  // namespace

DerivedColumn make_derived(const std::string& column, const std::string& formula,
                           const Sentence& where) {
  if (!is_column_word(column))
    throw UsageError(where + ": the name of a derived column is made of letters, digits and '_'");
  if (formula.find_first_of("'\"") != std::string::npos)
    throw UsageError(where + ": texts cannot be used, only columns of numbers");
  DerivedColumn out{column, formula, Formula::names_in(formula, where)};
  if (std::find(out.of.begin(), out.of.end(), column) != out.of.end())
    throw UsageError(where + ": '" + column + "' cannot be computed from itself");
  if (out.of.empty())
    throw UsageError(where + ": the formula uses no column");
  return out;
}

DerivedColumn parse_derived(const std::string& text) {
  const Sentence where = Field{"derived"} + " " + quoted_formula(text);
  const auto equals = text.find('=');
  if (equals == std::string::npos || trimmed_word(text.substr(equals + 1)).empty())
    throw UsageError(where + ": expected NAME=FORMULA, such as 'flops = filters * kernel_size^2'");
  return make_derived(trimmed_word(text.substr(0, equals)), trimmed_word(text.substr(equals + 1)),
                      where);
}

Table with_derived_columns(const Table& table, const std::vector<DerivedColumn>& derived) {
  Table out = table;
  for (const DerivedColumn& item : derived) {
    if (const Column* column = out.find(item.column)) {
      if (column->formula == item.formula)
        continue;
      throw InputError(out.source + " has a column '" + item.column +
                       "', which the model computes: " + shown_formula(item.definition()) +
                       "; rename or remove it");
    }
    out.columns.push_back(derived_column(out, item));
    refuse_infinite(out, out.columns.back());
  }
  return out;
}

Table derive_as_requested(const Table& table, const std::vector<DerivedColumn>& derived) {
  Table names = table;
  for (const DerivedColumn& item : derived) {
    const Sentence where = Field{"derived"} + " " + quoted_formula(item.definition()) + ": ";
    if (names.find(item.column) != nullptr) {
      throw UsageError(where + table.source + " already has a column '" + item.column +
                       "'; choose another name");
    }
    for (const std::string& name : item.of)
      if (names.find(name) == nullptr)
        throw UsageError(where + names.no_column(name));
    names.columns.emplace_back();
    names.columns.back().name = item.column;
  }
  return with_derived_columns(table, derived);
}

std::vector<DerivedColumn> needed_columns(const std::vector<DerivedColumn>& derived,
                                          const std::vector<std::string>& used) {
  std::set<std::string> names(used.begin(), used.end());
  std::vector<DerivedColumn> out;
  for (auto item = derived.rbegin(); item != derived.rend(); ++item) {
    if (names.contains(item->column)) {
      out.insert(out.begin(), *item);
      names.insert(item->of.begin(), item->of.end());
    }
  }
  return out;
}

}  // namespace perfmodel
