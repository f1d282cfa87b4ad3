#include <fmt/format.h>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "columns/column_facts.hpp"
#include "columns/cut_runs.hpp"
#include "columns/derived.hpp"
#include "columns/design.hpp"
#include "columns/left_out.hpp"
#include "columns/roles.hpp"
#include "columns/spec.hpp"
#include "columns/unit_columns.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/table.hpp"
#include "sources/csv.hpp"
#include "sources/source.hpp"
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

void warn_of_equal_files(LabelledRuns& runs) {
  const std::vector<DataFile>& files = runs.file.files;
  const std::vector<std::string>& names = runs.file.table.sources;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (files[earlier].sha256 != files[i].sha256)
        continue;
      runs.warnings.emplace_back(names[i] + " holds the same bytes as " + names[earlier] +
                                 ": each of these runs counts as measured twice; leave one out");
      break;
    }
  }
}

/// Warns of inferred levels that a reader takes for numbers: a scale would have no power.
void warn_of_written_numbers(const RoleRequest& request, LabelledRuns& runs) {
  const std::vector<std::string>& wanted = request.categorical;
  for (const std::string& name : runs.roles.categorical) {
    const Column& column = runs.file.table.at(name);
    if (!holds_written_numbers(column) || contains(wanted, name))
      continue;
    const std::string& cell = column.text(0);
    const auto plain = without_group_marks(cell);
    runs.warnings.push_back(runs.file.table.where(0) + ": column '" + name + "': \"" + cell +
                            "\" is not a number, so the column is taken as levels; write " +
                            (plain ? *plain : "all digits") + ", or pass --categorical " +
                            shell_word(name) + " if these are names");
  }
}

/// The measured column of a file whose format declares results: the requested one (nullopt if there
/// is no such column), the only one, or the one with the name of a time.
std::optional<std::string> measured_result(const RunsFile& file, RoleRequest request) {
  if (request.target || request.throughput)
    return measured_column(file.table, request);
  if (file.results.size() == 1)
    return file.results.front();
  for (const std::string& name : file.table.names())
    if (!contains(file.results, name))
      request.ignore.push_back(name);
  const auto measured = measured_column(file.table, request);
  if (measured && (may_be_time_name(*measured) || file.table.at(*measured).unit == "s"))
    return measured;
  throw InputError(fmt::format("{}: which of {} is the measured time? Pass --target {}",
                               file.table.source, quoted_list(file.results),
                               shell_word(file.results.front())));
}

/// Leaves out the results other than the measured one, and the runs of which it was not measured.
void leave_out_other_results(RunsFile& file, RoleRequest& request,
                             std::vector<std::string>& notices) {
  const auto named = [&](const std::string& column) {
    return contains(request.ignore, column) || contains(request.categorical, column) ||
           (request.extrinsic && contains(*request.extrinsic, column)) ||
           (request.intrinsic && contains(*request.intrinsic, column));
  };
  const auto measured = measured_result(file, request);
  if (!measured)
    return;  // what was requested is refused later
  std::vector<std::string> others;
  for (const std::string& result : file.results)
    if (result != *measured && !named(result))
      others.push_back(result);
  if (!request.target && !request.throughput) {
    request.target = measured;
    notices.push_back(fmt::format("Column '{}' is taken as the measured time.", *measured));
  }
  if (!others.empty())
    notices.push_back(fmt::format("{} {}.", columns_named(others),
                                  others.size() == 1
                                      ? "is another result of the runs and is left out"
                                      : "are other results of the runs and are left out"));
  request.ignore.insert(request.ignore.end(), others.begin(), others.end());
  const std::size_t rows = file.table.rows();
  WithoutFailed with_result = without_failed_runs(
      file.table, *measured, {request.categorical.begin(), request.categorical.end()},
      [](const std::string& cell) { return cell.empty(); });
  if (with_result.failed.empty() || with_result.table.rows() == 0)
    return;
  file.table = std::move(with_result.table);
  notices.push_back(fmt::format("{} of {} runs have no '{}' and are left out.",
                                rows - file.table.rows(), rows, *measured));
}

