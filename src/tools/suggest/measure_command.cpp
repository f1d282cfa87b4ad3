#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "cli/app.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/fit_summary.hpp"
#include "roles/quantities.hpp"
#include "suggest/campaign.hpp"
#include "suggest/suggest_documents.hpp"

namespace perfmodel::cli {
namespace {

struct MeasureArguments {
  std::string space;
  std::vector<std::string> words;  ///< the command
  CampaignRequest campaign;        ///< completed from the other arguments
  std::optional<std::string> output;
  std::string log;
  std::string poll;
  std::string cancel;
  bool shell = false;
};

double parse_duration(const std::string& option, const std::string& text) {
  const auto quantity = parse_quantity(text);
  const double seconds =
      quantity && quantity->unit == "s" ? quantity->value : parse_number(text).value_or(0);
  if (seconds <= 0)
    throw OptionError(option, "'" + text + "' is not a time, such as 90s, 30m or 2h");
  return seconds;
}

Aim parse_aim(const std::string& text) {
  Aim out{.text = text, .at = {}};
  const auto at = text.find(" at ");
  std::string condition = text.substr(0, at);
  std::erase(condition, ' ');
  const auto sign = std::min(condition.find('<'), condition.size());
  const std::string figure = condition.substr(0, sign);
  if (condition.ends_with('%'))
    condition.pop_back();
  out.is_width = figure == "width";
  out.percent = parse_number(condition.substr(std::min(sign + 1, condition.size()))).value_or(0);
  if (out.percent <= 0 || (!out.is_width && figure != "error"))
    throw OptionError("--until", "'" + text +
                                     "' is not 'error<10%' or 'width<10%', which ' at gpus=64' may "
                                     "follow");
  if (at == std::string::npos)
    return out;
  for (const std::string& setting : split_list(text.substr(at + 4), ' ')) {
    const auto equals = setting.find('=');
    if (setting.empty())
      continue;
    if (equals == std::string::npos)
      throw OptionError("--until", "'" + setting + "' is not COL=VALUE");
    out.at.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return out;
}

/// The quote that is open at the end of a text of the shell; empty if there is none.
std::string open_quote(const std::string& text) {
  std::string open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string c = text.substr(at, 1);
    if (c == "\\" && open != "'")
      ++at;
    else if (c == open)
      open.clear();
    else if (open.empty() && (c == "'" || c == "\""))
      open = c;
  }
  return open;
}

/// Texts with placeholders {COL}, which stand for values of a configuration.
class Template {
 public:
  /// Throws UsageError for a placeholder that is no column of the space. `further`: placeholders
  /// that stay as they are.
  Template(std::vector<std::string> words, const plan::Space& space,
           const std::set<std::string>& further, bool shell, std::set<std::string>& used)
      : words_(std::move(words)), space_(space), further_(further), shell_(shell) {
    const std::vector<std::string> names = space.names();
    for (const std::string& word : words_)
      for_each_placeholder(word, [&](std::size_t, const std::string& name) {
        if (contains(names, name))
          used.insert(name);
        else if (!further.contains(name) && is_identifier(name))
          throw UsageError("{" + name + "} in '" + word + "' is no column of " + space.source +
                           did_you_mean_one_of(name, names));
      });
  }

  std::vector<std::string> of(const plan::Configuration& configuration) const {
    std::map<std::string, std::string> values;
    const std::vector<std::string> cells = space_.cells(configuration);
    for (std::size_t c = 0; c < cells.size(); ++c)
      values[space_.columns[c].name] = cells[c];
    if (shell_)
      for (const std::string& name : further_)
        values[name] = "{" + name + "}";  // a word of its own, which is filled later
    std::vector<std::string> out;
    std::vector<std::string> variables;  // their values
    for (const std::string& word : words_) {
      std::string& filled = out.emplace_back();
      std::size_t done = 0;
      for_each_placeholder(word, [&](std::size_t at, const std::string& name) {
        if (const auto value = values.find(name); value != values.end()) {
          filled += word.substr(done, at - done);
          filled += shell_ ? in_shell(word.substr(0, at), value->second, variables) : value->second;
          done = at + name.size() + 2;
        }
      });
      filled += word.substr(done);
    }
    return shell_ && !out.empty() ? shell_words(out.front(), variables) : out;
  }

