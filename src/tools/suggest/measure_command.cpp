#include <unistd.h>

#include <algorithm>
#include <cmath>
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

/// `--until 'width<10% at gpus=64'`: when to stop.
struct Aim {
  std::string text;
  bool is_width = false;  ///< of the prediction intervals; else the expected error
  double percent = 0;
  std::vector<std::pair<std::string, std::string>> at;  ///< columns and values
};

struct MeasureArguments {
  std::string space;
  std::vector<std::string> words;  ///< the command
  CampaignRequest campaign;        ///< completed from the other arguments
  std::optional<std::string> output;
  std::optional<Aim> until;
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
  const std::string condition = text.substr(0, at);
  const auto sign = condition.find('<');
  std::vector<std::string> parts = split_list(condition, '<');
  for (std::string& part : parts)
    std::erase(part, ' ');
  if (parts.size() == 2 && parts[1].ends_with('%'))
    parts[1].pop_back();
  const auto percent = parts.size() == 2 ? parse_number(parts[1]) : std::nullopt;
  if (sign == std::string::npos || !percent || *percent <= 0 ||
      (parts[0] != "width" && parts[0] != "error"))
    throw OptionError("--until", "'" + text +
                                     "' is not 'error<10%' or 'width<10%', which ' at gpus=64' may "
                                     "follow");
  out.is_width = parts[0] == "width";
  out.percent = *percent;
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

/// The configurations of the space, with the values of the aim in place of their own; these need
/// not be values of the space. Empty: the whole space.
std::vector<plan::Configuration> configurations_of(const Aim& aim, const plan::Space& space,
                                                   std::uint64_t seed) {
  if (aim.at.empty())
    return {};
  constexpr std::size_t most = 1000;
  std::vector<plan::Configuration> all = plan::sample(space, most, seed);
  const std::vector<std::string> names = space.names();
  for (const auto& [name, text] : aim.at) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      throw UsageError("--until: " + space.source + " has no column '" + name + "'" +
                       did_you_mean_one_of(name, names));
    const auto c = static_cast<std::size_t>(found - names.begin());
    const plan::SpaceColumn& column = space.columns[c];
    const auto level = std::ranges::find(column.levels, text) - column.levels.begin();
    const double value =
        column.is_text() ? static_cast<double>(level) : parse_number(text).value_or(-1);
    if (value < 0 || (column.is_text() && value == static_cast<double>(column.levels.size())))
      throw UsageError("--until: '" + text + "' is no value of '" + name + "'");
    for (plan::Configuration& each : all)
      each[c] = value;
  }
  const std::set<plan::Configuration> distinct(all.begin(), all.end());
  return {distinct.begin(), distinct.end()};
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

/// The configuration as a line of JSON. What is no number in the space is a text.
std::string question_of(const plan::Space& space, const plan::Configuration& configuration) {
  const std::vector<std::string> cells = space.cells(configuration);
  Json out = Json::object();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const auto value = space.columns[c].is_text() ? std::nullopt : parse_number(cells[c]);
    out[space.columns[c].name] = value ? Json(*value) : Json(cells[c]);
  }
  return line_text(out);
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
                      .question = is_worker ? question_of(space, configuration) : ""};
  };
  constexpr std::size_t most_checked = 1000;
  for (const auto& configuration : plan::sample(space, most_checked, arguments.campaign.seed)) {
    const RunCommand each = command(configuration);
    for (const auto* part : {&each.words, &each.poll, &each.cancel})
      check_program(*part);
  }
  return command;
}