/// True if both paths are the same existing file, possibly through links.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code no_matter;
  return a == b || (a != "-" && b != "-" && std::filesystem::equivalent(a, b, no_matter));
}

void refuse_second(const std::string& path, const std::vector<std::string>& paths) {
  for (const std::string& other : paths) {
    if (&other == &path || !is_same_file(path, other))
      continue;
    throw UsageError("'" + path + "' is given twice" +
                     (path == other ? "" : ", also as '" + other + "'"));
  }
}

/// Appends those words that `known` does not have.
void add_new(const std::vector<std::string>& words, std::vector<std::string>& known) {
  for (const std::string& word : words)
    if (!contains(known, word))
      known.push_back(word);
}

/// The files as CSV, in their order. Throws UsageError if one is given twice.
std::vector<SourceText> read_sources(const std::vector<std::string>& paths,
                                     const InputOptions& input) {
  std::vector<SourceText> files;
  for (const std::string& path : paths) {
    refuse_second(path, paths);
    files.push_back(read_source(path, input));
  }
  return files;
}

std::vector<CsvText> csv_texts_of(const std::vector<SourceText>& files, const InputOptions& input) {
  std::vector<CsvText> out;
  for (const SourceText& file : files)
    out.push_back({file.csv, file.source, 0, input.decimal});
  return out;
}

/// What the files say besides their rows.
RunsFile without_rows(const std::vector<SourceText>& files) {
  RunsFile out;
  for (const SourceText& file : files) {
    add_new(file.results, out.results);
    add_new(file.notices, out.notices);
    add_new(file.described, out.described);
  }
  return out;
}

/// Appends the requested facts to the table that was read.
void add_facts(const InputOptions& input, const std::set<std::string>& text_columns,
               RunsFile& runs) {
  for (const FactsFile& facts : input.facts) {
    const SourceText text = read_source(facts.path, {});
    add_new(text.notices, runs.notices);
    runs.table = with_facts(
        std::move(runs.table), facts.column,
        parse_csv(std::array{CsvText{text.csv, text.source}}, text_columns, std::nullopt));
    runs.described.push_back(facts.column);
  }
}

}  // namespace

/// Leaves out the rows that have no value of an input.
std::string drop_gaps(const std::string& column, const std::set<std::string>& text_columns,
                      Table& table) {
  constexpr std::size_t most_named = 5;
  const std::size_t rows = table.rows();
  WithoutFailed left = without_failed_runs(
      table, column, text_columns, [](const std::string& cell) { return is_missing(cell); });
  std::vector<std::string> places;
  for (std::size_t row = 0; row < left.failed_rows.rows(); ++row)
    places.push_back(left.failed_rows.where(row));
  table = std::move(left.table);
  return fmt::format("{} of {} rows have no '{}' ({}) and are left out; --ignore {} keeps them",
                     places.size(), rows, column, enumerated(places, most_named),
                     shell_word(column));
}

