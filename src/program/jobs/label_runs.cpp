#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "perfmodel/fit.hpp"
#include "roles/column_facts.hpp"
#include "roles/cut_runs.hpp"
#include "roles/derived.hpp"
#include "roles/left_out.hpp"
#include "roles/quantities.hpp"
#include "roles/roles.hpp"
#include "roles/unit_columns.hpp"
#include "roles/vocabulary.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

/// The time derived from a throughput. Throws UsageError if it contradicts the other requests.
ThroughputTime requested_time(const Table& table, const RoleRequest& request) {
  const Throughput& throughput = *request.throughput;
  if (throughput.column.empty())
    throw UsageError("--work has no effect without --throughput-target");
  if (request.target) {
    throw UsageError(
        "--target and --throughput-target both name the measured column; pass one of them");
  }
  if (table.find(throughput.column) == nullptr)
    throw UsageError("--throughput-target: " + table.no_column(throughput.column));
  return time_of(throughput, table);
}

void warn_of_equal_files(const RunsFile& runs, std::vector<std::string>& warnings) {
  const std::vector<DataFile>& files = runs.files;
  const std::vector<std::string>& names = runs.table.sources;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto equal = std::ranges::find(files, files[i].sha256, &DataFile::sha256);
    if (const auto earlier = to_size(equal - files.begin()); earlier < i)
      warnings.push_back(names[i] + " holds the same bytes as " + names[earlier] +
                         ": each of these runs counts as measured twice; leave one out");
  }
}

/// Warns of inferred levels that a reader takes for numbers: a scale would have no power.
void warn_of_written_numbers(const Table& runs, const Roles& roles, const RoleRequest& request,
                             std::vector<std::string>& warnings) {
  for (const std::string& name : roles.categorical) {
    const Column& column = runs.at(name);
    if (!holds_written_numbers(column) || contains(request.categorical, name))
      continue;
    const std::string& cell = column.text(0);
    const auto plain = without_group_marks(cell);
    warnings.push_back(runs.where(0) + ": column '" + name + "': \"" + cell +
                       "\" is not a number, so the column is taken as levels; write " +
                       (plain ? *plain : "all digits") + ", or pass --categorical " +
                       shell_word(name) + " if these are names");
  }
}

/// The measured column of a file whose format declares results: the requested one (nullopt if there
/// is no such column), the only one, or the one with the name of a time.
std::optional<std::string> measured_result(const RunsFile& file, RoleRequest request) {
  const bool is_named = request.target || request.throughput;
  if (!is_named && file.results.size() == 1)
    return file.results.front();
  for (const std::string& name : file.table.names())
    if (!is_named && !contains(file.results, name))
      request.ignore.push_back(name);
  const auto measured = measured_column(file.table, request);
  if (is_named && !measured)
    return std::nullopt;
  if (is_named ||
      (measured && (names_time(measured->name) || file.table.at(measured->name).unit == "s")))
    return measured->name;
  const std::string& first = file.results.front();
  throw InputError(fmt::format("{}: which of {} is the measured time? Pass {} {}",
                               file.table.source, quoted_list(file.results),
                               names_throughput(first) ? "--throughput-target" : "--target",
                               shell_word(first)));
}

/// Leaves out the runs of which only other results than `measured` were measured.
void leave_out_unmeasured(RunsFile& file, const std::string& measured,
                          const std::set<std::string>& text_columns,
                          std::vector<std::string>& notices) {
  const std::size_t rows = file.table.rows();
  WithoutFailed with_result = without_failed_runs(
      file.table, measured, text_columns, [](const std::string& cell) { return cell.empty(); });
  if (with_result.failed.empty() || with_result.table.rows() == 0)
    return;
  file.table = std::move(with_result.table);
  notices.push_back(fmt::format("{} of {} runs have no '{}' and are left out.",
                                rows - file.table.rows(), rows, measured));
}

/// Whether the request gives a column a part.
bool is_named(const std::string& column, const RoleRequest& request) {
  return request.target == column || contains(request.ignore, column) ||
         contains(request.categorical, column) ||
         (request.throughput && request.throughput->column == column) ||
         (request.extrinsic && contains(*request.extrinsic, column)) ||
         (request.intrinsic && contains(*request.intrinsic, column));
}

