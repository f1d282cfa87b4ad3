#include "cli/commands/predict_set.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/runs/csv_columns.hpp"
#include "cli/runs/held_out_options.hpp"
#include "cli/runs/model_sets.hpp"
#include "cli/runs/predictions.hpp"
#include "cli/runs/range_check.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/design/design.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {
namespace {

/// The new columns of one target.
struct TargetColumns {
  std::string target;
  std::size_t task = 0;  ///< the first of it: targets stand in the order of tasks, not of lines
  bool with_intervals = false;
  std::size_t first = 0;  ///< its place among the new columns
};

class SetPrediction {
 public:
  SetPrediction(const SetLines& set, std::size_t rows) {
    set.for_each([&](const ModelSetLine& line) {
      if (!line.model)
        return;
      TargetColumns& target = target_of(line.target, line.task);
      target.with_intervals |= line.model->intervals.has_value();
      target.task = std::min(target.task, line.task);
    });
    std::sort(targets_.begin(), targets_.end(),
              [](const auto& a, const auto& b) { return a.task < b.task; });
    for (TargetColumns& target : targets_) {
      const std::string suffix = targets_.size() > 1 ? "_" + target.target : "";
      target.first = names_.size();
      names_.push_back("predicted_" + target.target);
      if (target.with_intervals)
        names_.insert(names_.end(), {"lower" + suffix, "upper" + suffix});
      names_.push_back("in_range" + suffix);
    }
    cells_.assign(rows, std::vector<std::string>(names_.size()));
    known_.assign(rows, false);
  }

  void add(const LineRows& part, const PredictArguments& arguments) {
    const FittedModel& model = *part.line.model;
    const TargetColumns& columns = target_of(part.line.target, part.line.task);
    const Design design = make_design(part.table, model.spec, Target::absent);
    const Predictions predicted = predictions_of(model, design);
    const RangeCheck range = check_range(model, design);
    const Certainty certainty = certainty_of(model, arguments.coverage, arguments.model, design);
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      const double time = predicted.values[static_cast<Eigen::Index>(i)];
      known_[part.rows[i]] = true;
      out_of_range_ += range.in_range[i] ? 0U : 1U;
      without_time_ += is_time(time) ? 0U : 1U;
      auto cell = cells_[part.rows[i]].begin() + static_cast<std::ptrdiff_t>(columns.first);
      *cell++ = time_text_of(time);
      if (columns.with_intervals) {
        const IntervalFactors factors =
            certainty.intervals ? (*certainty.intervals)[i] : IntervalFactors{};
        *cell++ = certainty.intervals ? time_text_of(time * factors.lower) : "";
        *cell++ = certainty.intervals ? time_text_of(time * factors.upper) : "";
      }
      *cell = range.in_range[i] ? "true" : "false";
    }
  }

  void report(const PredictArguments& arguments, Console& console) const {
    const auto tell = [&](std::size_t count, const std::string& what) {
      if (count == 0)
        return;
      const std::string text = arguments.configurations + ": " + std::to_string(count) + what;
      if (arguments.strict_range)
        throw InputError("--strict-range: " + text);
      console.warning(text);
    };
    tell(static_cast<std::size_t>(std::count(known_.begin(), known_.end(), false)),
         " of " + std::to_string(known_.size()) + " rows are of groups without a model");
    tell(out_of_range_, " predictions are outside of the range measured for their groups");
    tell(without_time_, " predictions are no times > 0; their cells stay empty");
  }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& cells(std::size_t row) const { return cells_[row]; }

 private:
  std::vector<TargetColumns> targets_;
  std::vector<std::string> names_;
  std::vector<std::vector<std::string>> cells_;  ///< [row][new column]
  std::vector<bool> known_;                      ///< rows of which there is a model
  std::size_t out_of_range_ = 0;
  std::size_t without_time_ = 0;

  TargetColumns& target_of(const std::string& target, std::size_t task) {
    const auto found = std::find_if(targets_.begin(), targets_.end(),
                                    [&](const auto& each) { return each.target == target; });
    return found != targets_.end() ? *found
                                   : targets_.emplace_back(TargetColumns{target, task, false, 0});
  }

  static std::string time_text_of(double value) { return is_time(value) ? to_text(value) : ""; }
};

}  // namespace

int predict_by_set(const PredictArguments& arguments, const SetLines& set, OutputFile& output,
                   Console& console) {
  const RunsFile file =
      read_runs(arguments.configurations, text_columns_of(set), arguments.separator);
  if (const auto notice = reading_notice(file.table))
    console.notice(*notice);
  SetPrediction prediction(set, file.table.rows());
  refuse_taken_names(file.table, prediction.names());
  for_each_with_rows(set, file.table,
                     [&](const LineRows& part) { prediction.add(part, arguments); });
  prediction.report(arguments, console);
  append_columns(
      file.bytes, file.table, prediction.names(),
      [&](std::size_t row) { return prediction.cells(row); }, output);
  output.commit();
  return 0;
}

}  // namespace perfmodel::cli
