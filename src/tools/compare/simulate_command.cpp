#include <cmath>
#include <string>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/judged_runs.hpp"
#include "compare/sweep.hpp"
#include "perfmodel/fit.hpp"
#include "storage/files.hpp"

namespace perfmodel::cli {
namespace {

struct SimulateArguments {
  std::string model;
  std::string configurations;
  InputOptions input;
  bool strict_range = false;
  std::string output = "-";
  double noise = 0;
  double additive = 0;
  bool draw = false;
  std::uint64_t seed = kDefaultSeed;
};

/// "5%" and "0.05" are the same; "5" could mean either and is refused.
double parse_noise(const std::string& text) {
  const bool in_percent = text.ends_with('%');
  const auto value = parse_number(in_percent ? text.substr(0, text.size() - 1) : text);
  if (!value || *value < 0 || (!in_percent && *value >= 1)) {
    throw OptionError("--noise", "'" + text +
                                     "' is neither a percentage such as 5% nor a number "
                                     "from 0 to 1 such as 0.05");
  }
  return in_percent ? *value / 100 : *value;
}

/// Throws InputError if noise makes a time <= 0 or not finite.
void require_times(const Eigen::VectorXd& times, const Table& table) {
  ProblemList problems;
  for (Eigen::Index row = 0; row < times.size(); ++row) {
    if (std::isfinite(times[row]) && times[row] > 0)
      continue;
    const auto index = static_cast<std::size_t>(row);
    problems.add(table.lines[index], 0, [&] {
      return table.where(index) + ": the noise makes the time " + to_text(times[row]) +
             "; choose a lower --additive or --noise";
    });
  }
  if (!problems.empty())
    throw InputError(problems.text());
}

void setup_simulate(OptionSet& command, SimulateArguments& arguments) {
  add_input(command, "MODEL.json", arguments.model, "a model that fit wrote, or the paper's")
      .required();
  add_input(command, "CONFIGS.csv", arguments.configurations, "configurations, one per line")
      .required();
  add_input_options(command, arguments.input);
  command.group("Options");
  command.add("--noise PERCENT", arguments.noise, parse_noise,
              "standard deviation of ln(time), 5% or 0.05; the time of the model times exp of that "
              "(default: 0)");
  command.number("--additive SIGMA", arguments.additive,
                 "standard deviation of additive normal noise; in the unit of the time");
  command.flag(
      "--draw", arguments.draw,
      "sample the posterior of the residual correction; drawn with the seed, instead of its "
      "most likely function; of up to 2000 configurations");
  command.count("--seed N", arguments.seed, "seed of noise and draw", 0);
  add_strict_range(command, arguments.strict_range);
  add_output(command, arguments.output, "RUNS.csv");
  command.common({"--noise", "--additive", "--draw", "--seed"});
  command.footer(
      R"(Writes the configurations unchanged, with the simulated times in an added column named like the
model's target. The true constants of these runs are known, so they can test a fit.

Examples:
  perfmodel simulate model.json configs.csv --noise 5% --seed 7 -o runs.csv
  perfmodel simulate data/paper/table3_mxnet.json configs.csv --additive 0.1 > runs.csv)");
}

int run_simulate(const SimulateArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  const FittedModel model = read_model(arguments.model);
  const RunsFile file = read_noted({arguments.configurations}, categorical_columns(model.spec),
                                   {arguments.input}, model.provenance.reading, console);
  refuse_taken_names(file.table, {model.spec.target});
  const Design design = make_design(file.table, model.spec, Target::absent);
  // Rows without a valid predicted time are refused before noise is added.
  predicted_times(model, design, [&](std::size_t row) { return file.table.where(row); });
  report_range(check_range(model, design), arguments.strict_range, console);
  const Eigen::VectorXd times = simulate(
      model, design, {arguments.noise, arguments.additive, arguments.draw}, arguments.seed);
  require_times(times, file.table);
  return append_columns(
      file.bytes, file.table, {model.spec.target},
      [&](std::size_t row) { return std::vector{to_text(times[static_cast<Eigen::Index>(row)])}; },
      output);
}

}  // namespace

Command simulate_command() {
  return make_command<SimulateArguments>("simulate", "Makes runs from known constants.",
                                         setup_simulate, run_simulate);
}

}  // namespace perfmodel::cli