LabelledRuns label_runs(RunsFile file, const RoleRequest& request) {
  LabelledRuns runs;
  runs.file = std::move(file);
  Table& table = runs.file.table;
  std::vector<std::string> notices;
  if (auto notice = reading_notice(table))
    notices.emplace_back(*std::move(notice));
  for (const std::string& sentence : runs.file.notices)
    notices.emplace_back(sentence);
  RoleRequest timed = request;
  if (!runs.file.results.empty())
    leave_out_other_results(runs.file, timed, notices);
  for (const std::string& column : runs.file.described) {
    if (contains(request.categorical, column))
      continue;
    timed.ignore.push_back(column);
    notices.push_back(fmt::format("Column '{}' is no input, but the facts about it are.", column));
  }
  for (const auto& column : {request.limit, request.status})
    if (column && table.find(*column) != nullptr)
      timed.ignore.push_back(*column);
  if (const auto rate = measured_rate(table, timed)) {
    timed.throughput = Throughput{*rate, {}};
    notices.push_back(
        fmt::format("Column '{}' is taken as the measured throughput, by its name.", *rate));
  }
  const auto measured = measured_column(table, timed);
  if (measured && request.status)
    tell_failures(*request.status, *measured, table);
  if (measured && request.failed != FailedRunsAre::refused)
    share_reasons(*measured, table);
  if (measured)
    timed.results = columns_of_failures(*measured, table);
  if (measured)
    if (auto short_runs = raise_to_resolution(*measured, table))
      notices.push_back(*std::move(short_runs));
  if (measured && request.failed == FailedRunsAre::censored)
    if (auto cut = set_limits(*measured, request.limit, table))
      notices.push_back(*std::move(cut));
  const std::set<std::string> text_columns(request.categorical.begin(), request.categorical.end());
  if (measured && request.failed != FailedRunsAre::refused)
    if (auto failed = drop_failed_runs(runs.file, *measured, text_columns, request.failed)) {
      // Who drops the runs that were ended at a limit fits the short ones.
      if (request.failed == FailedRunsAre::told && were_cut(runs.file.failed, table.at(*measured)))
        *failed += "; --failed censor --limit LIMIT counts those that were ended as longer";
      runs.warnings.emplace_back(*std::move(failed));
    }
  if (measured)
    require_one_unit(table, *measured, text_columns);
  warn_of_equal_files(runs);
  for (std::string& sentence : unify_truth_values(table))
    notices.emplace_back(std::move(sentence));
  if (timed.throughput) {
    const ThroughputTime time = requested_time(table, timed);
    table = with_time_of(table, *timed.throughput, time.column);
    timed.target = time.column;
    timed.ignore.push_back(timed.throughput->column);
    if (!timed.time_unit)
      timed.time_unit = time.unit;
    notices.push_back(words_for(*timed.throughput, time, table));
    if (auto warning = warning_of_work(*timed.throughput, table))
      runs.warnings.push_back(*std::move(warning));
  }
  table = derive_as_requested(table, timed.derived);
  if (timed.formula)
    timed = with_formula_columns(table, std::move(timed));
  if (request.failed != FailedRunsAre::refused)
    for (const std::string& column : columns_with_gaps(table, timed))
      runs.warnings.push_back(drop_gaps(column, text_columns, table));
  runs.roles = resolve_roles(table, timed);
  runs.roles.throughput = timed.throughput;
  warn_of_written_numbers(request, runs);
  if (!timed.throughput)
    if (auto warning = warning_of_throughput(runs.roles.target))
      runs.warnings.push_back(*std::move(warning));
  if (request.totals_per_worker)
    count_total_per_worker(table, runs.roles);
  runs.roles.notices.insert(runs.roles.notices.begin(), notices.begin(), notices.end());
  runs.rows = rows_by_content(table, runs.roles.target);
  return runs;
}

LabelledRuns label_runs(RunsFile file, const FittedModel& earlier, FailedRunsAre how) {
  const ModelSpec& spec = earlier.spec;
  LabelledRuns runs;
  runs.file = std::move(file);
  Table& table = runs.file.table;
  if (auto notice = reading_notice(table))
    runs.roles.notices.emplace_back(*std::move(notice));
  add_new(runs.file.notices, runs.roles.notices);
  if (how != FailedRunsAre::refused)
    if (auto failed = drop_failed_runs(runs.file, spec, how))
      runs.warnings.emplace_back(*std::move(failed));
  if (table.find(spec.target) != nullptr)
    if (auto short_runs = raise_to_resolution(spec.target, table))
      runs.roles.notices.push_back(*std::move(short_runs));
  warn_of_equal_files(runs);
  table = with_derived_columns(table, spec.derived);
  if (spec.throughput)
    table = with_time_of(table, *spec.throughput, spec.target);
  if (table.find(spec.target) == nullptr)
    throw InputError(table.no_column(spec.target));
  runs.roles.target = spec.target;
  runs.rows = rows_by_content(table, spec.target);
  return runs;
}

RunsFile read_runs(const std::string& path, const std::set<std::string>& text_columns,
                   const InputOptions& input, const ReadProgress& progress) {
  return read_runs(std::vector{path}, text_columns, input, progress);
}

