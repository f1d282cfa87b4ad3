#include "perfmodel/pipeline/prepared_runs.hpp"

#include <algorithm>
#include <utility>

#include "data/row_order.hpp"
#include "fit/task/number_range.hpp"
#include "model/columns/facts/grouped_numbers.hpp"
#include "model/columns/facts/truth_values.hpp"
#include "model/columns/total_per_worker.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/columns/throughput.hpp"

namespace perfmodel {
namespace {

/// The time that a throughput gives. Throws UsageError where that is not what was asked for.
ThroughputTime requested_time(const Table& table, const RoleRequest& request) {
  const Throughput& throughput = *request.throughput;
  if (throughput.column.empty())
    throw UsageError(Field{"work"} + " has no effect without " + Field{"throughput_target"});
  if (request.target) {
    throw UsageError(Field{"target"} + " and " + Field{"throughput_target"} +
                     " both name the measured column; pass one of them");
  }
  if (table.find(throughput.column) == nullptr)
    throw UsageError(Field{"throughput_target"} + ": " + table.no_column(throughput.column));
  return time_of(throughput, table);
}

std::optional<Design> design_of_part(const Table& table, const ModelSpec& spec,
                                     const std::vector<std::size_t>& rows) {
  if (rows.empty())
    return std::nullopt;
  Design design = make_design(table, spec, Target::required, rows);
  require_fitted_range(design);
  return design;
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

/// Levels that nobody asked for, and that are numbers to people: a scale would have no power.
void warn_of_written_numbers(const RoleRequest& request, LabelledRuns& runs) {
  const std::vector<std::string>& wanted = request.categorical;
  for (const std::string& name : runs.roles.categorical) {
    const Column& column = runs.file.table.at(name);
    if (!holds_written_numbers(column) ||
        std::find(wanted.begin(), wanted.end(), name) != wanted.end())
      continue;
    const std::string& cell = column.text(0);
    const auto plain = without_group_marks(cell);
    runs.warnings.push_back(runs.file.table.where(0) + ": column '" + name + "': \"" + cell +
                            "\" is not a number, so the column is taken as levels; write " +
                            (plain ? *plain : "all digits") + ", or pass " +
                            Field{"categorical", {name}} + " if these are names");
  }
}

}  // namespace

LabelledRuns label_runs(RunsFile file, const RoleRequest& request) {
  LabelledRuns runs;
  runs.file = std::move(file);
  Table& table = runs.file.table;
  std::vector<Sentence> notices;
  if (auto notice = reading_notice(table))
    notices.emplace_back(*std::move(notice));
  if (request.drop_failed) {
    if (const auto column = measured_column(table, request))
      if (auto failed = drop_failed_runs(runs.file, *column,
                                         {request.categorical.begin(), request.categorical.end()}))
        runs.warnings.emplace_back(*std::move(failed));
  }
  warn_of_equal_files(runs);
  for (std::string& sentence : unify_truth_values(table))
    notices.emplace_back(std::move(sentence));
  RoleRequest timed = request;
  if (request.throughput) {
    const ThroughputTime time = requested_time(table, request);
    table = with_time_of(table, *request.throughput, time.column);
    timed.target = time.column;
    timed.ignore.push_back(request.throughput->column);
    if (!timed.time_unit)
      timed.time_unit = time.unit;
    notices.push_back(words_for(*request.throughput, time, table));
    if (auto warning = warning_of_work(*request.throughput, table))
      runs.warnings.push_back(*std::move(warning));
  }
  table = derive_as_requested(table, timed.derived);
  runs.roles = resolve_roles(table, timed);
  runs.roles.throughput = request.throughput;
  warn_of_written_numbers(request, runs);
  if (!request.throughput)
    if (auto warning = warning_of_throughput(runs.roles.target))
      runs.warnings.push_back(*std::move(warning));
  if (request.totals_per_worker)
    count_total_per_worker(table, runs.roles);
  runs.roles.notices.insert(runs.roles.notices.begin(), notices.begin(), notices.end());
  runs.rows = rows_by_content(table, runs.roles.target);
  return runs;
}

PreparedRuns prepare_runs(const LabelledRuns& runs, const Split& split) {
  const Table& table = runs.file.table;
  PreparedRuns out;
  out.provenance = provenance_of(runs.file, runs.roles);
  out.spec = make_spec(table, runs.roles, split.train);
  out.training = make_design(table, out.spec, Target::required, split.train);
  set_typical_values(table, split.train[central_row(out.spec, out.training)], out.spec);
  out.validation = design_of_part(table, out.spec, split.validation);
  out.test = design_of_part(table, out.spec, split.test);
  return out;
}

}  // namespace perfmodel
