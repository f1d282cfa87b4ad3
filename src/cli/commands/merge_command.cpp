#include "cli/commands/merge_command.hpp"

#include <utility>

#include "cli/options/option_set.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/sets/set_gates.hpp"
#include "cli/sets/set_summary.hpp"
#include "io/file/input_file.hpp"
#include "io/file/output_file.hpp"
#include "io/model/model_set.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/shared/merged_parts.hpp"

namespace perfmodel::cli {
namespace {

/// A set of models is the lines of its parts.
int merge_models(const MergeArguments& arguments, const std::string& text, Console& console) {
  std::vector<Gate> gates;
  for (const std::string& gate : arguments.gates) {
    gates.push_back(parse_gate(gate, {{}, kSetFigureWords, is_set_figure}));
    if (!is_set_figure(gates.back().figure))
      throw UsageError("--fail-if '" + gate + "': say of which: 'any." + gate + "'");
  }
  OutputFile output(arguments.output);
  output.write(text);
  output.commit();
  const ModelSet set = parse_model_set(display_name(arguments.output), text);
  console.summary(set_summary(SetLines(set), console));
  if (const std::string refused = refused_text(SetLines(set)); !refused.empty())
    console.warning(refused);
  check_set_gates(gates, SetLines(set));
  return 0;
}

/// Of other results, the command that they are for makes its document.
int merge_results(const MergeArguments& arguments, const std::string& text, Console& console) {
  const std::string source = arguments.parts.front();
  const PartText results = parse_part(source, text);
  std::vector<std::string> words = read_task_results_header(source, text).command;
  words.push_back("--output=" + arguments.output);
  for (const std::string& gate : arguments.gates)
    words.push_back("--fail-if=" + gate);
  const MergedTasks merged{results.common, TaskShare(source, results.lines)};
  return arguments.run_merged(words, merged, console);
}

}  // namespace

void setup_merge(OptionSet& command, MergeArguments& arguments) {
  command.add_option("PART.jsonl", arguments.parts, "what --shard wrote, of every shard one file")
      .option_text(" ")
      .required();
  add_output(command, arguments.output, "FILE");
  command
      .add_option("--fail-if", arguments.gates,
                  "as of the command that was shared: end with exit code 4\n"
                  "if this holds: 'any.mape>20' of many models, 'mape>10'\n"
                  "of one (repeatable); the result is written all the same")
      .type_name("CONDITION")
      .allow_extra_args(false)
      .take_all();
  command.footer(
      "Nothing may be missing, doubled, cut short or of other runs or options: exit code 3, and "
      "the\n"
      "shards that have to run again are named. The result is that of the command without --shard, "
      "byte\n"
      "by byte. What --by did is joined; for the rest, merge runs the command with the results of "
      "the\n"
      "parts in place of its own work, so that its files must stand where they stood.\n"
      "\n"
      "Examples:\n"
      "  perfmodel merge part-*.jsonl -o all.jsonl\n"
      "  perfmodel merge part-*.jsonl --fail-if 'mape>10' -o model.json");
}

int run_merge(const MergeArguments& arguments, Console& console) {
  for (const std::string& part : arguments.parts)
    refuse_to_replace(part, arguments.output);
  std::vector<std::string> bytes;
  bytes.reserve(arguments.parts.size());  // the parts look into them
  std::vector<PartFile> parts;
  for (const std::string& path : arguments.parts) {
    bytes.push_back(read_file(path));
    parts.push_back({display_name(path), bytes.back()});
  }
  if (!is_model_set(bytes.front()) && !is_task_results(bytes.front()))
    throw InputError(parts.front().name + ": this is not what --shard writes");
  const std::string text = merged_parts(parts);
  return is_model_set(text) ? merge_models(arguments, text, console)
                            : merge_results(arguments, text, console);
}

}  // namespace perfmodel::cli
