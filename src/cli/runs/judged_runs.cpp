#include "cli/runs/judged_runs.hpp"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/option_set.hpp"
#include "cli/options/reading_options.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/runs/model_sets.hpp"
#include "cli/runs/predictions.hpp"
#include "cli/terminal/search_progress.hpp"
#include "fit/result/form.hpp"
#include "model/columns/facts/well_known_names.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {

void add_judged_runs(OptionSet& command, JudgedRunsArguments& arguments) {
  add_input(command, "MODEL.json", arguments.model, "a model that fit wrote").required();
  add_pick(command, arguments.pick);
  add_input(command, "RUNS.csv", arguments.runs, "measured runs, one per line").required();
  command
      .add_option("--target", arguments.target,
                  "the measured time, where the file has another name\nfor it than the model")
      .type_name("COL");
  add_separator(command, arguments.separator);
  add_failed(command, arguments.drop_failed);
}

std::vector<std::size_t> evenly_chosen(std::size_t rows, std::size_t count) {
  std::vector<std::size_t> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = i * rows / count;
  return out;
}

namespace {

/// A column whose name tells another unit than the model's.
void warn_of_units(const FittedModel& model, const std::string& target, Console& console) {
  const std::string unit = unit_of(target);
  if (!unit.empty() && !model.spec.unit.empty() && unit != model.spec.unit)
    console.warning("'" + target + "' is in " + unit + ", by its name, and the model in " +
                    model.spec.unit + ": the errors compare the two as they stand");
}

}  // namespace

ModelSpec judging_spec(const FittedModel& model, const JudgedRunsArguments& arguments) {
  ModelSpec spec = model.spec;
  if (arguments.target) {
    spec.target = *arguments.target;
    spec.throughput.reset();
  }
  return spec;
}

void JudgedRuns::leave_out(const std::vector<std::size_t>& some) {
  if (some.empty())
    return;
  std::vector<std::size_t> kept;
  for (std::size_t row = 0, next = 0; row < rows.size(); ++row)
    if (next < some.size() && some[next] == row)
      ++next;
    else
      kept.push_back(row);
  if (kept.empty()) {
    throw InputError(file.table.source +
                     ": no row can be judged: the configurations are too far from the measured "
                     "ones");
  }
  design = take_rows(design, kept);
  predicted = Eigen::VectorXd(predicted(kept));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    rows[i] = rows[kept[i]];
    lines[i] = lines[kept[i]];
  }
  rows.resize(kept.size());
  lines.resize(kept.size());
}

Table read_again(const FittedModel& model, const JudgedRunsArguments& arguments,
                 const std::set<std::string>& text_columns) {
  RunsFile file = read_runs(arguments.runs, text_columns, arguments.separator);
  if (arguments.drop_failed)
    drop_failed_runs(file, judging_spec(model, arguments));
  return std::move(file.table);
}

JudgedRuns judge_runs(const SetLines& set, const JudgedRunsArguments& arguments, bool strict_range,
                      Console& console) {
  const FittedModel model = model_of(set);
  const ModelSpec spec = judging_spec(model, arguments);
  warn_of_units(model, spec.target, console);
  SearchProgress progress(console);
  JudgedRuns out;
  out.file = read_runs(arguments.runs, text_columns_of(set), arguments.separator,
                       progress.watch("reading " + arguments.runs));
  if (has_keys(set)) {
    std::optional<Table> own;
    for_each_with_rows(set, out.file.table, [&](LineRows part) { own = std::move(part.table); });
    if (!own) {
      set.for_each([&](const ModelSetLine& line) {
        throw InputError(out.file.table.source + ": no row is of " + words_of(line, set.header()));
      });
    }
    out.file.table = std::move(*own);
  }
  const Table& table = out.file.table;
  if (const auto notice = reading_notice(table))
    console.notice(*notice);
  if (const auto failed = arguments.drop_failed ? drop_failed_runs(out.file, spec) : std::nullopt)
    console.warning(*failed);
  out.design = make_design(table, spec, Target::required);
  if (arguments.most_of_process && model.form->process_size() &&
      table.rows() > *arguments.most_of_process) {
    out.sampled_from = table.rows();
    const std::vector<std::size_t> chosen = evenly_chosen(table.rows(), *arguments.most_of_process);
    out.design = take_rows(out.design, chosen);
    out.file.table = take_rows(table, chosen);
  }
  out.range = check_range(model, out.design);
  report_range(out.range, strict_range, console);
  progress.begin("predicting");
  Predictions predictions = predictions_of(model, out.design);
  report_without_time(predictions, table, "they are left out", strict_range, console);
  out.left_out_text = without_time_text(predictions, table);
  out.rows.resize(table.rows());
  std::iota(out.rows.begin(), out.rows.end(), std::size_t{0});
  out.lines = table.lines;
  out.predicted = std::move(predictions.values);
  out.leave_out(predictions.without_time);
  return out;
}

}  // namespace perfmodel::cli
