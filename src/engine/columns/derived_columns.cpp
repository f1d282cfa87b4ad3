#include "columns/spec.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "table/expressions.hpp"
#include "table/formula.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

/// The values of the columns that a formula uses, [column][row].
std::vector<std::vector<double>> values_of(const Table& table, const DerivedColumn& derived) {
  std::vector<std::vector<double>> values;
  CellProblems problems(table);
  for (const std::string& name : derived.of) {
    const Column& column = table.at(name);
    values.push_back(numbers_of(column));
    const auto is_nan = [](double x) { return x != x; };
    if (std::ranges::all_of(values.back(), is_nan))
      throw InputError(fmt::format("{}: column '{}' holds texts, and {} needs numbers",
                                   table.source, name, quoted_formula(derived.definition())));
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
            return fmt::format("{} is {}", shown_formula(column.formula),
                               std::isnan(column.numbers[row]) ? "no number" : "infinite");
          });
    }
  }
  if (!problems.empty())
    throw InputError(problems.text());
}

}  // namespace

void refuse_unknown(const Table& table, const std::string& formula, const std::string& where) {
  for (const std::string& name : Formula::names_in(formula, where))
    if (table.find(name) == nullptr)
      throw UsageError(fmt::format("{}no column '{}' in {}{}", where, name, table.source,
                                   hint_for_name(formula, name, table.names())));
}

Table with_derived_columns(const Table& table, const std::vector<DerivedColumn>& derived) {
  Table out = table;
  for (const DerivedColumn& item : derived) {
    if (const Column* column = out.find(item.column)) {
      if (column->formula == item.formula)
        continue;
      throw InputError(
          fmt::format("{} has a column '{}', which the model computes: {}; rename or remove it",
                      out.source, item.column, shown_formula(item.definition())));
    }
    out.columns.push_back(derived_column(out, item));
    refuse_infinite(out, out.columns.back());
  }
  return out;
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

namespace {

/// A throughput or work per row, as numbers > 0. `remedy`: for what was measured.
std::vector<double> rates_of(const Table& table, const Column& column, const Remedy& remedy) {
  std::vector<double> rates = numbers_of(column);
  CellProblems problems(table);
  for (std::size_t row = 0; row < rates.size(); ++row)
    problems.check(row, column, rates[row], false);
  if (!problems.empty() && remedy)
    problems.set_remedy(column, remedy("throughput", table, column));
  if (!problems.empty())
    throw InputError(problems.text());
  return rates;
}

std::vector<double> work_of(const Table& table, const Throughput& throughput) {
  if (throughput.work.empty())
    return std::vector<double>(table.rows(), 1.0);
  Table extended;
  const Column* work = table.find(throughput.work);
  if (work == nullptr) {
    const std::string where =
        fmt::format("{} {}", spelled("work"), quoted_formula(throughput.work));
    DerivedColumn derived{"work", throughput.work, Formula::names_in(throughput.work, where)};
    refuse_unknown(table, derived.formula, where + ": ");
    while (table.find(derived.column) != nullptr)
      derived.column += '_';
    extended = with_derived_columns(table, {derived});
    work = &extended.columns.back();
  }
  return rates_of(extended.columns.empty() ? table : extended, *work, nullptr);
}

}  // namespace

Table with_computed_time(const Table& table, const Throughput& throughput,
                         const std::string& target, const Remedy& remedy) {
  const Column* rate = table.find(throughput.column);
  if (rate == nullptr && table.find(target) != nullptr)
    return table;
  const std::vector<double> rates = rates_of(table, table.at(throughput.column), remedy);
  const std::vector<double> work = work_of(table, throughput);
  Column time;
  time.name = target;
  for (std::size_t row = 0; row < rates.size(); ++row)
    time.numbers.push_back(work[row] / rates[row]);
  Table out = table;
  std::erase_if(out.columns, [&](const Column& column) { return column.name == target; });
  out.columns.push_back(std::move(time));
  return out;
}

}  // namespace perfmodel