/// Leaves out the results other than the measured one, and the runs of which it was not measured.
void leave_out_other_results(RunsFile& file, RoleRequest& request,
                             std::vector<std::string>& notices) {
  const auto measured = measured_result(file, request);
  if (!measured)
    return;  // what was requested is refused later
  std::vector<std::string> others;
  for (const std::string& result : file.results)
    if (result != *measured && !is_named(result, request))
      others.push_back(result);
  if (!request.target && !request.throughput) {
    const bool is_rate = names_throughput(*measured);
    if (is_rate)
      request.throughput = Throughput{*measured, {}};
    else
      request.target = measured;
    notices.push_back(fmt::format("Column '{}' is taken as the measured {}.", *measured,
                                  is_rate ? "throughput" : "time"));
  }
  if (!others.empty())
    notices.push_back(fmt::format("{} {}.", columns_named(others),
                                  others.size() == 1
                                      ? "is another result of the runs and is left out"
                                      : "are other results of the runs and are left out"));
  request.ignore.insert(request.ignore.end(), others.begin(), others.end());
  leave_out_unmeasured(file, *measured, {request.categorical.begin(), request.categorical.end()},
                       notices);
}

/// Removes failed runs, maybe all. Returns a sentence about them, or nullopt if there are none.
std::optional<std::string> take_failed_away(RunsFile& runs, const std::string& column,
                                            const std::set<std::string>& text_columns,
                                            FailedRunsAre how) {
  const std::size_t rows = runs.table.rows();
  WithoutFailed left = without_failed_runs(runs.table, column, text_columns, dropped_if(how));
  if (left.failed.empty())
    return std::nullopt;
  runs.table = std::move(left.table);
  runs.failed_rows = std::move(left.failed_rows);
  runs.failed = std::move(left.failed);
  return words_for(runs.failed, column, rows);
}

/// Enters into the measured cells what other columns say of failures.
void enter_failures(const std::string& measured, const ReadingRules& reading, Table& table) {
  if (reading.status)
    tell_failures(*reading.status, measured, table);
  if (reading.failed != FailedRunsAre::refused)
    share_reasons(measured, table);
}

/// Replaces the measured cells of runs that were ended at the limit by its sign, ">3600".
void mark_cut_runs(const std::string& measured, const std::string& limit, Table& table) {
  set_limits(measured, limit, table);
  Column& column = table.columns[to_size(&table.at(measured) - table.columns.data())];
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!(column.numbers[row] >= table.limits[row]))
      continue;
    column.bad_cells.push_back({row, ">" + to_text(table.limits[row])});
    column.numbers[row] = std::nan("");
  }
  std::ranges::sort(column.bad_cells, {}, &BadCell::row);
  table.limits.clear();
}

/// Leaves out the rows that have no value of an input; among texts, "unknown" may be one.
std::string drop_gaps(const std::string& column, const std::set<std::string>& text_columns,
                      Table& table) {
  constexpr std::size_t most_named = 5;
  const std::size_t rows = table.rows();
  const auto is_blank = [](const std::string& cell) { return cell.empty(); };
  const auto lacks_number = [](const std::string& cell) { return is_missing(cell); };
  const bool has_numbers =
      !text_columns.contains(column) &&
      std::ranges::any_of(numbers_of(table.at(column)), [](double x) { return !std::isnan(x); });
  WithoutFailed left = has_numbers ? without_failed_runs(table, column, text_columns, lacks_number)
                                   : without_failed_runs(table, column, text_columns, is_blank);
  std::vector<std::string> places;
  for (std::size_t row = 0; row < left.failed_rows.rows(); ++row)
    places.push_back(left.failed_rows.where(row));
  table = std::move(left.table);
  return fmt::format("{} of {} rows have no '{}' ({}) and are left out", places.size(), rows,
                     column, enumerated(places, most_named));
}

/// The inputs that some rows lack.
std::vector<std::string> inputs_with_gaps(const Table& table, const ModelSpec& spec) {
  const std::set<std::string> texts = categorical_columns(spec);
  std::vector<std::string> out;
  for (const std::string& name : required_columns(spec))
    if (const Column* const column = table.find(name);
        column != nullptr &&
        (texts.contains(name) ? contains(column->levels, "") : missing_cells(*column) > 0))
      out.push_back(name);
  return out;
}

