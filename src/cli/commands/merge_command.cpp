#include "cli/commands/merge_command.hpp"

#include "cli/options/option_set.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/runs/set_summary.hpp"
#include "io/file/input_file.hpp"
#include "io/file/output_file.hpp"
#include "io/model/model_set.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/merged_parts.hpp"

namespace perfmodel::cli {

void setup_merge(OptionSet& command, MergeArguments& arguments) {
  command
      .add_option("PART.jsonl", arguments.parts, "what fit --shard wrote, of every shard one file")
      .option_text(" ")
      .required();
  add_output(command, arguments.output, "FILE");
  add_gates(command, arguments.gates,
            "end with exit code 4 if this holds: 'any.mape>20',\n"
            "'kernel=x.q[gpus]>0.2' (repeatable); the result is\n"
            "written all the same",
            {{}, kSetFigureWords, is_set_figure});
  command.footer(
      "Nothing may be missing, doubled, cut short or of other runs or options: exit code 3, and "
      "the\n"
      "shards that have to run again are named. The result is that of fit without --shard, byte "
      "by byte.\n"
      "\n"
      "Examples:\n"
      "  perfmodel merge part-*.jsonl -o all.jsonl");
}

int run_merge(const MergeArguments& arguments, Console& console) {
  for (const Gate& gate : arguments.gates)
    if (!is_set_figure(gate.figure))
      throw UsageError("--fail-if '" + gate.text + "': say of which: 'any." + gate.text + "'");
  for (const std::string& part : arguments.parts)
    refuse_to_replace(part, arguments.output);
  OutputFile output(arguments.output);
  std::vector<std::string> bytes;
  bytes.reserve(arguments.parts.size());  // the parts look into them
  std::vector<PartFile> parts;
  for (const std::string& path : arguments.parts) {
    bytes.push_back(read_file(path));
    parts.push_back({display_name(path), bytes.back()});
  }
  const std::string text = merged_parts(parts);
  output.write(text);
  output.commit();
  const ModelSet set = parse_model_set(display_name(arguments.output), text);
  console.summary(set_summary(set, console));
  if (const std::string refused = refused_text(set); !refused.empty())
    console.warning(refused);
  check_set_gates(arguments.gates, set);
  return 0;
}

}  // namespace perfmodel::cli
