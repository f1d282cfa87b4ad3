#include "cli/commands/report_command.hpp"

#include "analysis/page/content.hpp"
#include "analysis/page/exploration.hpp"
#include "cli/options/flag_names.hpp"
#include "cli/options/option_set.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/options/shared_options.hpp"
#include "cli/runs/judged_runs.hpp"
#include "cli/runs/predictions.hpp"
#include "io/file/digest.hpp"
#include "io/file/output_file.hpp"
#include "io/html/page.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/model/model_json.hpp"
#include "perfmodel/pipeline/judging.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kMostBytes = 300'000;  // of a page that gets the panel unasked

std::string page_of(const page::Content& content, const ReportArguments& arguments) {
  const auto script = arguments.explore.value_or(true)
                          ? page::exploration_script(content.model, content.typical)
                          : std::nullopt;
  if (arguments.explore == true && !script) {
    throw InputError(
        "this model has no function that a page could compute; predict gives the time of any "
        "configuration, and without --explore there is a page");
  }
  if (script) {
    std::string page = report_html(content, arguments.title, flag_text, *script);
    if (arguments.explore || page.size() <= kMostBytes)
      return page;
  }
  return report_html(content, arguments.title, flag_text);
}

}  // namespace

void setup_report(OptionSet& command, ReportArguments& arguments) {
  add_judged_runs(command, arguments);
  command
      .add_option("--title", arguments.title,
                  "of the page (default: the names of target, model\nand runs)")
      .type_name("TEXT");
  command.add_flag_callback(
      "--explore", [&arguments] { arguments.explore = true; },
      "a panel in which the page gives the time of any\n"
      "configuration (default: where the page has at most\n300 kB with it)");
  command.add_flag_callback(
      "--no-explore", [&arguments] { arguments.explore = false; }, "a page without a script");
  add_output(command, arguments.output, "FILE.html");
  command.footer(
      "The page is one file of HTML with its figures inside; it loads nothing, and runs nothing "
      "but the\n"
      "panel of --explore. It says how long an iteration takes, what makes it long, how it scales, "
      "and\n"
      "how far that can be trusted. The panel can be set from its address: "
      "report.html#gpus=8&batch=64.\n"
      "\n"
      "Examples:\n"
      "  perfmodel report model.json runs.csv -o report.html\n"
      "  perfmodel report model.json new_runs.csv --title 'Cluster B, May' -o report.html");
}

int run_report(const ReportArguments& arguments, Console& console) {
  if (arguments.model == "-" && arguments.runs == "-")
    throw UsageError("the model and the runs cannot both come from standard input");
  refuse_to_replace(arguments.model, arguments.output);
  refuse_to_replace(arguments.runs, arguments.output);
  OutputFile output(arguments.output);
  const FittedModel model = read_model(arguments.model);
  const JudgedRuns runs = judge_runs(model, arguments, false, console);
  const page::Content content = page::content_of(
      {model,
       "perfmodel " PERFMODEL_VERSION,
       base_name(arguments.model),
       {base_name(arguments.runs), runs.file.table.rows(), sha256(runs.file.bytes)},
       runs.lines,
       runs.design,
       runs.predicted,
       measure(runs.design, runs.predicted, runs.file.table.source),
       runs.range.findings,
       runs.left_out_text});
  output.write(page_of(content, arguments));
  output.commit();
  return 0;
}

}  // namespace perfmodel::cli
