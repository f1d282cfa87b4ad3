#include "jobs/large_runs.hpp"

#include <algorithm>
#include <future>
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

namespace {

/// Limits memory, since each reading thread has its own tables.
constexpr std::size_t kMostReaders = 4;

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The columns from which others are computed.
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

/// True if the column can influence the fit.
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

/// The columns by which rows are equal.
LineKey key_of(const Table& table, const RoleRequest& roles) {
  // If no column name identifies the time, it is inferred from the first rows.
  const std::string named = measured_column(table, roles).value_or("");
  const std::string time = named.empty() ? resolve_roles(table, roles).target : named;
  LineKey out{.separator = table.style.separator, .names = table.names(), .counts = {}};
  for (const std::string& name : out.names)
    out.counts.push_back(name == time || plays_a_part(name, roles));
  return out;
}

/// The rows as runs, expanded again if necessary.
LabelledRuns labelled(const CsvBeginning& beginning, const LineSink& whole, std::string sha256,
                      const RoleRequest& roles, const LargeRunsRequest& request) {
  RunsFile file;
  file.path = beginning.path;
  file.sha256 = std::move(sha256);
  file.table = std::visit([&](const auto& lines) { return table_of(beginning, lines); }, whole);
  if (!request.single_rows_for.empty()) {
    if (file.table.measured_runs() > request.most_single_rows)
      throw InputError(Sentence(beginning.source + ": ") + request.single_rows_for + " takes " +
                       std::to_string(request.most_single_rows) +
                       " rows at most where they are merged: draw some with " +
                       Field{"sample_rows", {"100000"}});
    file.table = one_by_one(file.table);
  }
  LabelledRuns out = label_runs(std::move(file), roles);
  if (const auto* sample = std::get_if<LineSample>(&whole))
    out.roles.notices.emplace_back(
        "The model is fitted to " + std::to_string(sample->drawn().size()) +
        " rows, drawn at random from " + std::to_string(sample->lines_to_draw_from()) + ".");
  return out;
}

}  // namespace

LabelledRuns read_large_runs(const std::string& path, const RoleRequest& roles,
                             const InputOptions& input, const LargeRunsRequest& request,
                             const FitOptions& options, const ReadProgress& progress) {
  const CsvBeginning beginning = read_beginning(path, text_columns(roles), input);
  LineSink empty = LineSample(request.sample_rows.value_or(0), options.seed);
  if (request.merge)
    empty = CountedLines(key_of(beginning.table, roles), request.most_different_rows);
  if (beginning.pipe) {
    const LineSink whole = read_lines(beginning, empty, 1, progress);
    return labelled(beginning, whole, beginning.pipe->sha256(), roles, request);
  }
  std::future<std::string> digest =
      std::async(std::launch::async, [&] { return sha256_of_file(beginning.path); });
  const LineSink whole = read_lines(
      beginning, empty, std::clamp<std::size_t>(options.threads, 1, kMostReaders), progress);
  return labelled(beginning, whole, digest.get(), roles, request);
}

namespace {

/// Appends `what` to the comma-separated list if `asked`.
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
  add_asked(request.options.quantile.has_value(), Sentence(Field{"quantile"}), out);
  add_asked(request.roles.failed == FailedRunsAre::censored, Field{"failed", {"censor"}}, out);
  add_asked(request.roles.status.has_value(), Sentence(Field{"status"}), out);
  return out;
}

Sentence needs_single_rows(const FitRequest& request) {
  const Expression expression = request.options.expression;
  Sentence out;
  add_asked(expression != Expression::generic && expression != Expression::formula,
            Field{"expression", {std::string(to_text(expression))}}, out);
  add_asked(request.options.residual == Residual::process, Field{"residual", {"process"}}, out);
  return out;
}

}  // namespace perfmodel