std::string duration_text(double seconds) {
  if (seconds < 60)
    return rounded(seconds) + " s";
  const auto whole = static_cast<long>(seconds);
  return whole < 3600
             ? std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s"
             : std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

/// What is known so far.
std::string state_text(const MeasureArguments& arguments, const Campaign& campaign,
                       const Knowledge& knowledge) {
  std::string out = counted_noun(campaign.configurations(), "configuration") + ", " +
                    counted_noun(campaign.runs(), "run") + ", " + duration_text(campaign.spent());
  if (std::isfinite(knowledge.deviation))
    out += ": expected error " + rounded(100 * std::expm1(knowledge.deviation)) + " %";
  if (knowledge.width)
    out += "; mean width of the intervals " + rounded(100 * *knowledge.width) + " %";
  if (knowledge.likely_to_fail > 0)
    out +=
        "; " + counted_noun(knowledge.likely_to_fail, "further configuration") + " likely to fail";
  if (arguments.campaign.budget)
    out += "; " + duration_text(std::max(0.0, campaign.left())) + " left";
  return out;
}

/// Whether the model is as good as was asked for; true if nothing was.
bool is_reached(const std::optional<Aim>& aim, const Knowledge& knowledge) {
  if (!aim)
    return true;
  const auto figure =
      aim->is_width ? knowledge.width : std::optional(std::expm1(knowledge.deviation));
  return figure && 100 * *figure < aim->percent;
}

/// Why no more is measured; nullopt if more is.
std::optional<std::string> reason_to_stop(const MeasureArguments& arguments,
                                          const Campaign& campaign, const Knowledge& knowledge) {
  if (arguments.until && is_reached(arguments.until, knowledge))
    return "the model is good enough";
  if (knowledge.next.empty())
    return "every configuration has been measured as often as --repeats says" +
           std::string(knowledge.likely_to_fail > 0 ? ", or is likely to fail" : "");
  if (campaign.is_spent())
    return "the budget is spent";
  return std::nullopt;
}

CampaignRequest request_of(const MeasureArguments& arguments, const plan::Space& space) {
  CampaignRequest out = arguments.campaign;
  out.space = space;
  out.command_of = command_of(arguments, space);
  if (arguments.until)
    out.aim = configurations_of(*arguments.until, space, out.seed);
  return out;
}

/// Measures until there is a reason to stop. Returns nullopt after a stop request.
std::optional<Knowledge> measure_all(const MeasureArguments& arguments, Campaign& campaign,
                                     SearchProgress& progress, const std::stop_token& stop,
                                     Console& console) {
  campaign.measure(campaign.first());
  while (!stop.stop_requested()) {
    progress.begin("fitting");
    Knowledge knowledge = campaign.learn();
    if (stop.stop_requested())
      break;
    console.notice(state_text(arguments, campaign, knowledge));
    if (const auto reason = reason_to_stop(arguments, campaign, knowledge)) {
      console.notice(*reason);
      return knowledge;
    }
    campaign.measure(knowledge.next);
  }
  return std::nullopt;
}

/// Writes the model. Throws what the fit threw if there is none.
void deliver(const Campaign& campaign, const Knowledge& knowledge, OutputFile& output,
             Console& console) {
  const FitOutcome outcome =
      knowledge.fit ? *knowledge.fit : fit_runs(campaign.file(), campaign.fit_request());
  for (const auto& warning : outcome.warnings)
    console.warning(warning);
  output.write(to_json(outcome.model));
  output.commit();
  console.summary(fit_summary({outcome.model, outcome.time_shares, outcome.model.provenance.rows,
                               outcome.seconds, campaign.spent()},
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
      [&arguments](const std::string& text) { arguments.until = parse_aim(text); },
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
  CampaignRequest request = request_of(arguments, space);
  OutputFile output(path);
  const SignalWatch signals;
  std::optional<SearchProgress> progress(console);
  request.stop = signals.token();
  request.warn = [&](const std::string& text) { console.warning(text); };
  request.begins = [&](const std::string& text) { progress->begin("measuring " + text); };
  if (arguments.campaign.jobs > 1)
    console.warning("--jobs " + std::to_string(arguments.campaign.jobs) +
                    ": runs at the same time may disturb each other");
  Campaign campaign(std::move(request));
  if (campaign.runs() > 0)
    console.notice("continuing " + arguments.campaign.runs + " with " +
                   counted_noun(campaign.runs(), "run"));
  const auto knowledge = measure_all(arguments, campaign, *progress, signals.token(), console);
  if (!knowledge) {
    progress.reset();
    console.warning("interrupted: " + arguments.campaign.runs + " has " +
                    counted_noun(campaign.runs(), "run") + "; the same call continues");
    return exit_code_of_signal(received_signal().value());
  }
  progress.reset();
  deliver(campaign, *knowledge, output, console);
  if (path == kNowhere)
    console.notice("the model is not written anywhere; save it: -o model.json");
  if (!is_reached(arguments.until, *knowledge)) {
    console.warning(arguments.until->text + " is not reached");
    return static_cast<int>(ExitCode::aim_missed);
  }
  if (arguments.until)
    console.notice(arguments.until->text + " is reached");
  return 0;
}

}  // namespace

Command measure_command() {
  return make_command<MeasureArguments>(
      "measure", "Measures a program until the model of its times is good enough.", setup_measure,
      run_measure);
}

}  // namespace perfmodel::cli
