#include "roles/cut_runs.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "roles/left_out.hpp"
#include "roles/quantities.hpp"
#include "roles/unit_columns.hpp"
#include "roles/vocabulary.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// Parts of words and messages in which dashes and blanks are underscores.
constexpr std::array<std::string_view, 5> kOutOfTime = {"timeout", "timed_out", "time_limit",
                                                        "timelimit", "walltime"};
constexpr std::array<std::string_view, 4> kOutOfMemory = {"oom", "outofmemory", "out_of_memory",
                                                          "memory_limit"};
constexpr WordList kCompleted{
    "completed complete cached ok success successful succeeded done finished pass passed valid "
    "correct true"};

bool has_part(const std::string& word, const auto& parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return word.find(part) != std::string::npos; });
}

/// Reads bad cells again whose texts or unit have changed.
void read_bad_cells(Column& column) {
  std::erase_if(column.bad_cells, [&](const BadCell& cell) {
    const auto quantity = parse_quantity(cell.text);
    const auto number = column.unit.empty()                         ? parse_number(cell.text)
                        : quantity && quantity->unit == column.unit ? std::optional(quantity->value)
                                                                    : std::nullopt;
    if (number)
      column.numbers[cell.row] = *number;
    return number.has_value();
  });
  if (auto converted = in_prevailing_unit(column))
    column = std::move(*converted);
}

/// Reads cells such as ">3600" as their numbers. Returns their rows.
std::vector<std::size_t> read_beyond(Column& column) {
  std::vector<std::size_t> out;
  for (BadCell& cell : column.bad_cells) {
    if (auto least = least_of(cell.text)) {
      cell.text = *std::move(least);
      out.push_back(cell.row);
    }
  }
  if (!out.empty())
    read_bad_cells(column);
  std::erase_if(out, [&](std::size_t row) { return !(column.numbers[row] > 0); });
  return out;
}

/// A unit of numbers: of the cells, or of times in the name of their column; empty if unknown.
std::string unit_of_numbers(const Column& column) {
  return !column.unit.empty()           ? column.unit
         : !unit_beside(column).empty() ? unit_beside(column)
                                        : unit_of(column.name);
}

/// How many numbers of the measured column are one of this unit; nullopt if that is unknown.
std::optional<double> factor_to(const Column& measured, const std::string& unit) {
  const auto from = parse_quantity("1 " + unit);
  const auto to = parse_quantity("1 " + unit_of_numbers(measured));
  if (!from || !to || from->unit != to->unit)
    return std::nullopt;
  return from->value / to->value;
}

double same_limit(const std::string& text, const Column& measured, const Table& table) {
  if (const auto number = parse_number(text); number && *number > 0)
    return *number;
  const auto quantity = parse_quantity(text);
  const auto factor = quantity ? factor_to(measured, std::string(quantity->unit)) : std::nullopt;
  if (factor && quantity->value > 0)
    return quantity->value * *factor;
  if (quantity)
    throw UsageError(
        fmt::format("--limit {}: the numbers of '{}' have no unit to which it could be converted",
                    shell_word(text), measured.name));
  throw UsageError(fmt::format("--limit {}: it is no number > 0, and {}", shell_word(text),
                               table.no_column(text)));
}

bool is_memory(const Column& measured) {
  return measure_of(measured.name, unit_of_numbers(measured)) == Measure::memory;
}

std::vector<double> limits_of(const std::string& limit, const Column& measured, const Table& table,
                              CellProblems& problems) {
  const Column* const as_read = table.find(limit);
  if (as_read == nullptr)
    return std::vector<double>(table.rows(), same_limit(limit, measured, table));
  const Column column =
      in_unit(*as_read, is_memory(measured) ? "B" : "s").value_or(*as_read);  // "2h", "16G"
  std::vector<double> out = numbers_of(column);
  const double factor = factor_to(measured, unit_of_numbers(column)).value_or(1);
  for (std::size_t row = 0; row < out.size(); ++row) {
    if (column.text(row).empty() || folded(column.text(row)) == "unlimited")  // as Slurm says
      out[row] = kNever;
    else if (out[row] > 0)
      out[row] *= factor;
    else
      problems.add(
          row, *as_read, [&] { return quoted_cell(column.text(row)) + " is no limit > 0"; });
  }
  return out;
}

/// The limit of all runs if `cut` rows have the same and no run took longer; else none.
double common_limit(const std::vector<std::size_t>& cut, const std::vector<double>& times) {
  if (cut.empty())
    return kNever;
  const double first = times[cut.front()];
  const bool is_same =
      std::ranges::all_of(cut, [&](std::size_t row) { return times[row] == first; }) &&
      std::ranges::none_of(times, [&](double time) { return time > first; });
  return is_same ? first : kNever;
}

