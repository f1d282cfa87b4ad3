#include "cli/judged_runs.hpp"

#include <CLI/CLI.hpp>
#include <utility>

#include "cli/predictions.hpp"
#include "cli/shared_options.hpp"

namespace perfmodel::cli {

void add_judged_runs(CLI::App& command, std::string& model, std::string& runs,
                     std::optional<std::string>& target) {
  add_input(command, "MODEL.json", model, "a model that fit wrote")->required();
  add_input(command, "RUNS.csv", runs, "measured runs, one per line")->required();
  command
      .add_option("--target", target,
                  "the measured time, where the file has another name\nfor it than the model")
      ->type_name("COL");
}

JudgedRuns judge_runs(const FittedModel& model, const std::string& path,
                      const std::optional<std::string>& target, bool strict_range,
                      Console& console) {
  ModelSpec spec = model.spec;
  spec.target = target.value_or(spec.target);
  RunsFile file = read_runs(path, categorical_columns(spec));
  Design design = make_design(file.table, spec, Target::required);
  RangeCheck range = check_range(model, design);
  report_range(range, strict_range, console);
  const Metrics metrics = measure(model, design, file.table.source);
  Eigen::VectorXd predicted = predict(model, design);
  return {std::move(file), std::move(design), std::move(predicted), metrics, std::move(range)};
}

}  // namespace perfmodel::cli