 private:
  std::vector<std::string> words_;
  const plan::Space& space_;
  std::set<std::string> further_;
  bool shell_;

  /// A plain word as it is; any other value as a variable, whatever quotes are open before it.
  static std::string in_shell(const std::string& before, const std::string& value,
                              std::vector<std::string>& variables) {
    if (shell_word(value) == value)
      return value;
    variables.push_back(value);
    const std::string quote = open_quote(before);
    return quote + "\"$perfmodel_" + std::to_string(variables.size()) + '"' + quote;
  }
  /// Values are arguments of the shell, so that nothing in them is run.
  static std::vector<std::string> shell_words(const std::string& text,
                                              const std::vector<std::string>& variables) {
    std::vector<std::string> out = {"/bin/sh", "-c", "", "sh"};
    out.insert(out.end(), variables.begin(), variables.end());
    for (std::size_t k = 1; k <= variables.size(); ++k)
      out[2] += "perfmodel_" + std::to_string(k) + "=$1; shift; ";
    out[2] += text;
    return out;
  }

  static bool is_identifier(const std::string& name) {
    return !name.empty() &&
           std::ranges::all_of(
               name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  }

  template <class Visit>
  static void for_each_placeholder(const std::string& word, const Visit& visit) {
    for (auto at = word.find('{'); at != std::string::npos; at = word.find('{', at + 1)) {
      const auto end = word.find_first_of("{}", at + 1);
      if (end != std::string::npos && word[end] == '}')
        visit(at, word.substr(at + 1, end - at - 1));
    }
  }
};

/// The words of a command that is given as one text.
std::vector<std::string> words_of(const std::string& text, bool shell) {
  if (shell && !text.empty())
    return {text};
  std::vector<std::string> words = split_list(text, ' ');
  std::erase(words, "");
  return words;
}

/// Whether a program can be started by this name, searched in PATH unless it contains a slash.
bool can_be_started(const std::string& program) {
  const auto is_program = [](const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos)
    return is_program(program);
  const char* const list = std::getenv("PATH");
  std::string_view rest = list == nullptr ? "/usr/bin:/bin" : list;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (is_program(std::filesystem::path(folder.empty() ? "." : folder) / program))
      return true;
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return false;
}

/// Throws UsageError for a program that cannot be started.
void check_program(const std::vector<std::string>& words) {
  if (!words.empty() && !can_be_started(words.front()))
    throw UsageError("there is no program '" + words.front() + "' that can be started" +
                     (words.front().find(' ') == std::string::npos
                          ? ""
                          : "; write its arguments without quotes around all, or --shell"));
}

/// Throws UsageError for unknown placeholders, for columns of several values that the command does
/// not use, and for programs that cannot be started.
std::function<RunCommand(const plan::Configuration&)> command_of(const MeasureArguments& arguments,
                                                                 const plan::Space& space) {
  std::set<std::string> used;
  const bool shell = arguments.shell;
  const auto make = [&](std::vector<std::string> words, const std::set<std::string>& further) {
    return Template(std::move(words), space, further, shell, used);
  };
  const Template words =
      make(shell ? words_of(joined(arguments.words, " "), true) : arguments.words, {});
  const Template poll = make(words_of(arguments.poll, shell), {"job"});
  const Template cancel = make(words_of(arguments.cancel, shell), {"job"});
  const Template log({arguments.log}, space, {"job"}, false, used);
  const bool is_worker = arguments.campaign.is_worker;
  if (is_worker && !used.empty())
    throw UsageError("{" + *used.begin() +
                     "} has no value when a --worker is started: it reads one configuration per "
                     "line from its standard input");
  for (const plan::SpaceColumn& column : space.columns)
    if (!is_worker && !used.contains(column.name) && (column.is_range() || column.choices() > 1))
      throw UsageError("the command does not use column '" + column.name + "' of " + space.source +
                       ": write {" + column.name + "} where its value belongs");
  const auto command = [=](const plan::Configuration& configuration) {
    return RunCommand{.words = words.of(configuration),
                      .poll = poll.of(configuration),
                      .cancel = cancel.of(configuration),
                      .log = log.of(configuration).front(),
                      .question = is_worker ? line_text(json_of(space, configuration)) : ""};
  };
  constexpr std::size_t most_checked = 1000;
  for (const auto& configuration : plan::sample(space, most_checked, arguments.campaign.seed)) {
    const RunCommand each = command(configuration);
    for (const auto* part : {&each.words, &each.poll, &each.cancel})
      check_program(*part);
  }
  return command;
}

/// Writes the model.
void deliver(const FitOutcome& outcome, double spent, OutputFile& output, Console& console) {
  for (const auto& warning : outcome.warnings)
    console.warning(warning);
  output.write(to_json(outcome.model));
  output.commit();
  console.summary(fit_summary(
      {outcome.model, outcome.time_shares, outcome.model.provenance.rows, outcome.seconds, spent},
      console));
  for (const auto& warning : warning_lines(outcome.model))
    console.warning(warning);
}

void setup_measure(OptionSet& command, MeasureArguments& arguments) {
  const auto duration = [&command](const std::string& flag, std::optional<double>& seconds,
                                   const std::string& help) {
    return command.add(
        flag + " TIME",
        [&seconds, flag](const std::string& text) { seconds = parse_duration(flag, text); }, help);
  };
  add_input(
      command, "SPACE.json", arguments.space,
      "columns and their values, as of plan: {\"gpus\": [1, 2, 4]}, or a CSV of configurations")
      .required();
  command
      .add("COMMAND", arguments.words,
           "after --: the program to measure and its arguments; {COL} in them is the value of a "
           "column of the space")
      .required();
  command
      .add("--runs RUNS.csv", arguments.campaign.runs,
           "file of the runs, one line each, complete at any moment; the same call continues it "
           "(default: runs.csv)")
      .file(FileUse::output)
      .of_no_result();
  add_output(command, arguments.output, "MODEL.json",
             "file for the model (default: standard output, \"-\", but not to a terminal)");
  command.add(
      "--until CONDITION",
      [&arguments](const std::string& text) { arguments.campaign.until = parse_aim(text); },
      "stop when the model is good enough, as 'error<10%'; error: the expected error of a "
      "prediction, width: the mean width of the 90 % prediction intervals; 'width<20% at gpus=64': "
      "with this value, which need not be in the space; exit code 7 if it is not reached (default: "
      "measure the whole space)");
  duration("--budget", arguments.campaign.budget,
           "measure for at most this time, such as 2h; earlier calls with these runs count");
  command.add(
      "--time-from TEXT",
      [&arguments](const std::string& text) {
        arguments.campaign.time_from = parse_time_pattern(text);
      },
      "where the output has the time, as 'step_time: {}'; the last number there, with a unit after "
      "it, otherwise in seconds (default: the clock)");
  command
      .add("--log FILE", arguments.log,
           "file with the output of the command, with {COL} and {job} in its name")
      .needs("--time-from");
  duration("--timeout", arguments.campaign.timeout, "end a run after this time, as failed");
  command.count("--warmup N", arguments.campaign.warmup,
                "runs of the configuration before each one that is recorded", 0);
  command.count(
      "--repeats N", arguments.campaign.most_repeats,
      "runs of a configuration at most; it is repeated when the whole space has been measured");
  command.count("--jobs N", arguments.campaign.jobs, "runs at a time; they may disturb each other");
  constexpr auto answers = "its answers are times";
  command
      .flag("--worker", arguments.campaign.is_worker,
            "the command stays up and answers a line a run; it reads each configuration as a line "
            "of JSON from its standard input, and prints a line with the time, 0.123 or {\"time\": "
            "0.123}, in seconds, or {\"failed\": \"why\"}; its start is not measured")
      .excludes("--time-from", answers)
      .excludes("--jobs", "there is one");
  command.flag("--shell", arguments.shell,
               "pass the command to /bin/sh, joined by blanks; nothing in a value is run");
  command
      .add("--poll COMMAND", arguments.poll,
           "the command hands over a job and prints its name last; the job lasts while this "
           "command prints something to standard output: 'squeue -h -j {job}'")
      .needs("--time-from", "the clock would include the time in the queue");
  command.add("--cancel COMMAND", arguments.cancel, "ends a job: 'scancel {job}'").needs("--poll");
  command.count("--seed N", arguments.campaign.seed, "seed of the first plan and of the fits", 0);
  add_threads(command, arguments.campaign.threads);
  command.common(
      {"--runs", "--until", "--budget", "--time-from", "--timeout", "--repeats", "--worker"});
  command.footer(
      R"(Measures a Latin hypercube, then further configurations, and fits the runs.
Every finished run is on disk; after an interruption, the same call continues.

Examples:
  perfmodel measure space.json -o model.json -- ./train --gpus {gpus} --batch {batch}
  perfmodel measure space.json --until 'width<20% at gpus=64' --budget 2h -- ./train {gpus}
  perfmodel measure space.json --time-from 'step_time: {}' --timeout 10m -- ./train {gpus}
  perfmodel measure space.json --worker -- python3 worker.py

A worker is a loop, here in Python:
  for line in sys.stdin: print(json.dumps({"time": run(json.loads(line))}), flush=True))");
}

int run_measure(const MeasureArguments& arguments, Console& console) {
  const plan::Space space = read_space(arguments.space);
  const std::string path = arguments.output.value_or(output_width() ? kNowhere : "-");
  refuse_to_replace(arguments.campaign.runs, path);
  CampaignRequest request = arguments.campaign;
  request.space = space;
  request.command_of = command_of(arguments, space);
  request.aim = configurations_of(request.until.value_or(Aim()), space, request.seed);
  OutputFile output(path);
  const SignalWatch signals;
  std::optional<SearchProgress> progress(console);
  request.stop = signals.token();
  request.messages.warn = [&](const std::string& text) { console.warning(text); };
  request.messages.tell = [&](const std::string& text) { console.notice(text); };
  request.messages.begins = [&](const std::string& work) { progress->begin(work); };
  if (arguments.campaign.jobs > 1)
    console.warning("--jobs " + std::to_string(arguments.campaign.jobs) +
                    ": runs at the same time may disturb each other");
  Campaign campaign(std::move(request));
  if (campaign.runs() > 0)
    console.notice("continuing " + arguments.campaign.runs + " with " +
                   counted_noun(campaign.runs(), "run"));
  const auto knowledge = campaign.run();
  if (!knowledge) {
    progress.reset();
    console.warning("interrupted: " + arguments.campaign.runs + " has " +
                    counted_noun(campaign.runs(), "run") + "; the same call continues");
    return exit_code_of_signal(received_signal().value());
  }
  progress.reset();
  deliver(*knowledge->fit, campaign.spent(), output, console);
  if (path == kNowhere)
    console.notice("the model is not written anywhere; save it: -o model.json");
  const auto& until = arguments.campaign.until;
  if (until && !until->is_reached(*knowledge)) {
    console.warning(until->text + " is not reached");
    return static_cast<int>(ExitCode::aim_missed);
  }
  if (until)
    console.notice(until->text + " is reached");
  return 0;
}

}  // namespace

Command measure_command() {
  return make_command<MeasureArguments>(
      "measure", "Measures a program until the model of its times is good enough.", setup_measure,
      run_measure);
}

}  // namespace perfmodel::cli