constexpr std::size_t kMostLinesKept = 5;
constexpr std::size_t kMostReasonsNamed = 6;

constexpr auto kFailed = std::to_array<std::string_view>(
    {"none",      "inf",     "infinity",  "fail",    "failed",        "failure", "err",
     "error",     "crash",   "oom",       "killed",  "out_of_memory", "crashed", "cancelled",
     "canceled",  "timeout", "timed_out", "skipped", "dnf",           "aborted", "preempted",
     "node_fail", "running", "pending",   "pruned"});

}  // namespace

RanOutOf limit_in(const Column& measured) {
  return is_memory(measured) ? RanOutOf::memory : RanOutOf::time;
}

RanOutOf ran_out_of(const std::string& cell) {
  const std::string word = folded(cell);
  if (has_part(word, kOutOfTime))
    return RanOutOf::time;
  return has_part(word, kOutOfMemory) ? RanOutOf::memory : RanOutOf::nothing;
}

std::optional<std::string> least_of(const std::string& cell) {
  if (!cell.starts_with('>'))
    return std::nullopt;
  const std::size_t start = cell.find_first_not_of(" =", 1);
  const std::string text = start == std::string::npos ? "" : cell.substr(start);
  return parse_number(text) || parse_quantity(text) ? std::optional(text) : std::nullopt;
}

bool is_outcome(const std::string& word) {
  return !word.empty() && !is_missing(word) && word != "none" &&
         (kCompleted.has(folded(word)) || tells_failure(word));
}

bool tells_failures(const Column& column) {
  constexpr WordList codes{"exit exitcode returncode rc"};  // alone: rc_lookahead is none
  const auto is_code = [&](const auto& word) { return codes.has(word) || word == "code"; };
  if (const auto words = name_words(column.name); column.is_numeric())
    return codes.has_one_of(words) && std::ranges::all_of(words, is_code) && is_whole(column) &&
           column.bad_cells.empty() && std::ranges::min(column.numbers) == 0 &&
           std::ranges::max(column.numbers) > 0 && std::ranges::max(column.numbers) <= 255;
  const bool is_named = has_kind(column.name, "status outcome");
  const auto failed = std::ranges::count_if(
      column.levels, [](const std::string& level) { return !failure_of(level).empty(); });
  return failed > 0 && failed < std::ssize(column.levels) &&
         std::ranges::all_of(column.levels, [&](const std::string& level) {
           return is_outcome(level) || (is_named && truth_value(level));
         });
}

std::string failure_of(const std::string& status) {
  if (const auto code = parse_number(status))
    return *code == 0                                     ? ""
           : *code == 137                                 ? "oom"
           : *code == 124 || *code == 142 || *code == 152 ? "timeout"
                                                          : "failed";
  const std::string word = folded(status);
  if (kCompleted.has(word))
    return "";
  return !word.empty() && says_failed(word) ? word : "failed";
}

void tell_failures(const std::string& status, const std::string& measured, Table& table) {
  if (table.find(status) == nullptr)
    throw UsageError("--status: " + table.no_column(status));
  const Column& states = table.at(status);
  const Column& cells = table.at(measured);
  Column told = as_numbers(cells);
  told.bad_cells.clear();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::string failure = failure_of(states.text(row));
    const std::string cell = cells.text(row);
    if (!failure.empty() && ran_out_of(failure) == RanOutOf::nothing &&
        ran_out_of(cell) != RanOutOf::nothing)
      failure = cell;  // it says more than "failed"
    const bool is_failure = !failure.empty() && !least_of(cell);
    if (is_failure)
      told.numbers[row] = std::numeric_limits<double>::quiet_NaN();
    if (std::isnan(told.numbers[row]))
      told.bad_cells.push_back({row, is_failure ? failure : cell});
  }
  table.columns[to_size(&cells - table.columns.data())] = std::move(told);
}

void share_reasons(const std::string& measured, Table& table) {
  Column told = as_numbers(table.at(measured));
  bool changed = false;
  for (BadCell& cell : told.bad_cells) {
    if (!cell.text.empty())
      continue;
    for (const Column& column : table.columns)
      if (const std::string text = column.text(cell.row);
          column.name != measured && ran_out_of(text) != RanOutOf::nothing) {
        cell.text = text;
        changed = true;
      }
  }
  if (changed)
    table.columns[to_size(&table.at(measured) - table.columns.data())] = std::move(told);
}

