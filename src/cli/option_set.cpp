#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/options.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::cli {
InstructionSet parse_kernel(std::string_view word, std::span<const InstructionSet> available) {
  if (word.empty())
    return available.back();
  std::vector<std::string> words;
  for (const InstructionSet instructions : available) {
    if (to_text(instructions) == word)
      return instructions;
    words.emplace_back(to_text(instructions));
  }
  throw UsageError("PERFMODEL_KERNEL: '" + std::string(word) + "' is no kernel of this machine, " +
                   "which has " + quoted_list(words));
}

InstructionSet kernel_of_environment() {
  const char* word = std::getenv("PERFMODEL_KERNEL");
  return parse_kernel(word == nullptr ? "" : word, available_instruction_sets());
}

std::vector<std::string> split_list(const std::string& text, char separator) {
  std::vector<std::string> items;
  std::size_t start = 0;
  while (true) {
    const auto end = text.find(separator, start);
    items.push_back(text.substr(start, end - start));
    if (end == std::string::npos)
      return items;
    start = end + 1;
  }
}

namespace {

/// Splits "--residual process" into an option and its values; the values are empty if any value
/// satisfies the condition.
std::pair<std::string, std::string> parts_of(const Condition& condition) {
  const auto blank = condition.words.find(' ');
  return {condition.words.substr(0, blank),
          blank == std::string::npos ? "" : condition.words.substr(blank + 1)};
}

std::string value_of(const CLI::Option& option) {
  return option.count() > 0 && !option.results().empty() ? option.results().back()
                                                         : option.get_default_str();
}

bool is_known(const CLI::App& command, const Condition& condition) {
  return condition.holds || command.get_option_no_throw(parts_of(condition).first) != nullptr;
}

bool holds(const CLI::App& command, const Condition& condition) {
  if (condition.holds)
    return condition.holds();
  const auto [name, values] = parts_of(condition);
  const CLI::Option& option = *command.get_option_no_throw(name);
  if (values.empty())
    return option.count() > 0;
  const std::string value = value_of(option);
  if (values.front() == '!')
    return !value.empty() && value != values.substr(1);
  const auto words = split_list(values, '|');
  return std::find(words.begin(), words.end(), value) != words.end();
}

/// "a, b and c", with `last` in place of "and".
std::string listed(const std::vector<std::string>& items, const std::string& last) {
  std::string out;
  for (std::size_t k = 0; k < items.size(); ++k)
    out += (k == 0 ? "" : k + 1 < items.size() ? ", " : " " + last + " ") + items[k];
  return out;
}

/// "--terms other than auto", "--method d-optimal or lhs".
std::string asked_for(const Condition& condition) {
  const auto [name, values] = parts_of(condition);
  if (!condition.holds && values.starts_with('!'))
    return name + " other than " + values.substr(1);
  return condition.holds ? condition.words : listed(split_list(condition.words, '|'), "or");
}

/// "--residual process": the option with its present value.
std::string words_of(const CLI::App& command, const Condition& condition) {
  const auto [name, values] = parts_of(condition);
  return condition.holds || values.empty()
             ? condition.words
             : name + " " + value_of(*command.get_option_no_throw(name));
}

bool is_broken(const CLI::App& command, const Rule& rule) {
  return is_known(command, rule.subject) && is_known(command, rule.other) &&
         holds(command, rule.subject) && holds(command, rule.other) == rule.excludes;
}

/// Throws UsageError if two inputs are standard input, if an output would replace an input, and if
/// two outputs are the same file.
void check_files(const CLI::App& command, const OptionRecords& records) {
  std::vector<std::string> from_stdin;
  std::vector<std::string> kept;
  std::vector<std::pair<std::string, std::string>> outputs;
  for (const CLI::Option* option : command.get_options()) {
    const auto facts = records.options.find(option);
    if (facts == records.options.end() || facts->second.file == FileUse::none)
      continue;
    const std::string name = option->get_name(option->get_positional());
    if (name == "--output" && option->count() == 0)
      outputs.emplace_back(name, "-");
    for (const std::string& path : option->results())
      if (facts->second.file == FileUse::output)
        outputs.emplace_back(name, path);
      else if (path == "-")
        from_stdin.push_back(name);
      else if (facts->second.file == FileUse::input)
        kept.push_back(path);
  }
  if (from_stdin.size() > 1)
    throw UsageError(listed(from_stdin, "and") + " cannot both come from standard input");
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const auto& [name, path] = outputs[k];
    for (const std::string& input : kept)
      refuse_to_replace(input, path);
    for (std::size_t other = 0; other < k; ++other)
      if (std::filesystem::path(path).lexically_normal() ==
          std::filesystem::path(outputs[other].second).lexically_normal())
        throw UsageError(outputs[other].first + " and " + name + " need a file each");
  }
}

}  // namespace