/// A rule of the fit about a column that the runs lack has no effect on them.
void forget_missing(const Table& table, ReadingRules& reading, std::vector<std::string>& warnings) {
  const auto lacks = [&](const std::optional<std::string>& column) {
    return column && table.find(*column) == nullptr;
  };
  const auto forget = [&](std::optional<std::string>& column) {
    warnings.push_back(
        fmt::format("{}, by which the fit told which runs count", table.no_column(*column)));
    column.reset();
  };
  if (lacks(reading.status))
    forget(reading.status);
  if (lacks(reading.limit) && !parse_number(*reading.limit) && !parse_quantity(*reading.limit))
    forget(reading.limit);
}

// The steps by which runs get their roles, in this order.

/// Runs on their way to roles.
struct Labelling {
  RunsFile file;
  RoleRequest asked;
  RoleRequest request;                       ///< what is asked for and what earlier steps found
  std::set<std::string> text_columns;        ///< on request
  std::optional<std::string> measured = {};  ///< the column of the time or of the throughput
  std::vector<std::string> notices = {};
  std::vector<std::string> warnings = {};

  Table& table() { return file.table; }
  /// Adds a sentence, if there is one.
  static void add(std::optional<std::string> sentence, std::vector<std::string>& sentences) {
    if (sentence)
      sentences.push_back(*std::move(sentence));
  }
};

/// A column that tells of failures says which runs count, unless it has another part.
Labelling with_states_known(Labelling in) {
  if (in.asked.status || in.asked.failed == FailedRunsAre::refused)
    return in;
  const auto found = std::ranges::find_if(in.table().columns, [&](const Column& column) {
    return !is_named(column.name, in.asked) && tells_failures(column);
  });
  if (found == in.table().columns.end())
    return in;
  in.asked.status = in.request.status = found->name;
  in.notices.push_back(fmt::format(
      "Column '{}' is taken as the state in which runs ended, by its cells; --categorical {} takes "
      "it as an input.",
      found->name, shell_word(found->name)));
  return in;
}

/// What reading found, and how the runs were read and are to count.
Labelling with_reading(Labelling in) {
  Labelling::add(reading_notice(in.table()), in.notices);
  in.notices.insert(in.notices.end(), in.file.notices.begin(), in.file.notices.end());
  in.file.reading = {std::move(in.file.reading.input), in.asked.failed, in.asked.limit,
                     in.asked.status};
  return in;
}

/// Of the results that the format of the file declares, one is measured.
Labelling with_one_result(Labelling in) {
  if (!in.file.results.empty())
    leave_out_other_results(in.file, in.request, in.notices);
  return in;
}

/// Whether a column has one text for each of another one, as facts about that have.
bool is_fact_about(const Column& described, const Column& column) {
  std::map<std::string, std::string> facts;
  const std::size_t rows = std::max(column.codes.size(), column.numbers.size());
  for (std::size_t row = 0; row < rows; ++row)
    if (facts.try_emplace(described.text(row), column.text(row)).first->second != column.text(row))
      return false;
  return &column != &described;
}

/// Columns that facts describe, and those that say which runs count, are no inputs.
Labelling without_columns_about_runs(Labelling in) {
  for (const std::string& column : in.file.described) {
    if (in.text_columns.contains(column))
      continue;
    in.request.ignore.push_back(column);
    in.notices.push_back(
        fmt::format("Column '{}' is no input, but the facts about it are.", column));
    for (const Column& fact : in.table().columns)
      if (is_fact_about(in.table().at(column), fact))
        in.request.facts.push_back(fact.name);
  }
  for (const auto& column : {in.asked.limit, in.asked.status})
    if (column && in.table().find(*column) != nullptr)
      in.request.ignore.push_back(*column);
  return in;
}

Labelling with_measured_column(Labelling in) {
  const auto measured = measured_column(in.table(), in.request);
  if (measured && measured->is_rate) {
    in.request.throughput = Throughput{measured->name, {}};
    in.notices.push_back(fmt::format(
        "Column '{}' is taken as the measured throughput, by its name.", measured->name));
  }
  if (measured)
    in.measured = measured->name;
  return in;
}