std::vector<std::string> columns_of_failures(const std::string& measured, const Table& table) {
  const std::vector<bool> failed =
      mapped(numbers_of(table.at(measured)), [](double time) { return !(time > 0); });
  std::vector<std::string> out;
  if (!contains(failed, true))
    return out;
  for (const Column& column : table.columns) {
    std::vector<bool> has_no_number;
    std::vector<bool> is_blank;
    std::vector<bool> says_failed;
    const std::vector<double> numbers = numbers_of(column);
    for (std::size_t row = 0; row < failed.size(); ++row) {
      const std::string text = column.is_numeric() ? "a number" : column.text(row);
      has_no_number.push_back(std::isnan(numbers[row]));
      is_blank.push_back(text.empty());
      says_failed.push_back(column.is_numeric() ? numbers[row] != 0 : !failure_of(text).empty());
    }
    if (column.name != measured &&
        (has_no_number == failed || is_blank == failed || says_failed == failed))
      out.push_back(column.name);
  }
  return out;
}

std::optional<std::string> raise_to_resolution(const std::string& measured, Table& table) {
  constexpr double kNear =
      100;  // last digits: the least of larger numbers is far from rounded to 0
  Column& column = table.columns[to_size(&table.at(measured) - table.columns.data())];
  const double last_digit = column.last_digit;
  if (!column.is_numeric() || !(last_digit > 0 && last_digit < 1))
    return std::nullopt;  // a whole 0 may be the mark of a failed run
  double least = kNever;
  for (const double x : column.numbers)
    least = x > 0 ? std::min(least, x) : least;
  const auto zeros = std::ranges::count(column.numbers, 0.0);
  if (zeros == 0 || least > kNear * last_digit)
    return std::nullopt;
  std::ranges::replace(column.numbers, 0.0, last_digit / 2);
  return fmt::format("{} of '{}' {} below its last digit, {}, and count{} as half of it.",
                     counted_noun(to_size(zeros), "cell"), measured, zeros == 1 ? "is" : "are",
                     to_text(last_digit), zeros == 1 ? "s" : "");
}

std::optional<std::string> set_limits(const std::string& measured,
                                      const std::optional<std::string>& limit, Table& table) {
  Column& column = table.columns[to_size(&table.at(measured) - table.columns.data())];
  CellProblems problems(table);
  column = as_numbers(column);
  const std::vector<std::size_t> beyond = read_beyond(column);
  std::vector<double> limits =
      limit ? limits_of(*limit, column, table, problems)
            : std::vector<double>(table.rows(), common_limit(beyond, column.numbers));
  for (const std::size_t row : beyond)
    limits[row] = column.numbers[row];
  const RanOutOf what = limit_in(column);
  std::erase_if(column.bad_cells, [&](const BadCell& cell) {
    if (ran_out_of(cell.text) != what)
      return false;
    if (std::isinf(limits[cell.row]))
      problems.add(cell.row, column, [&] {
        return quoted_cell(cell.text) + " says that the run was ended at a limit, but not at which";
      });
    column.numbers[cell.row] = limits[cell.row];
    return true;
  });
  std::size_t cut = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double time = column.numbers[row];
    cut += time >= limits[row] ? 1U : 0U;
    if (time > limits[row])
      problems.add(row, column, [&] {
        return fmt::format("{} is above its limit, {}, at which the run would have been ended",
                           to_text(time), to_text(limits[row]));
      });
  }
  if (!problems.empty()) {
    problems.set_remedy(column, limit ? std::string("correct this or remove the rows")
                                      : std::string("pass --limit COL"));
    throw InputError(problems.text());
  }
  table.limits = std::move(limits);
  if (cut == 0)
    return std::nullopt;
  const std::string where = !limit                          ? "at the limits in their cells"
                            : table.find(*limit) != nullptr ? "at their '" + *limit + "'"
                                                            : "at " + *limit;
  return fmt::format("{} of {} runs were cut off {} and count as longer than that.", cut,
                     table.rows(), where);
}

bool says_failed(const std::string& cell) {
  if (const auto number = parse_number(cell))
    return *number <= 0;
  std::string word = folded(cell);
  if (word.size() > 1 && (word[0] == '_' || word[0] == '+'))
    word.erase(0, 1);  // the sign of "-inf"
  return is_missing(cell) || contains(kFailed, word) || ran_out_of(cell) != RanOutOf::nothing ||
         least_of(cell).has_value();
}

bool tells_failure(const std::string& cell) {
  return !parse_number(cell) && says_failed(cell);
}

bool were_cut(const std::vector<FailedRuns>& failed, const Column& measured) {
  const RanOutOf limit = limit_in(measured);
  return std::ranges::any_of(failed, [&](const FailedRuns& runs) {
    return ran_out_of(runs.cell) == limit || least_of(runs.cell);
  });
}