namespace {

/// The kinds that have an option, as alternatives: "--expression multi or --expression auto".
std::string kinds_with(const OptionFacts& facts, const std::vector<Kind>& kinds) {
  std::vector<std::string> out;
  for (const Kind& kind : kinds)
    if ((facts.kinds & kind.kind) != 0 && !kind.reason.empty() && kind.kind < kProcess)
      out.push_back(kind.asked.words);
  return listed(out, "or");
}

/// Throws UsageError if options are given that a kind which is asked for does not have.
void check_kinds(const CLI::App& command, const OptionRecords& records,
                 const std::vector<Kind>& kinds) {
  for (const Kind& kind : kinds) {
    if (!holds(command, kind.asked))
      continue;
    std::vector<std::string> unknown;
    std::string needed;
    for (const CLI::Option* option : command.get_options()) {
      const auto facts = records.options.find(option);
      if (option->count() == 0 || facts == records.options.end() ||
          (facts->second.kinds & kind.kind) != 0)
        continue;
      unknown.push_back(option->get_name());
      needed = kinds_with(facts->second, kinds);
    }
    if (unknown.empty())
      continue;
    throw UsageError(listed(unknown, "and") +
                     (kind.reason.empty()
                          ? (unknown.size() > 1 ? " need " : " needs ") + needed
                          : " cannot be combined with " + kind.asked.words + ": " + kind.reason));
  }
}

/// The records of a command.
template <class Record>
const std::vector<Record>& of_command(const CLI::App& command,
                                      const std::map<const CLI::App*, std::vector<Record>>& all) {
  static const std::vector<Record> none;
  const auto found = all.find(&command);
  return found == all.end() ? none : found->second;
}

}  // namespace

void check_rules(const CLI::App& command, const OptionRecords& records) {
  check_kinds(command, records, of_command(command, records.kinds));
  const std::vector<Rule>& rules = of_command(command, records.rules);
  const auto broken = std::find_if(rules.begin(), rules.end(),
                                   [&](const Rule& rule) { return is_broken(command, rule); });
  if (broken == rules.end()) {
    check_files(command, records);
    return;
  }
  std::vector<std::string> subjects;  // of all rules broken for this reason
  std::vector<std::string> others;    // required by this subject
  for (const Rule& rule : rules) {
    if (rule.excludes != broken->excludes || rule.reason != broken->reason ||
        !is_broken(command, rule))
      continue;
    if (rule.other.words == broken->other.words)
      subjects.push_back(words_of(command, rule.subject));
    if (rule.subject.words == broken->subject.words)
      others.push_back(asked_for(rule.other));
  }
  const std::string subject = listed(subjects, "and");
  const std::string message = broken->excludes
                                  ? " cannot be combined with " + words_of(command, broken->other)
                              : subjects.size() > 1 ? " need " + others.front()
                                                    : " needs " + listed(others, "and");
  throw UsageError(subject + message + (broken->reason.empty() ? "" : ": " + broken->reason));
}

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::repeatable() {
  option_->allow_extra_args(false)->take_all();
  return *this;
}

Option Option::rule(Condition other, bool excludes, std::string reason) {
  const std::string name = option_->get_name();
  records_->rules[app_].push_back({name.c_str(), std::move(other), excludes, std::move(reason)});
  return *this;
}