/// The cells of the measured column say which runs failed, were too short, or were cut off.
Labelling with_failures_entered(Labelling in) {
  if (!in.measured)
    return in;
  enter_failures(*in.measured, in.file.reading, in.table());
  in.request.results = columns_of_failures(*in.measured, in.table());
  Labelling::add(raise_to_resolution(*in.measured, in.table()), in.notices);
  if (in.asked.failed == FailedRunsAre::censored)
    Labelling::add(set_limits(*in.measured, in.asked.limit, in.table()), in.notices);
  return in;
}

Labelling without_failed(Labelling in) {
  if (!in.measured)
    return in;
  if (in.asked.failed != FailedRunsAre::refused) {
    auto failed = drop_failed_runs(in.file, *in.measured, in.text_columns, in.asked.failed);
    // Who drops the runs that were ended at a limit fits the short ones.
    if (failed && in.asked.failed == FailedRunsAre::told &&
        were_cut(in.file.failed, in.table().at(*in.measured)))
      *failed += "; --failed censor --limit LIMIT counts those that were ended as longer";
    Labelling::add(std::move(failed), in.warnings);
  }
  require_one_unit(in.table(), *in.measured, in.text_columns);
  return in;
}

Labelling with_equal_files_told(Labelling in) {
  warn_of_equal_files(in.file, in.warnings);
  return in;
}

Labelling with_truth_values_alike(Labelling in) {
  for (std::string& sentence : unify_truth_values(in.table()))
    in.notices.push_back(std::move(sentence));
  return in;
}

Labelling with_time_of_throughput(Labelling in) {
  RoleRequest& request = in.request;
  if (!request.throughput)
    return in;
  const ThroughputTime time = requested_time(in.table(), request);
  in.table() = with_time_of(in.table(), *request.throughput, time.column);
  request.target = time.column;
  request.ignore.push_back(request.throughput->column);
  if (!request.time_unit)
    request.time_unit = time.unit;
  in.notices.push_back(words_for(*request.throughput, time, in.table()));
  Labelling::add(warning_of_work(*request.throughput, in.table()), in.warnings);
  return in;
}

Labelling with_columns_asked_for(Labelling in) {
  in.table() = derive_as_requested(in.table(), in.request.derived);
  if (in.request.formula)
    in.request = with_formula_columns(in.table(), std::move(in.request));
  return in;
}

Labelling without_gaps(Labelling in) {
  if (in.asked.failed == FailedRunsAre::refused)
    return in;
  for (const std::string& column : columns_with_gaps(in.table(), in.request))
    in.warnings.push_back(drop_gaps(column, in.text_columns, in.table()) + "; --ignore " +
                          shell_word(column) + " keeps them");
  return in;
}

/// The last step.
LabelledRuns with_roles(Labelling in) {
  LabelledRuns out{.file = {}, .roles = resolve_roles(in.table(), in.request), .rows = {}};
  out.roles.throughput = in.request.throughput;
  warn_of_written_numbers(in.table(), out.roles, in.asked, in.warnings);
  if (!in.request.throughput)
    Labelling::add(warning_of_throughput(out.roles.target), in.warnings);
  if (in.asked.totals_per_worker)
    count_total_per_worker(in.table(), out.roles);
  out.roles.notices.insert(out.roles.notices.begin(), in.notices.begin(), in.notices.end());
  out.rows = rows_by_content(in.table(), out.roles.target);
  out.warnings = std::move(in.warnings);
  out.file = std::move(in.file);
  return out;
}

}  // namespace

LabelledRuns label_runs(RunsFile file, const RoleRequest& request) {
  Labelling runs{.file = std::move(file),
                 .asked = request,
                 .request = request,
                 .text_columns = {request.categorical.begin(), request.categorical.end()}};
  for (const auto step :
       {with_states_known, with_reading, with_one_result, without_columns_about_runs,
        with_measured_column, with_failures_entered, without_failed, with_equal_files_told,
        with_truth_values_alike, with_time_of_throughput, with_columns_asked_for, without_gaps})
    runs = step(std::move(runs));
  return with_roles(std::move(runs));
}