WithoutFailed without_failed_runs(const Table& table, const std::string& column,
                                  const std::set<std::string>& text_columns,
                                  bool (*is_failed)(const std::string& cell)) {
  const Column& times = table.at(column);
  std::vector<std::size_t> kept;
  std::vector<std::size_t> separated;
  std::map<std::pair<std::string, std::string>, FailedRuns> by_cell;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool may_fail = !times.is_numeric() || !(times.numbers[row] > 0);
    const std::string cell = may_fail ? times.text(row) : "";
    if (!may_fail || !is_failed(cell)) {
      kept.push_back(row);
      continue;
    }
    separated.push_back(row);
    const std::string& source = table.file.empty() ? table.source : table.sources[table.file[row]];
    const std::string file = source.substr(source.rfind('/') + 1);
    FailedRuns& failed = by_cell[{file, cell}];
    failed.file = file;
    failed.cell = cell;
    ++failed.rows;
    if (failed.lines.size() < kMostLinesKept)
      failed.lines.push_back(table.lines[row]);
  }
  if (by_cell.empty())
    return {table, {}, {}};
  WithoutFailed out{take_rows(table, kept), {}, take_rows(table, separated)};
  for (Table* part : {&out.table, &out.failed_rows}) {
    for (Column& each : part->columns)
      if (!each.is_numeric() && !text_columns.contains(each.name) &&
          std::all_of(each.levels.begin(), each.levels.end(),
                      [](const std::string& level) { return parse_number(level).has_value(); }))
        each = as_numbers(each);  // was read as text only because of cells that were removed
    take_unit_columns(*part, text_columns);
    convert_quantities(*part, text_columns);
  }
  for (auto& [key, failed] : by_cell)
    out.failed.push_back(std::move(failed));
  return out;
}

std::string words_for(const std::vector<FailedRuns>& failed, const std::string& column,
                      std::size_t rows) {
  const bool one_file = std::all_of(failed.begin(), failed.end(), [&](const FailedRuns& runs) {
    return runs.file == failed.front().file;
  });
  std::size_t all = 0;
  std::vector<std::string> reasons;
  for (const FailedRuns& runs : failed) {
    all += runs.rows;
    std::vector<std::string> lines =
        mapped(runs.lines, [](std::uint32_t line) { return std::to_string(line); });
    lines.resize(runs.rows);  // the others are only counted
    reasons.push_back(fmt::format("{} in {} ({}line{} {})",
                                  runs.cell.empty() ? "blank" : quoted_cell(runs.cell), runs.rows,
                                  one_file ? "" : runs.file + ", ", runs.rows == 1 ? "" : "s",
                                  enumerated(lines, runs.lines.size())));
  }
  return fmt::format("{}{} of {} runs failed and are left out: '{}' is {}",
                     one_file ? failed.front().file + ": " : "", all, rows, column,
                     enumerated(reasons, kMostReasonsNamed));
}

namespace {

/// The input that a column is if only failed runs differ in it, and not in how they ended.
std::optional<FailureInput> input_of_failed(const LeftOut& constant, const Table& failed) {
  const Column* const column = failed.find(constant.column);
  if (column == nullptr || constant.value.empty() || names_measured(constant.column))
    return std::nullopt;
  CategoricalInput found{constant.column, {constant.value}};
  bool are_numbers = true;
  for (std::size_t row = 0; row < failed.rows(); ++row) {
    const std::string text = column->text(row);
    const auto number = parse_number(text);
    if (!number && says_failed(text) && !text.empty())
      return std::nullopt;
    if (text.empty() || LevelMatcher(found).match(text))
      continue;
    are_numbers = are_numbers && number && *number >= 0;
    found.levels.push_back(text);
  }
  if (found.levels.size() == 1)
    return std::nullopt;
  are_numbers = are_numbers && parse_number(constant.value).value_or(-1) >= 0;
  sort_levels(found.levels);
  return FailureInput{.column = constant.column,
                      .levels = are_numbers ? std::vector<std::string>() : found.levels,
                      .unit = column->unit,
                      .usual = constant.value};
}

}  // namespace

std::vector<FailureInput> failure_inputs(const FittedModel& model, const Table& failed) {
  std::vector<FailureInput> out;
  for (const std::string& name : required_columns(model.spec)) {
    FailureInput& input = out.emplace_back(FailureInput{.column = name});
    if (const auto c = place_of_input(model.spec.categorical, name))
      input.levels = model.spec.categorical[*c].levels;
    if (const NumericInput* const number = input_called(model.spec, name))
      input.unit = number->unit;
  }
  for (const LeftOut& item : model.provenance.left_out)
    if (item.because == LeftOut::Because::constant)
      if (auto input = input_of_failed(item, failed))
        out.push_back(*std::move(input));
  return out;
}

}  // namespace perfmodel