namespace {

/// Refuses an empty value, which a shell passes if a variable is not set.
CLI::Option& never_empty(CLI::Option& option) {
  option.check([&option](const std::string& text) {
    if (text.empty())
      throw OptionError(option.get_name(), "it is empty");
    return std::string();
  });
  return option;
}

bool is_word(const std::string& text) {
  return std::none_of(
      text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

Option OptionSet::added(const std::string& name, CLI::Option& option) {
  Option out(*app_, option, *records_);
  out.only(kinds_);
  const auto blank = name.find(' ');
  if (blank == std::string::npos && option.get_positional()) {
    // CLI11 would add "TEXT REQUIRED"; the usage line shows which arguments are optional.
    option.option_text(" ");
  } else if (blank != std::string::npos) {
    const std::string value = name.substr(blank + 1);
    option.type_name(value);
    std::vector<std::string> words;
    for (const std::string& part : split_list(value, '|'))
      if (is_word(part))  // in "K|auto", K is a placeholder for a number
        words.push_back(part);
    if (value.find('|') != std::string::npos)
      out.words(words);
  }
  option.group(group_);
  return out;
}

Option OptionSet::add(const std::string& name, std::string& variable, const std::string& help) {
  return added(name, never_empty(*app_->add_option(flag_of_name(name), variable, help)));
}

Option OptionSet::add(const std::string& name, std::optional<std::string>& variable,
                      const std::string& help) {
  return added(name, never_empty(*app_->add_option(flag_of_name(name), variable, help)));
}

Option OptionSet::add(const std::string& name, std::vector<std::string>& variable,
                      const std::string& help) {
  return added(name, never_empty(*app_->add_option(flag_of_name(name), variable, help)));
}

Option OptionSet::add(const std::string& name, const Parser& parse, const std::string& help) {
  return added(name, *app_->add_option_function<std::string>(flag_of_name(name), parse, help));
}

Option OptionSet::add_each(const std::string& name, const Parser& parse, const std::string& help) {
  const auto parse_all = [parse](const std::vector<std::string>& texts) {
    std::for_each(texts.begin(), texts.end(), parse);
  };
  return added(name, *app_->add_option_function<std::vector<std::string>>(flag_of_name(name),
                                                                          parse_all, help))
      .repeatable();
}

Option OptionSet::add_flag(const std::string& flag, const std::function<void()>& set,
                           const std::string& help) {
  return added(flag, *app_->add_flag_callback(flag, set, help));
}

Option OptionSet::add_words(const std::string& flag, const Parser& parse, const std::string& help,
                            const std::vector<std::string>& words, const std::string& standard) {
  constexpr std::size_t longest_type_name = 50;
  const std::string listed_words = joined(words, "|");
  const bool tells = standard.empty() || help.find("(default: ") != std::string::npos;
  const std::string end = std::string(help.find('\n') == std::string::npos ? " " : "\n") +
                          "(default: " + standard + ")";
  Option out = add(flag + " " + (listed_words.size() > longest_type_name ? "NAME" : listed_words),
                   parse, help + (tells ? "" : end));
  app_->get_option(flag)->default_str(standard);
  return out.words(words);
}

Option OptionSet::option(const std::string& flag) {
  return {*app_, *app_->get_option(flag), *records_};
}

void OptionSet::common(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags)
    option(flag).common();
}

void OptionSet::one_of(const std::vector<std::string>& flags) {
  for (auto flag = flags.begin(); flag != flags.end(); ++flag)
    for (auto earlier = flags.begin(); earlier != flag; ++earlier)
      rule({flag->c_str(), earlier->c_str(), true, "choose one of " + listed(flags, "and")});
}

void OptionSet::remove(const std::string& flag) {
  app_->remove_option(app_->get_option(flag));
  std::erase_if(records_->kinds[app_],
                [&](const Kind& kind) { return parts_of(kind.asked).first == flag; });
}

void OptionSet::footer(const std::string& text) {
  app_->footer(text);
}

void refuse_to_replace(const std::string& input, const std::string& output) {
  std::error_code ignored;  // a missing file is a different one
  if (std::filesystem::is_regular_file(input, ignored) &&
      std::filesystem::equivalent(input, output, ignored))
    throw UsageError("the output would replace the input " + input);
}

namespace {

using Comparison = Gate::Comparison;

constexpr std::array<std::pair<std::string_view, double Metrics::*>, 6> kMetricMembers = {
    {{"mae", &Metrics::mae},
     {"mape", &Metrics::mape_percent},
     {"smape", &Metrics::smape_percent},
     {"mse", &Metrics::mse},
     {"rmse", &Metrics::rmse},
     {"r2", &Metrics::r2}}};

/// Longer symbols first, so that ">=" is not read as ">".
constexpr std::array<std::pair<std::string_view, Comparison>, 4> kComparisons = {
    {{">=", Comparison::at_least},
     {"<=", Comparison::at_most},
     {">", Comparison::above},
     {"<", Comparison::below}}};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  const auto last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, last - first + 1);
}

bool holds(const Gate& gate, double value) {
  if (std::isnan(value))
    return true;
  switch (gate.comparison) {
    case Comparison::above:
      return value > gate.threshold;
    case Comparison::at_least:
      return value >= gate.threshold;
    case Comparison::below:
      return value < gate.threshold;
    case Comparison::at_most:
      return value <= gate.threshold;
  }
  return true;
}

/// "mape_drift is 2.5 (95 % interval 2.1 .. 2.9)".
std::string value_text(const Figure& figure) {
  return figure.name + " is " + (std::isnan(figure.value) ? "undefined" : to_text(figure.value)) +
         gate_interval_text(figure.interval);
}

}  // namespace

