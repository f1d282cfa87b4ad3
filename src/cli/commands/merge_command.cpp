#include "cli/commands/merge_command.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option_set.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/runs/set_lines.hpp"
#include "cli/sets/set_gates.hpp"
#include "cli/sets/set_summary.hpp"
#include "io/file/input_file.hpp"
#include "io/file/output_file.hpp"
#include "io/file/text_lines.hpp"
#include "io/model/model_set.hpp"
#include "io/parts/part_text.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/shared/merged_parts.hpp"

namespace perfmodel::cli {
namespace {

/// A set of models is the lines of its parts.
int merge_models(const MergeArguments& arguments, const MergedParts& parts, Console& console) {
  std::vector<Gate> gates;
  for (const std::string& gate : arguments.gates) {
    gates.push_back(parse_gate(gate, {{}, kSetFigureWords, is_set_figure}));
    if (!is_set_figure(gates.back().figure))
      throw UsageError("--fail-if '" + gate + "': say of which: 'any." + gate + "'");
  }
  OutputFile output(arguments.output);
  output.write(parts.header());
  parts.for_each_line([&](std::string_view line) { output.write(line); });
  output.commit();
  const std::string source = display_name(arguments.output);
  const SetLines set(source, parse_set_header(source, parts.header()), [&](const auto& visit) {
    parts.for_each_line([&](std::string_view line) { visit(line.substr(0, line.size() - 1)); });
  });
  if (!console.quiet())
    console.summary(set_summary(set, console, arguments.ranked_at));
  if (const std::string refused = refused_text(set); !refused.empty())
    console.warning(refused);
  check_set_gates(gates, set);
  return 0;
}

/// Of other results, the command that they are for makes its document.
int merge_results(const MergeArguments& arguments, const MergedParts& parts, Console& console) {
  if (!arguments.ranked_at.empty())
    throw UsageError("--set goes with many models");
  const std::string source = arguments.parts.front();
  std::vector<std::string> words = read_task_results_header(source, parts.header()).command;
  words.push_back("--output=" + arguments.output);
  for (const std::string& gate : arguments.gates)
    words.push_back("--fail-if=" + gate);
  std::vector<std::string> lines;
  parts.for_each_line([&](std::string_view line) { lines.emplace_back(line); });
  const MergedTasks merged{parts.header(), TaskShare(source, {lines.begin(), lines.end()})};
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
  command
      .add_option("--set", arguments.ranked_at,
                  "of many models: where they are ranked, as in show\n(repeatable)")
      .type_name("COL=VALUE")
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
  const std::vector<TextLines> files(arguments.parts.begin(), arguments.parts.end());
  std::string first;
  files.front().for_each([&](const TextLine& line) {
    first = line.text;
    return false;
  });
  require_header(files.front().source(), first);
  if (!is_model_set(first) && !is_task_results(first))
    throw InputError(files.front().source() + ": this is not what --shard writes");
  const MergedParts parts(files);
  return is_model_set(first) ? merge_models(arguments, parts, console)
                             : merge_results(arguments, parts, console);
}

}  // namespace perfmodel::cli
