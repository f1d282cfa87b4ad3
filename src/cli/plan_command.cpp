#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/plan.hpp"
#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "forms/form.hpp"
#include "jobs/tasks.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "report/documents.hpp"

namespace perfmodel::cli {
namespace {

void check_combination(const PlanArguments& arguments) {
  if (arguments.model && arguments.method != PlanMethod::d_optimal)
    throw UsageError("--model has no effect without --method d-optimal");
  if ((arguments.starts || arguments.sharing.shard) && arguments.method != PlanMethod::d_optimal)
    throw UsageError("--starts and --shard have no effect without --method d-optimal");
  const int from_stdin =
      int{arguments.space == "-"} + int{arguments.model == "-"} + int{arguments.resume == "-"};
  if (from_stdin > 1)
    throw UsageError("only one file can come from standard input");
}

std::vector<plan::Configuration> read_existing(const PlanArguments& arguments,
                                               const plan::Space& space) {
  if (!arguments.resume)
    return {};
  std::set<std::string> texts;
  for (const auto& column : space.columns)
    if (column.is_text())
      texts.insert(column.name);
  auto existing = plan::configurations_of(space, read_csv(*arguments.resume, texts));
  if (existing.size() > *arguments.rows) {
    throw UsageError("--resume: there are " + std::to_string(existing.size()) +
                     " configurations already, more than the " + std::to_string(*arguments.rows) +
                     " of -n");
  }
  return existing;
}

plan::Linearisation linearisation_of(const PlanArguments& arguments, const plan::Space& space) {
  if (!arguments.model)
    return plan::default_linearisation(space);
  const FittedModel model = read_model(*arguments.model);
  if (model.form->process_belief(model.spec)) {
    throw UsageError("--model: d-optimal plans are for constants, and '" + *arguments.model +
                     "' is a " + std::string(model.form->words().noun) +
                     "; suggest --next plans for predictions");
  }
  return {model.spec, model.form, model.constants};
}

/// Nothing of a shard.
std::optional<plan::Plan> make_plan(const PlanArguments& arguments, const plan::Space& space,
                                    const std::vector<plan::Configuration>& existing,
                                    TaskRun& tasks) {
  const std::size_t n = *arguments.rows;
  const std::uint64_t seed = arguments.seed.value_or(kDefaultSeed);
  switch (arguments.method) {
    case PlanMethod::random:
      break;
    case PlanMethod::latin_hypercube:
      return plan::latin_hypercube_plan(space, n, seed, existing);
    case PlanMethod::d_optimal: {
      const plan::Linearisation linearisation = linearisation_of(arguments, space);
      const std::size_t starts = arguments.starts.value_or(1);
      return plan::d_optimal_plan({space, n, seed, existing, linearisation, starts,
                                   arguments.threads.value_or(default_threads())},
                                  hooks_of<plan::PlanStart>(tasks.begin(starts), 0));
    }
  }
  return plan::random_plan(space, n, seed, existing);
}

std::vector<std::string> inputs_of(const PlanArguments& arguments) {
  std::vector<std::string> out{arguments.space};
  for (const auto& path : {arguments.model, arguments.resume})
    if (path)
      out.push_back(*path);
  return out;
}

}  // namespace

void setup_plan(OptionSet& command, PlanArguments& arguments) {
  add_input(command, "SPACE.json", arguments.space, "columns and their values or ranges")
      .required();
  add_count<std::size_t>(command, "-n", arguments.rows,
                         "configurations, those of --resume among them", 1)
      .required();
  add_choice<PlanMethod>(command, "--method", arguments.method,
                         {{"random", PlanMethod::random},
                          {"lhs", PlanMethod::latin_hypercube},
                          {"d-optimal", PlanMethod::d_optimal}},
                         "random: as the paper did (default); lhs: a Latin\n"
                         "hypercube, every value equally often; d-optimal: what\n"
                         "determines the constants of a formula best");
  add_count<std::uint64_t>(command, "--seed", arguments.seed, "of the choice (default: 1)", 0);
  command
      .add_option("--model", arguments.model,
                  "formula and constants that d-optimal is for (default:\n"
                  "Eq. (4), all inputs matter alike, powers 1 and -0.5)")
      .type_name("MODEL.json");
  command
      .add_option("--resume", arguments.resume,
                  "an existing plan, or what was measured of it: comes\n"
                  "first in the new one")
      .type_name("PLAN.csv");
  add_count<std::size_t>(command, "--starts", arguments.starts,
                         "of the exchanges that make a d-optimal plan; the best\n"
                         "end is taken (default: 1)",
                         1);
  add_count<std::size_t>(command, "--threads", arguments.threads,
                         "worker threads; never change a result\n"
                         "(default: OMP_NUM_THREADS, or all cores)",
                         1);
  add_shard(command, arguments.sharing.shard, "the starts");
  add_format(command, arguments.format, "of the plan");
  add_output(command, arguments.output, "PLAN.csv");
  command.footer(
      "A space, with everything that one can say:\n"
      "  {\"schema\": \"perfmodel/space\", \"schema_version\": 1,\n"
      "   \"columns\": [{\"column\": \"filters\", \"values\": [4, 8, 16]},\n"
      "               {\"column\": \"padding\", \"values\": [\"valid\", \"same\"]},\n"
      "               {\"column\": \"learning_rate\", \"range\": [1e-6, 0.1], \"scale\": "
      "\"log\"},\n"
      "               {\"column\": \"batch_size\", \"range\": [8, 128], \"whole\": true}],\n"
      "   \"extrinsic\": [\"batch_size\"],\n"
      "   \"where\": [\"filters * batch_size <= 1024\", \"padding == 'same' || filters > 4\"]}\n"
      "\n"
      "Examples:\n"
      "  perfmodel plan data/paper/table2.json -n 1500 -o plan.csv\n"
      "  perfmodel plan space.json -n 300 --method lhs --seed 7 > plan.csv\n"
      "  perfmodel plan space.json -n 400 --method d-optimal --resume plan.csv -o longer.csv");
}

int run_plan(const PlanArguments& arguments, Console& console) {
  check_combination(arguments);
  // A plan may be made longer in its place: it comes first in the new one.
  refuse_to_replace({arguments.space, arguments.model}, arguments.output);
  TaskRun tasks(arguments.sharing, arguments.output, inputs_of(arguments));
  std::optional<OutputFile> output;
  if (!tasks.is_shard())
    output.emplace(arguments.output);
  const plan::Space space = read_space(arguments.space);
  const auto existing = read_existing(arguments, space);
  const std::optional<plan::Plan> made = make_plan(arguments, space, existing, tasks);
  if (tasks.is_shard()) {
    tasks.commit();
    return 0;
  }
  const plan::Plan& plan = *made;
  if (plan.off_balance > 0) {
    console.warning("the conditions leave too little room: " + std::to_string(plan.off_balance) +
                    " configurations are random ones, so values are not equally frequent");
  }
  TextTable table(std::vector<Align>(space.columns.size(), Align::right));
  table.add(space.names());
  for (const auto& configuration : plan.configurations)
    table.add(space.cells(configuration));
  OutputTables out(table, [&] { return to_json(PlanDocument{space, plan.configurations}); });
  out.add(std::move(table));
  output->write(out.in(arguments.format));
  output->commit();
  return 0;
}

}  // namespace perfmodel::cli
