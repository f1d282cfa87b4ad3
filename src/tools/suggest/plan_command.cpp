#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "forms/form.hpp"
#include "perfmodel/fit.hpp"
#include "registry/registry.hpp"
#include "report/document.hpp"
#include "storage/files.hpp"
#include "suggest/bounded_targets.hpp"
#include "suggest/suggest_documents.hpp"

namespace perfmodel::cli {
namespace {

enum class PlanMethod { random, latin_hypercube, d_optimal };

struct PlanArguments {
  std::string space;
  std::optional<std::size_t> rows;
  PlanMethod method = PlanMethod::random;
  std::uint64_t seed = kDefaultSeed;
  std::optional<std::string> model;   ///< whose constants a D-optimal plan determines
  std::optional<std::string> resume;  ///< an existing plan to be extended
  OutputFormat format = OutputFormat::csv;
  std::string output = "-";
  std::size_t starts = 1;  ///< of the exchanges of a D-optimal plan
  std::size_t threads = 1;
};

std::vector<plan::Configuration> read_existing(const PlanArguments& arguments,
                                               const plan::Space& space) {
  if (!arguments.resume)
    return {};
  auto existing = read_configurations(space, *arguments.resume);
  if (existing.size() > *arguments.rows) {
    throw UsageError("--resume: there are " + std::to_string(existing.size()) +
                     " configurations already, more than the " + std::to_string(*arguments.rows) +
                     " of -n");
  }
  return existing;
}

FittedModel linearisation_of(const PlanArguments& arguments, const plan::Space& space) {
  if (!arguments.model)
    return plan::default_linearisation(space);
  FittedModel model = read_model(*arguments.model);
  if (model.form->gp_belief(model.spec)) {
    throw UsageError("--model: d-optimal plans are for constants, and '" + *arguments.model +
                     "' has a residual correction; suggest --next plans for predictions");
  }
  return model;
}

plan::Plan make_plan(const PlanArguments& arguments, const plan::Space& space,
                     const std::vector<plan::Configuration>& existing) {
  const std::size_t n = *arguments.rows;
  const std::uint64_t seed = arguments.seed;
  switch (arguments.method) {
    case PlanMethod::random:
      break;
    case PlanMethod::latin_hypercube:
      return plan::latin_hypercube_plan(space, n, seed, existing);
    case PlanMethod::d_optimal: {
      const FittedModel linearisation = linearisation_of(arguments, space);
      return plan::d_optimal_plan(
          {space, n, seed, existing, linearisation, arguments.starts, arguments.threads});
    }
  }
  return plan::random_plan(space, n, seed, existing);
}

void setup_plan(OptionSet& command, PlanArguments& arguments) {
  add_input(command, "SPACE.json", arguments.space,
            "columns and their values, {\"tile\": [8, 16], \"threads\": [1, 2, 4]}, also with all "
            "fields (below); or a CSV, whose rows are the choices; or MODEL.json, for the values "
            "of its runs")
      .required();
  command.count("-n N", arguments.rows, "number of configurations, including those of --resume")
      .required();
  command.choice<PlanMethod>(
      "--method", arguments.method,
      {{"random", PlanMethod::random},
       {"lhs", PlanMethod::latin_hypercube},
       {"d-optimal", PlanMethod::d_optimal}},
      "random: as the paper did\nlhs: a Latin hypercube, every value equally often\n"
      "d-optimal: configurations that determine the constants best");
  command.count("--seed N", arguments.seed, "seed of the choice", 0);
  command
      .add("--model MODEL.json", arguments.model,
           "formula and constants for which d-optimal plans (default: Eq. (4), all inputs matter "
           "alike, powers 1 and -0.5)")
      .file(FileUse::input)
      .needs("--method d-optimal");
  command
      .add("--resume PLAN.csv", arguments.resume,
           "an existing plan or its measured runs; they come first in the new plan")
      .file(FileUse::replaced);  // a plan may be extended in place
  command
      .count("--starts N", arguments.starts,
             "starts of the exchange search of d-optimal; the best result is kept")
      .needs("--method d-optimal");
  add_threads(command, arguments.threads);
  command.group("Options");
  add_format(command, arguments.format, "format of the plan");
  add_output(command, arguments.output, "PLAN.csv");
  command.common({"-n", "--method", "--seed", "--model", "--resume"});
  command.footer(R"(A space with all fields:
  {"schema": "perfmodel/space", "schema_version": 1,
   "columns": [{"column": "filters", "values": [4, 8, 16]},
               {"column": "padding", "values": ["valid", "same"]},
               {"column": "learning_rate", "range": [1e-6, 0.1], "scale": "log"},
               {"column": "batch_size", "range": [8, 128], "whole": true}],
   "extrinsic": ["batch_size"],
   "where": ["filters * batch_size <= 1024", "padding == 'same' || filters > 4"]}

Examples:
  perfmodel plan data/paper/table2.json -n 1500 -o plan.csv
  perfmodel plan space.json -n 300 --method lhs --seed 7 > plan.csv
  perfmodel plan space.json -n 400 --method d-optimal --resume plan.csv -o longer.csv
  perfmodel plan candidates.csv -n 20)");
}

int run_plan(const PlanArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  const plan::Space space = read_space(arguments.space);
  const auto existing = read_existing(arguments, space);
  const plan::Plan plan = make_plan(arguments, space, existing);
  if (plan.off_balance > 0) {
    console.warning("the conditions leave too little room: " + std::to_string(plan.off_balance) +
                    " configurations are random ones, so values are not equally frequent");
  }
  doc::Table table;
  for (const std::string& name : space.names())
    table.columns.push_back(doc::numbers(name, name));
  for (const auto& configuration : plan.configurations) {
    const std::vector<std::string> cells = space.cells(configuration);
    table.add({cells.begin(), cells.end()});
  }
  const doc::Document out{.blocks = {table}, .json = [&] {
                            return to_json(PlanDocument{space, plan.configurations});
                          }};
  return finish(output, out.in(arguments.format));
}

}  // namespace

Command measure_command();
Command suggest_command();
Command plan_command() {
  return make_command<PlanArguments>("plan", "Chooses configurations to measure.", setup_plan,
                                     run_plan);
}

}  // namespace perfmodel::cli

namespace perfmodel {

void add_suggest() {
  add<cli::CommandEntry>({{"measure", cli::measure_command, "show"},
                          {"plan", cli::plan_command, "show"},
                          {"suggest", cli::suggest_command, "show"}});
  add<DocumentKind>({{"suggestions", schema_of<SuggestionDocument>},
                     {"plan", schema_of<PlanDocument>},
                     {"space", schema_of<plan::Space>, "version"}});
}

}  // namespace perfmodel
