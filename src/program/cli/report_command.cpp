#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "analysis/model_words.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/judged_runs.hpp"
#include "cli/many_models.hpp"
#include "page/page_content.hpp"

namespace perfmodel::cli {
namespace {

struct ReportArguments : JudgedRunsArguments {
  Call call;                             ///< set by the program
  std::optional<std::string> old_model;  ///< the first file, if the second is a model, too
  std::vector<std::string> settings;     ///< configuration at which many models are ranked
  std::string title;
  std::optional<bool> explore;  ///< nullopt: if the page stays small
  std::string figures;          ///< folder; empty: no figures
  bool is_markdown = false;
  std::string output = "-";
};

constexpr std::size_t kMostBytes = 300'000;  // largest page that has the panel by default
constexpr std::size_t kMostOfGp = 20'000;    // predictions of these take some seconds

std::string page_of(const page::Content& content, const ReportArguments& arguments) {
  const auto script = arguments.explore.value_or(true)
                          ? page::exploration_script(content.model, content.central)
                          : std::nullopt;
  if (arguments.explore == true && !script) {
    throw InputError(
        "this model has no function that a page can compute; predict computes the time of any "
        "configuration, and without --explore there is a page");
  }
  if (script) {
    std::string page = report_html(content, arguments.title, *script);
    if (arguments.explore || page.size() <= kMostBytes)
      return page;
  }
  return report_html(content, arguments.title);
}

/// The command that writes the page again, without the options of the panel and without folders of
/// this machine.
std::string command_of(const ReportArguments& arguments) {
  static const std::set<std::string> left_out = {"--explore", "--no-explore", "--figures",
                                                 "--format", "--facts"};
  std::string out = "perfmodel report";
  for (const std::string& file : arguments.call.files)
    out += " " + shell_word(base_name(file));
  for (const std::string& word : arguments.call.options) {
    const auto equals = word.find('=');
    const std::string flag = word.substr(0, equals);
    if (!left_out.contains(flag))
      out += " " + flag + (equals == word.npos ? "" : " " + shell_word(word.substr(equals + 1)));
  }
  return out + " -o report.html";
}

/// Writes the figures of the page to a folder, which is created if necessary.
void write_figures(const std::string& page, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw OutputError(folder + ": " + error.message());
  for (const figures::FigureFile& figure : figures::figures_of_page(page)) {
    OutputFile file((std::filesystem::path(folder) / (figure.name + ".svg")).string());
    finish(file, figure.svg);
  }
}

/// Compares with an older model. It is judged on all runs, and both on those that the model was not
/// fitted to, which are left if there are any.
page::Comparison compared_with(const std::string& file, const ReportArguments& arguments,
                               const FittedModel& model, JudgedRuns& runs, Console& console) {
  const Eigen::VectorXd of_all = judge_baseline(file, arguments, model, runs, false, console);
  const Biases biases = judged_biases(read_model(file), runs.design, of_all);
  const double mape_of_all = measure(runs.design, of_all, file).mape_percent;
  const std::vector<std::size_t> others = set_rows_of_fit_aside(model, runs);
  const Eigen::VectorXd older = of_all(std::vector<Eigen::Index>(others.begin(), others.end()));
  page::Comparison out{.model_file = base_name(file),
                       .metrics = measure(runs.design, older, file),
                       .interval = {},
                       .confidence = kDriftConfidence,
                       .biases = biases,
                       .mape_of_all = mape_of_all};
  for (const DriftFigure& figure : drift_with_intervals(runs.design, runs.predicted, older)) {
    if (figure.name == "mape_drift") {
      out.difference = figure.value;
      out.interval = figure.interval;
    }
  }
  const Eigen::ArrayXd time = runs.design.time.array();
  out.nearer_share =
      ((runs.predicted.array() - time).abs() < (older.array() - time).abs()).cast<double>().mean();
  return out;
}

/// Reports many models: their table, followed by pages of single models.
int report_set(const ReportArguments& arguments, const ModelSet& set, OutputFile& output,
               Console& console) {
  if (arguments.old_model || !arguments.figures.empty() || arguments.explore == true ||
      arguments.target)
    throw UsageError(
        "an older model, --figures, --explore and --target go with one model; choose it: --pick");
  SetPageRequest request{.model_file = base_name(arguments.model),
                         .settings = arguments.settings,
                         .title = arguments.title,
                         .command = command_of(arguments)};
  if (!arguments.runs.empty())
    request.runs = read_noted(arguments.runs, text_columns_of(set), arguments.reading,
                              reading_of(set), console);
  const page::SetContent content = many_models().page(set, request, console);
  if (arguments.is_markdown) {
    doc::Document document{.escapes_markup = true};
    for (const auto& [heading, table] : content.tables) {
      document.add(doc::Heading{heading});
      document.add(table);
    }
    return finish(output, "### " + doc::markdown_words(content.title) + "\n\n" +
                              document.in(OutputFormat::markdown));
  }
  return finish(output, set_html(content));
}

/// Whether a file is a model, unless it is certain that it holds runs.
bool may_be_model(const std::string& path) {
  std::ifstream file(path);
  std::string beginning(4096, '\0');
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return path == "-" || file.gcount() == 0 || beginning.find("perfmodel/model") != beginning.npos;
}

void setup_report(OptionSet& command, ReportArguments& arguments) {
  add_judged_runs(command, arguments, false);
  command.group("Options");
  command.add("--title TEXT", arguments.title,
              "title of the page (default: the names of target, model and runs)");
  command.choice<bool>(
      "--format", arguments.is_markdown, {{"html", false}, {"markdown", true}, {"md", true}},
      "html: the page\nmarkdown or md: its answers as a comment for a pull request");
  command.flag("--explore", arguments.explore,
               "a panel that predicts the time of any configuration (default: where the "
               "page has at most 300 kB with it)");
  command.flag("--no-explore", arguments.explore, "a page without a script", false);
  command.add("--figures DIR", arguments.figures,
              "folder in which each figure is written as NAME.svg; for papers and slides");
  command
      .add("--set COL=VALUE", arguments.settings,
           "configuration at which many models are ranked; other inputs are those of one run for "
           "all")
      .repeatable();
  add_output(command, arguments.output, "FILE");
  command.common({"--title", "--format", "--explore", "--no-explore", "--figures"});
  command.footer(
      R"(The page is one file of HTML with its figures inside; it loads nothing, and its only script is
the panel of --explore. It shows how long an iteration takes, what makes it long, how it scales, and
how far these answers can be trusted. The address can set the panel: report.html#gpus=8&batch=64.
Two models are compared on the same runs: the first is the old one. Many models (fit --by) share one
page: cost, growth and terms of each model, the most costly first, with the page of each model
behind it, and of its runs if they are passed.

Examples:
  perfmodel report model.json runs.csv -o report.html
  perfmodel report old.json new.json runs.csv -o report.html
  perfmodel report all.jsonl --set gpus=64 -o report.html
  perfmodel report model.json runs.csv --format md
  perfmodel report model.json runs.csv --figures figures -o report.html)");
}

int run_report(const ReportArguments& given, Console& console) {
  ReportArguments arguments = given;
  arguments.most_of_gp = kMostOfGp;
  if (given.runs.size() > 1 && may_be_model(given.runs.front())) {
    arguments.old_model = given.model;
    arguments.model = given.runs.front();
    arguments.runs.erase(arguments.runs.begin());
  }
  const std::optional<std::string>& old_model = arguments.old_model;
  if (old_model == "-")
    throw UsageError("the older model cannot come from standard input; write it to a file");
  OutputFile output(arguments.output);
  const ModelSet set = picked_models(arguments.model, arguments.pick);
  if (set.has_keys() && set.size() != 1)
    return report_set(arguments, set, output, console);
  if (arguments.runs.empty())
    throw UsageError("RUNS.csv is required: the runs that the model is judged on");
  if (!arguments.settings.empty())
    throw UsageError("--set needs a file of many models");
  const FittedModel model = model_at_common_run(set);
  JudgedRuns runs = judge_runs(set, arguments, false, console);
  std::optional<page::Comparison> comparison;
  if (old_model)
    comparison = compared_with(*old_model, arguments, model, runs, console);
  else
    set_rows_of_fit_aside(model, runs);
  page::Source source =
      page_source(model, base_name(arguments.model),
                  {base_name(runs.file.path), runs.sampled_from.value_or(runs.file.table.rows()),
                   sha256(runs.file.bytes), runs.sampled_from.has_value()},
                  runs);
  source.comparison = std::move(comparison);
  source.command = command_of(arguments);
  if (set.has_keys())
    source.key = words_of(line_of(set), set.header());
  const page::Content content = page::content_of(source);
  const std::string page =
      arguments.is_markdown && arguments.figures.empty() ? "" : page_of(content, arguments);
  if (!arguments.figures.empty())
    write_figures(page, arguments.figures);
  return finish(output, arguments.is_markdown ? report_markdown(content, arguments.title) : page);
}

}  // namespace

Command report_command() {
  return make_command<ReportArguments>("report",
                                       "Writes one page with the tables and figures of a model.",
                                       setup_report, run_report);
}

}  // namespace perfmodel::cli
