#include "cli/option_set.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>

namespace perfmodel::cli {

std::vector<std::string> names_of_commands(const CLI::App& program) {
  return mapped(
      program.get_subcommands([](const CLI::App*) { return true; }),
      [](const CLI::App* each) { return each->get_name(); });
}

std::optional<std::uint64_t> parse_whole(std::string_view text) {
  std::uint64_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  return error == std::errc{} && end == last ? std::optional(value) : std::nullopt;
}

std::uint64_t parse_count(const std::string& flag, const std::string& text, std::uint64_t low) {
  const auto value = parse_whole(text);
  if (!value || *value < low)
    throw OptionError(flag, "'" + text + "' is not a whole number >= " + std::to_string(low));
  return *value;
}

double parse_in(const std::string& flag, const std::string& text, const NumberRange& range) {
  const auto value = parse_number(text);
  if (!value || !range.contains(*value))
    throw OptionError(flag, "'" + text + "' is not " + range.words);
  return *value;
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
  return contains(split_list(values, '|'), value);
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
    const FileUse use = recorded(records.options, option).file;
    const std::string name = option->get_name(option->get_positional());
    if (name == "--output" && use == FileUse::output && option->count() == 0)
      outputs.emplace_back(name, "-");
    for (const std::string& path : option->results())
      if (use == FileUse::output)
        outputs.emplace_back(name, path);
      else if (use != FileUse::none && path == "-")
        from_stdin.push_back(name);
      else if (use == FileUse::input)
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

/// The kinds that have an option, as alternatives: "--expression multi or --expression auto".
std::string kinds_with(const OptionFacts& facts, const std::vector<Kind>& kinds) {
  std::vector<std::string> out;
  for (const Kind& kind : kinds)
    if ((facts.kinds & kind.kind) != 0 && !kind.reason.empty() && kind.kind < kGp)
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
      const OptionFacts& facts = recorded(records.options, option);
      if (option->count() == 0 || (facts.kinds & kind.kind) != 0)
        continue;
      unknown.push_back(option->get_name());
      needed = kinds_with(facts, kinds);
    }
    if (unknown.empty())
      continue;
    throw UsageError(listed(unknown, "and") +
                     (kind.reason.empty()
                          ? (unknown.size() > 1 ? " need " : " needs ") + needed
                          : " cannot be combined with " + kind.asked.words + ": " + kind.reason));
  }
}

bool is_word(const std::string& text) {
  return std::none_of(
      text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

void check_rules(const CLI::App& command, const OptionRecords& records) {
  check_kinds(command, records, recorded(records.kinds, &command));
  const std::vector<Rule>& rules = recorded(records.rules, &command);
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

Option Option::never_empty() {
  option_->check([option = option_](const std::string& text) {
    if (text.empty())
      throw OptionError(option->get_name(), "it is empty");
    return std::string();
  });
  return *this;
}

Option OptionSet::added(const std::string& name, CLI::Option& option) {
  Option out(*app_, option, *records_);
  out.only(kinds_);
  if (of_program_)
    out.of_program();
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

Option OptionSet::add(const std::string& name, std::vector<std::string>& variable,
                      const std::string& help) {
  return added(name, *app_->add_option(flag_of_name(name), variable, help)).never_empty();
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

}  // namespace perfmodel::cli