LabelledRuns label_runs(RunsFile file, const FittedModel& earlier, const RoleRequest& request) {
  const ModelSpec& spec = earlier.spec;
  LabelledRuns runs;
  runs.file = std::move(file);
  Table& table = runs.file.table;
  if (auto notice = reading_notice(table))
    runs.roles.notices.emplace_back(*std::move(notice));
  ReadingRules& reading = runs.file.reading;
  ReadingRules rules = rules_as_in_fit(
      {reading.input, request.failed, request.limit, request.status}, earlier.provenance.reading);
  rules.input = std::move(reading.input);
  reading = std::move(rules);
  UncountedRuns uncounted = leave_out_uncounted(runs.file, spec);
  runs.warnings = std::move(uncounted.warnings);
  for (const auto* notices : {&runs.file.notices, &uncounted.notices})
    for (const std::string& notice : *notices)
      if (!contains(runs.roles.notices, notice))
        runs.roles.notices.push_back(notice);
  warn_of_equal_files(runs.file, runs.warnings);
  table = with_derived_columns(table, spec.derived);
  if (spec.throughput)
    table = with_time_of(table, *spec.throughput, spec.target);
  if (table.find(spec.target) == nullptr)
    throw InputError(table.no_column(spec.target));
  runs.roles.target = spec.target;
  runs.rows = rows_by_content(table, spec.target);
  return runs;
}

UncountedRuns leave_out_uncounted(RunsFile& runs, const ModelSpec& spec, bool may_be_empty) {
  UncountedRuns out;
  Table& table = runs.table;
  ReadingRules reading = runs.reading;
  const std::set<std::string> text_columns = categorical_columns(spec);
  if (const std::string measured = judged_column(table, spec); table.find(measured) != nullptr) {
    forget_missing(table, reading, out.warnings);
    if (!runs.results.empty())
      leave_out_unmeasured(runs, measured, text_columns, out.notices);
    enter_failures(measured, reading, table);
    if (auto short_runs = raise_to_resolution(measured, table))
      out.notices.push_back(*std::move(short_runs));
    if (reading.limit)
      mark_cut_runs(measured, *reading.limit, table);
    if (reading.failed != FailedRunsAre::refused)
      if (auto failed = take_failed_away(runs, measured, text_columns, reading.failed))
        out.warnings.push_back(*std::move(failed));
  }
  const std::size_t rows = table.rows();
  if (reading.failed != FailedRunsAre::refused)
    for (const std::string& column : inputs_with_gaps(table, spec))
      out.warnings.push_back(drop_gaps(column, text_columns, table));
  out.gaps = rows - table.rows();
  if (table.rows() == 0 && !may_be_empty)
    throw InputError(out.warnings.back());
  return out;
}

std::optional<std::string> drop_failed_runs(RunsFile& runs, const std::string& column,
                                            const std::set<std::string>& text_columns,
                                            FailedRunsAre how) {
  std::optional<std::string> words = take_failed_away(runs, column, text_columns, how);
  if (runs.table.rows() == 0 && words)
    throw InputError(*words);
  return words;
}

std::string judged_column(const Table& runs, const ModelSpec& spec) {
  const bool rated = spec.throughput && runs.find(spec.throughput->column) != nullptr;
  return rated ? spec.throughput->column : spec.target;
}

TestRuns select_test_runs(Table table, const ModelSpec& spec, const ReadingRules& reading,
                          bool gated) {
  RunsFile runs{.path = {}, .bytes = {}, .table = std::move(table), .reading = reading};
  const UncountedRuns uncounted = leave_out_uncounted(runs, spec);
  std::vector<std::string> warnings = uncounted.warnings;
  if (gated && uncounted.gaps > 0)
    throw InputError(warnings.back() + "; --fail-if needs predictions for all");
  const KnownLevelRows known = rows_of_known_levels(runs.table, spec);
  if (known.unknown.empty())
    return {make_design(runs.table, spec, Target::required), std::move(warnings)};
  const std::string& source = runs.table.source;
  const std::string reason = ": " + because_of(known.unknown);
  const std::string of_rows = std::to_string(runs.table.rows() - known.rows.size()) + " of " +
                              std::to_string(runs.table.rows()) + " rows";
  if (known.rows.empty())
    throw InputError(source + ": no row can be judged" + reason);
  if (gated) {
    throw InputError(
        source + ": " + of_rows + " cannot be judged" + reason +
        "; --fail-if needs predictions for all: remove these rows, or fit such runs too");
  }
  warnings.push_back(source + ": " + of_rows + " are left out of the test" + reason);
  return {make_design(runs.table, spec, Target::required, known.rows), std::move(warnings)};
}

}  // namespace perfmodel