RunsFile read_runs(const std::vector<std::string>& paths, const std::set<std::string>& text_columns,
                   const InputOptions& input, const ReadProgress& progress) {
  std::vector<SourceText> files = read_sources(paths, input);
  RunsFile runs = without_rows(files);
  runs.table = parse_csv(csv_texts_of(files, input), text_columns, input.separator, progress);
  if (paths.size() == 1) {
    runs.path = paths.front();
    runs.bytes = std::move(files.front().csv);
    runs.sha256 = std::move(files.front().sha256);
  } else {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const SourceText& file = files[i];
      names.push_back(base_name(paths[i]));
      runs.files.push_back({names[i], 0, file.sha256.empty() ? sha256(file.csv) : file.sha256});
      runs.bytes += file.csv;
    }
    runs.path = joined(names, ", ");
  }
  add_facts(input, text_columns, runs);
  return runs;
}

WrittenRuns read_as_written(const std::vector<std::string>& paths, const InputOptions& input) {
  const std::vector<SourceText> files = read_sources(paths, input);
  WrittenRuns out{without_rows(files)};
  auto [table, cells] = parse_csv_with_cells(csv_texts_of(files, input), input.separator);
  out.runs.table = std::move(table);
  out.cells = std::move(cells);
  add_facts(input, {}, out.runs);
  return out;
}

std::optional<std::string> drop_failed_runs(RunsFile& runs, const std::string& column,
                                            const std::set<std::string>& text_columns,
                                            FailedRunsAre how) {
  const std::size_t rows = runs.table.rows();
  WithoutFailed left = without_failed_runs(runs.table, column, text_columns, dropped_if(how));
  if (left.failed.empty())
    return std::nullopt;
  runs.table = std::move(left.table);
  runs.failed_rows = std::move(left.failed_rows);
  runs.failed = std::move(left.failed);
  std::string words = words_for(runs.failed, column, rows);
  if (runs.table.rows() == 0)
    throw InputError(words);
  return words;
}

std::string judged_column(const Table& runs, const ModelSpec& spec) {
  const bool rated = spec.throughput && runs.find(spec.throughput->column) != nullptr;
  return rated ? spec.throughput->column : spec.target;
}

std::optional<std::string> drop_failed_runs(RunsFile& runs, const ModelSpec& spec,
                                            FailedRunsAre how) {
  const std::string column = judged_column(runs.table, spec);
  return runs.table.find(column) == nullptr
             ? std::nullopt
             : drop_failed_runs(runs, column, categorical_columns(spec), how);
}

std::optional<std::string> reading_notice(const Table& table) {
  std::vector<std::string> sentences;
  if (const std::string& number = table.style.decimal_comma; !number.empty()) {
    std::string read = number;
    read[read.find(',')] = '.';
    sentences.push_back(
        fmt::format("Commas in numbers are decimal commas: \"{}\" is {}.", number, read));
  }
  if (const auto& thousands = table.style.thousands; !thousands.empty())
    sentences.push_back("Marks of thousands are removed: " + enumerated(thousands, 6) + ".");
  return sentences.empty() ? std::nullopt : std::optional(joined(sentences, " "));
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Provenance provenance_of(const RunsFile& runs, const Roles& roles) {
  Provenance out{"perfmodel " PERFMODEL_VERSION,
                 runs.files.empty() ? base_name(runs.path) : runs.path,
                 runs.table.rows(),
                 runs.sha256.empty() && !runs.bytes.empty() ? sha256(runs.bytes) : runs.sha256,
                 roles.notices,
                 runs.files,
                 runs.failed};
  for (const std::uint32_t file : runs.table.file)
    ++out.files[file].rows;
  return out;
}

std::set<std::string> categorical_columns(const ModelSpec& spec) {
  std::set<std::string> columns;
  for (const auto& input : spec.categorical)
    columns.insert(input.column);
  return columns;
}

TestRuns select_test_runs(Table table, const ModelSpec& spec, FailedRunsAre failed, bool gated) {
  RunsFile runs{{}, {}, std::move(table)};
  std::vector<std::string> warnings;
  if (failed != FailedRunsAre::refused)
    if (auto words = drop_failed_runs(runs, spec, failed))
      warnings.push_back(*std::move(words));
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
