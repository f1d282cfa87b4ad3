#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "roles/column_facts.hpp"
#include "roles/cut_runs.hpp"
#include "roles/derived.hpp"
#include "roles/left_out.hpp"
#include "roles/quantities.hpp"
#include "roles/roles.hpp"
#include "roles/unit_columns.hpp"
#include "sources/csv.hpp"
#include "sources/source.hpp"
#include "storage/files.hpp"
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
  leave_out_unmeasured(file, *measured, {request.categorical.begin(), request.categorical.end()},
                       notices);
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

std::vector<CsvText> csv_texts_of(const std::vector<SourceText>& files) {
  std::vector<CsvText> out;
  for (const SourceText& file : files)
    out.push_back({file.csv, file.source, 0, file.read_as.decimal, file.read_as.separator});
  return out;
}

/// What the files say besides their rows.
RunsFile without_rows(const std::vector<SourceText>& files) {
  RunsFile out;
  out.reading.input = files.front().read_as;
  for (const SourceText& file : files) {
    add_new(file.results, out.results);
    add_new(file.notices, out.notices);
    add_new(file.described, out.described);
  }
  return out;
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

/// The options by which files would be read as in a fit; empty if it recognised all.
std::string options_of(const ReadingRules& reading) {
  std::vector<std::string> words;
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (!value.empty())
      words.push_back(flag + " " + shell_word(value));
  };
  const InputOptions& input = reading.input;
  add("--separator", std::string(input.separator ? 1 : 0, input.separator.value_or(' ')));
  add("--decimal", std::string(input.decimal ? 1 : 0, input.decimal.value_or(' ')));
  add("--input-format", input.format ? std::string(to_text(*input.format)) : "");
  add("--study", input.study);
  add("--experiment", input.experiment);
  add("--sql", input.sql);
  for (const FactsFile& facts : input.facts)
    add("--facts", facts.column + "=" + facts.path);
  add("--status", reading.status.value_or(""));
  add("--limit", reading.limit.value_or(""));
  return joined(words, " ");
}

}  // namespace

void append_facts(const std::set<std::string>& text_columns, RunsFile& runs) {
  InputOptions& input = runs.reading.input;
  const std::shared_ptr<const InputOptions> of_fit = std::exchange(input.of_fit, nullptr);
  const auto append = [&](FactsFile& facts, bool is_asked) {
    SourceText text = facts.csv.empty() ? read_source(facts.path, {})
                                        : SourceText{.csv = facts.csv, .source = facts.path};
    add_new(text.notices, runs.notices);
    const Table known =
        parse_csv(std::array{CsvText{text.csv, text.source}}, text_columns, std::nullopt);
    facts = {facts.column, base_name(facts.path), std::move(text.csv)};
    const bool is_known = std::ranges::any_of(known.columns, [&](const Column& fact) {
      return fact.name != facts.column && runs.table.find(fact.name) != nullptr;
    });
    if (!is_asked && (is_known || runs.table.find(facts.column) == nullptr))
      return;
    runs.table = with_facts(std::move(runs.table), facts.column, known);
    runs.described.push_back(facts.column);
  };
  for (FactsFile& facts : input.facts)
    append(facts, true);
  for (FactsFile facts : of_fit ? of_fit->facts : std::vector<FactsFile>())
    if (!contains(mapped(input.facts, &FactsFile::column), facts.column)) {
      append(facts, false);
      input.facts.push_back(std::move(facts));
    }
}

ReadingRules rules_as_in_fit(ReadingRules asked, const ReadingRules& of_fit) {
  asked.input.of_fit = std::make_shared<const InputOptions>(of_fit.input);
  if (asked.failed == FailedRunsAre::told)
    asked.failed = of_fit.failed;
  for (const auto member : {&ReadingRules::limit, &ReadingRules::status})
    if (!(asked.*member))
      asked.*member = of_fit.*member;
  return asked;
}

RunsFile read_further_runs(const std::vector<std::string>& paths,
                           const std::set<std::string>& text_columns, const ReadingRules& asked,
                           const ReadingRules& of_fit, const ReadProgress& progress) {
  ReadingRules rules = rules_as_in_fit(asked, of_fit);
  RunsFile out = read_runs(paths, text_columns, rules.input, progress);
  rules.input = out.reading.input;
  out.reading = std::move(rules);
  if (asked.status && out.table.find(*asked.status) == nullptr)
    throw UsageError("--status: " + out.table.no_column(*asked.status));
  if (const std::string words = options_of(of_fit); !words.empty())
    out.notices.push_back("The runs are read as those of the fit, " + words +
                          ", unless options say otherwise.");
  return out;
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
  ReadingRules& reading = runs.file.reading;
  reading = {std::move(reading.input), request.failed, request.limit, request.status};
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
  if (measured)
    enter_failures(*measured, reading, table);
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
      runs.warnings.push_back(drop_gaps(column, text_columns, table) + "; --ignore " +
                              shell_word(column) + " keeps them");
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

LabelledRuns label_runs(RunsFile file, const FittedModel& earlier, const RoleRequest& request) {
  const ModelSpec& spec = earlier.spec;
  LabelledRuns runs;
  runs.file = std::move(file);
  Table& table = runs.file.table;
  if (auto notice = reading_notice(table))
    runs.roles.notices.emplace_back(*std::move(notice));
  add_new(runs.file.notices, runs.roles.notices);
  ReadingRules& reading = runs.file.reading;
  ReadingRules rules = rules_as_in_fit(
      {reading.input, request.failed, request.limit, request.status}, earlier.provenance.reading);
  rules.input = std::move(reading.input);
  reading = std::move(rules);
  UncountedRuns uncounted = leave_out_uncounted(runs.file, spec);
  runs.warnings = std::move(uncounted.warnings);
  add_new(uncounted.notices, runs.roles.notices);
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
  runs.table = parse_csv(csv_texts_of(files), text_columns, std::nullopt, progress);
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
  runs.reading.input.facts = input.facts;
  runs.reading.input.of_fit = input.of_fit;
  append_facts(text_columns, runs);
  return runs;
}

WrittenRuns read_as_written(const std::vector<std::string>& paths, const InputOptions& input) {
  const std::vector<SourceText> files = read_sources(paths, input);
  WrittenRuns out{without_rows(files)};
  auto [table, cells] = parse_csv_with_cells(csv_texts_of(files), std::nullopt);
  out.runs.table = std::move(table);
  out.cells = std::move(cells);
  out.runs.reading.input.facts = input.facts;
  append_facts({}, out.runs);
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
                 runs.failed,
                 {},
                 roles.left_out,
                 runs.reading};
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