std::string gate_interval_text(const std::optional<Interval>& interval) {
  return interval
             ? " (95 % interval " + rounded(interval->low) + " .. " + rounded(interval->high) + ")"
             : "";
}

std::vector<std::string> gate_metrics() {
  std::vector<std::string> names;
  for (const auto& [name, member] : kMetricMembers)
    names.emplace_back(name);
  return names;
}

std::vector<Figure> figures_of(const Metrics& metrics, const std::string& part,
                               const std::string& prefix) {
  std::vector<Figure> figures;
  for (const auto& [name, member] : kMetricMembers)
    figures.push_back({prefix + std::string(name), metrics.*member, part, {}});
  return figures;
}

Gate parse_gate(std::string_view text, const FurtherFigures& further) {
  std::vector<std::string> known = gate_metrics();
  known.insert(known.end(), further.names.begin(), further.names.end());
  for (const auto& [symbol, comparison] : kComparisons) {
    const auto position = text.find(symbol);
    if (position == std::string_view::npos)
      continue;
    const auto name = trimmed(text.substr(0, position));
    const auto threshold = parse_number(trimmed(text.substr(position + symbol.size())));
    if (threshold && (std::find(known.begin(), known.end(), name) != known.end() ||
                      (further.accepts && further.accepts(name))))
      return {std::string(text), std::string(name), comparison, *threshold};
    break;
  }
  throw UsageError("--fail-if '" + std::string(text) +
                   "': expected a metric (mae, mape, smape, mse, rmse, r2" + further.words +
                   "), one of > >= < <= and a number, as in 'mape>10'");
}

std::vector<JudgedGate> judged_gates(const std::vector<Gate>& gates,
                                     const std::vector<Figure>& figures) {
  std::vector<JudgedGate> out;
  for (const auto& gate : gates) {
    const std::size_t before = out.size();
    for (const auto& figure : figures) {
      if (figure.name != gate.figure)
        continue;
      const bool now = holds(gate, figure.value);
      const bool everywhere = !figure.interval || (holds(gate, figure.interval->low) &&
                                                   holds(gate, figure.interval->high));
      out.push_back({gate, figure, now, now && everywhere});
    }
    if (out.size() == before)
      out.push_back({gate, std::nullopt, true, true});
  }
  return out;
}

void check_gates(const std::vector<JudgedGate>& gates) {
  std::vector<std::string> failures;
  for (const auto& [gate, figure, holds, fires] : gates) {
    if (!fires)
      continue;
    const std::string condition = "--fail-if '" + gate.text + "' ";
    failures.push_back(condition + (figure ? "holds on " + figure->part + ": " + value_text(*figure)
                                           : "cannot be judged: there is no " + gate.figure));
  }
  if (!failures.empty())
    throw GateError(joined(failures, "; "));
}

void check_gates(const std::vector<Gate>& gates, const std::vector<Figure>& figures) {
  check_gates(judged_gates(gates, figures));
}

std::vector<std::string> open_gates(const std::vector<JudgedGate>& gates) {
  std::vector<std::string> out;
  for (const auto& [gate, figure, holds, fires] : gates) {
    if (holds && !fires)
      out.push_back("--fail-if '" + gate.text + "' holds, but not for certain: " +
                    value_text(*figure) + "; more runs may decide");
  }
  return out;
}

}  // namespace perfmodel::cli
