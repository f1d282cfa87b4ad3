#include "jobs/large_runs.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "fit/global_search.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "sources/large_csv.hpp"
#include "table/column_facts.hpp"
#include "table/formula.hpp"
#include "table/table.hpp"

namespace perfmodel {

/// The runs that failed among the lines, as those of a whole table: cells that are numbers by their
/// values, where all are.
std::vector<FailedRuns> failed_runs(const CsvBeginning& beginning, const MergedLines& merged);

namespace {

/// Of those that failed alike.
constexpr std::size_t kMostFailedLines = 5;

}  // namespace

std::vector<FailedRuns> failed_runs(const CsvBeginning& beginning, const MergedLines& merged) {
  const auto& failed = merged.failed();
  const bool numeric = std::all_of(failed.begin(), failed.end(), [](const auto& each) {
    return parse_number(each.first).has_value();
  });
  std::map<std::string, FailedRuns> by_cell;
  for (const auto& [cell, runs] : failed) {
    const std::string text = numeric ? to_text(*parse_number(cell)) : cell;
    FailedRuns& own = by_cell[text];
    own.file = base_name(beginning.source);
    own.cell = text;
    own.rows += runs.runs;
    for (const std::uint64_t line : runs.lines)
      own.lines.push_back(line_of_file(beginning, line));
    std::sort(own.lines.begin(), own.lines.end());
    own.lines.resize(std::min(own.lines.size(), kMostFailedLines));
  }
  std::vector<FailedRuns> out;
  for (auto& [cell, runs] : by_cell)
    out.push_back(std::move(runs));
  return out;
}

namespace {

/// Each thread has tables of its own.
constexpr std::size_t kMostReaders = 4;

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The columns that others are computed from.
std::vector<std::string> sources_of(const RoleRequest& roles) {
  std::vector<std::string> out;
  for (const DerivedColumn& derived : roles.derived)
    out.insert(out.end(), derived.of.begin(), derived.of.end());
  if (roles.throughput && !roles.throughput->work.empty()) {
    const std::vector<std::string> work =
        Formula::names_in(roles.throughput->work, Sentence(Field{"work"}));
    out.insert(out.end(), work.begin(), work.end());
  }
  return out;
}

/// Whether what stands in the column can make a difference.
bool plays_a_part(const std::string& column, const RoleRequest& roles) {
  if (is_among(sources_of(roles), column))
    return true;
  if (is_among(roles.ignore, column))
    return false;
  return !roles.intrinsic || is_among(*roles.intrinsic, column) ||
         is_among(roles.categorical, column) || !roles.extrinsic ||
         is_among(*roles.extrinsic, column);
}

std::set<std::string> text_columns(const RoleRequest& roles) {
  return {roles.categorical.begin(), roles.categorical.end()};
}

}  // namespace

LargeRuns::LargeRuns(const std::string& path, const RoleRequest& roles,
                     std::optional<char> separator, const LargeRunsRequest& request,
                     const FitOptions& options)
    : roles_(roles),
      request_(request),
      threads_(std::clamp<std::size_t>(options.threads, 1, kMostReaders)),
      empty_{std::nullopt, LineSample(request.sample_rows.value_or(0), options.seed)} {
  beginning_ = read_beginning(path, text_columns(roles), separator);
  if (!request.merge)
    return;
  // Where the name of no column tells which is the time, all of them may.
  const std::string time = measured_column(beginning_.table, roles).value_or("");
  const std::string named = time.empty() ? resolve_roles(beginning_.table, roles).target : time;
  const std::vector<std::string> names = beginning_.table.names();
  time_ = static_cast<std::size_t>(std::find(names.begin(), names.end(), named) - names.begin());
  empty_.merged.emplace(layout(), request.limits);
}

LineLayout LargeRuns::layout() const {
  LineLayout out;
  out.style = beginning_.table.style;
  out.names = beginning_.table.names();
  out.time = time_;
  for (const std::string& name : out.names)
    out.plays_no_part.push_back(!plays_a_part(name, roles_));
  if (roles_.drop_failed)
    out.is_failure = says_failed;
  return out;
}

LabelledRuns LargeRuns::read(const ReadProgress& progress) const {
  if (beginning_.pipe) {
    const LargePart whole = read_lines(beginning_, empty_, 1, progress);
    return labelled(whole, beginning_.pipe->sha256());
  }
  std::future<std::string> digest =
      std::async(std::launch::async, [this] { return sha256_of_file(beginning_.path); });
  const LargePart whole = read_lines(beginning_, empty_, threads_, progress);
  return labelled(whole, digest.get());
}

std::string LargeRuns::words_of_failed(const RunsFile& file, std::size_t others) const {
  std::size_t rows = others;
  for (const FailedRuns& failed : file.failed)
    rows += failed.rows;
  return words_for(file.failed, beginning_.table.names()[time_], rows);
}

LabelledRuns LargeRuns::labelled(const LargePart& whole, std::string sha256) const {
  RunsFile file;
  file.path = beginning_.path;
  file.sha256 = std::move(sha256);
  std::optional<Sentence> notice;
  if (!request_.merge) {
    file.table = table_of(beginning_, whole.sample);
    notice = Sentence("The model is fitted to " + std::to_string(whole.sample.drawn().size()) +
                      " rows, drawn at random from " +
                      std::to_string(whole.sample.lines_to_draw_from()) + ".");
  } else {
    file.failed = failed_runs(beginning_, *whole.merged);
    if (!file.failed.empty() && whole.merged->configurations() == 0)
      throw InputError(words_of_failed(file, 0));
    file.table = table_of(beginning_, *whole.merged, time_);
    if (!request_.single_rows_for.empty() && !file.table.runs.empty()) {
      if (file.table.measured_runs() > request_.most_single_rows)
        throw InputError(Sentence(beginning_.source + ": ") + request_.single_rows_for + " takes " +
                         std::to_string(request_.most_single_rows) +
                         " rows at most where they are merged: draw some with " +
                         Field{"sample_rows", {"100000"}});
      file.table = one_by_one(file.table);
    }
  }
  std::optional<std::string> failures;
  if (!file.failed.empty())
    failures = words_of_failed(file, file.table.measured_runs());
  LabelledRuns out = label_runs(std::move(file), roles_);
  if (failures)
    out.warnings.insert(out.warnings.begin(), *failures);
  if (request_.merge && request_.single_rows_for.empty() && out.file.table.runs.empty())
    throw InputError(beginning_.source + ": rows without a time > 0 cannot be merged");
  if (notice)
    out.roles.notices.push_back(*notice);
  return out;
}

namespace {

/// Appends to what was asked for, separated by commas.
void add_asked(bool asked, const Sentence& what, Sentence& out) {
  if (asked)
    out += (out.empty() ? Sentence() : Sentence(", ")) + what;
}

}  // namespace

Sentence needs_rows_of_file(const FitRequest& request) {
  const SplitShares all;
  Sentence out;
  add_asked(request.split.validation != all.validation || request.split.test != all.test,
            Sentence(Field{"split"}), out);
  add_asked(request.bootstrap.has_value(), Sentence(Field{"bootstrap"}), out);
  add_asked(request.held_out.folds.has_value(), Sentence(Field{"folds"}), out);
  add_asked(request.held_out.coverage.has_value(), Sentence(Field{"coverage"}), out);
  return out;
}

Sentence needs_single_rows(const FitRequest& request) {
  const Expression expression = request.options.expression;
  Sentence out;
  add_asked(expression != Expression::generic,
            Field{"expression", {std::string(to_text(expression))}}, out);
  add_asked(request.options.residual == Residual::process, Field{"residual", {"process"}}, out);
  return out;
}

}  // namespace perfmodel
