#include "cli/commands/scaling/scaling_command.hpp"

#include <algorithm>
#include <string>

#include "cli/commands/scaling/scaling_of_model.hpp"
#include "cli/commands/scaling/scaling_of_runs.hpp"
#include "cli/commands/scaling/scaling_text.hpp"
#include "cli/options/choices.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "cli/options/reading_options.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/runs/model_sets.hpp"
#include "cli/runs/range_check.hpp"
#include "io/file/output_file.hpp"
#include "perfmodel/pipeline/runs_file.hpp"
#include "pipeline/settings/setting_values.hpp"

namespace perfmodel::cli {

void setup_scaling(OptionSet& command, ScalingArguments& arguments) {
  add_input(command, "MODEL.json|RUNS.csv", arguments.input,
            "a model (its name ends in .json) or measured runs")
      .required();
  add_pick(command, arguments.pick);
  command
      .add_option("--column", arguments.column,
                  "the scale: workers, batch size (default: the one\nextrinsic column)")
      .type_name("COL");
  add_choice<std::optional<scaling::Kind>>(
      command, "--kind", arguments.kind,
      {{"strong", scaling::Kind::strong}, {"weak", scaling::Kind::weak}},
      "strong: times are of a fixed amount of work;\n"
      "weak: of an iteration whose work grows with the scale\n"
      "(default: as the columns tell, a batch per worker or of\n"
      "all; strong where none does)");
  add_number(command, "--least-efficiency", arguments.least_efficiency,
             "below which more workers do not pay, in percent\n(default: 50)",
             {.low = 1, .high = 100, .words = "a percentage from 1 to 100 (50 for 50 %)"});
  add_format(command, arguments.format, "of the result");
  add_output(command, arguments.output, "FILE");
  command
      .add_option("--set", arguments.settings,
                  "hold an input at a value (default: as in the central\n"
                  "run of the model)")
      .type_name("COL=VALUE")
      .group("Of a model");
  command
      .add_option_function(
          "--at",
          [&arguments](const std::string& text) {
            const auto values = listed_numbers(text);
            if (!values || std::any_of(values->begin(), values->end(),
                                       [](double value) { return value <= 0; }))
              throw OptionError("--at", "'" + text + "' is no list of numbers > 0 such as 1,2,4 " +
                                            "and no range such as 1:64:x2 or 1:9:+2");
            arguments.scales = *values;
          },
          "scales, 1,2,4,8 or 1:8:x2 (default: doubling, up to four times\nwhat was measured; with "
          "--strict-range up to that)")
      .type_name("X,X")
      .group("Of a model");
  add_strict_range(command, arguments.strict_range).group("Of a model");
  command.add_option("--target", arguments.target, "the measured time (default: inferred)")
      .type_name("COL")
      .group("Of measured runs");
  command.add_flag("--throughput", arguments.throughput, "the target is work per time, not a time")
      .group("Of measured runs");
  command
      .add_option_function(
          "--ignore",
          [&arguments](const std::string& text) { arguments.ignore = split_list(text); },
          "columns that do not tell configurations apart")
      .type_name("A,B")
      .group("Of measured runs");
  add_failed(command, arguments.drop_failed);
  command.get_option("--failed").group("Of measured runs");
  command.footer(
      "Of runs, rows that differ in the scale alone are compared with one another.\n"
      "\n"
      "Examples:\n"
      "  perfmodel scaling model.json --column workers --set batch_size=64\n"
      "  perfmodel scaling runs.csv --column workers --kind weak\n"
      "  perfmodel scaling load.csv --column threads --target requests_per_s --throughput");
}

int run_scaling(const ScalingArguments& arguments, Console& console) {
  refuse_to_replace(arguments.input, arguments.output);
  OutputFile output(arguments.output);
  ScalingDocument document =
      arguments.input.ends_with(".json") || arguments.input.ends_with(".jsonl")
          ? scaling_of_model(arguments, console)
          : scaling_of_runs(arguments, console);
  document.file = base_name(arguments.input);
  output.write(formatted(document, arguments.format, output_width(arguments.output)));
  output.commit();
  return 0;
}

}  // namespace perfmodel::cli
