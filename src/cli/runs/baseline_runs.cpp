#include "cli/runs/baseline_runs.hpp"

#include <vector>

#include "cli/runs/predictions.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/model/model_json.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {

BaselineRuns judge_baseline(const std::string& file, const JudgedRunsArguments& arguments,
                            const FittedModel& model, JudgedRuns& runs, bool strict_range,
                            Console& console) {
  BaselineRuns out{read_model(file), {}};
  const ModelSpec spec = judging_spec(out.model, arguments);
  const auto texts = categorical_columns(spec);
  const bool same_texts = texts == categorical_columns(model.spec);
  if (!same_texts && arguments.runs == "-")
    throw UsageError("the models read other columns as texts; pass RUNS.csv as a file");
  Table table = same_texts ? runs.file.table : read_again(model, arguments, texts);
  if (!same_texts && runs.sampled_from)
    table = take_rows(table, evenly_chosen(table.rows(), runs.file.table.rows()));
  const Predictions all =
      predictions_of(out.model, make_design(table, spec, Target::required, runs.rows));
  table.lines = runs.lines;  // messages count the rows that are left
  table.source = base_name(file) + ": " + table.source;
  report_without_time(all, table, "they are left out", strict_range, console);
  std::vector<Eigen::Index> kept;
  for (Eigen::Index row = 0; row < all.values.size(); ++row)
    if (is_time(all.values[row]))
      kept.push_back(row);
  out.predicted = all.values(kept);
  runs.leave_out(all.without_time);
  return out;
}

}  // namespace perfmodel::cli
