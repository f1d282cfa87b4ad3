#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/options.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::cli {
namespace {

/// Fields whose flag has another name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOtherNames = {{
    {"conditions", "--where"},
    {"derived", "--derive"},
    {"gates", "--fail-if"},
    {"language", "--as"},
    {"settings", "--set"},
}};

std::string flag_of(const std::string& field) {
  const auto* const other =
      std::find_if(kOtherNames.begin(), kOtherNames.end(),
                   [&](const auto& candidate) { return candidate.first == field; });
  if (other != kOtherNames.end())
    return std::string(other->second);
  std::string flag = "--" + field;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

bool is_safe_in_shell(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("_-./:=@%+,").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_safe_in_shell))
    return word;
  std::string quoted;
  for (const char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + quoted + "'";
}

std::string flag_text(const Field& field) {
  const std::string flag = flag_of(field.name);
  if (field.values.empty())
    return flag;
  return flag + " " + shell_word(joined(field.values, ","));
}

std::string with_flags(const Sentence& sentence) {
  return sentence.text(flag_text);
}

void name_flags(FittedModel& model) {
  for (Warning& warning : model.warnings)
    warning.message = with_flags(warning.message);
  for (Sentence& notice : model.provenance.notices)
    notice = with_flags(notice);
}

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

namespace {

/// A shell writes '' where a variable is not set: what was meant is not known.
CLI::Option& never_empty(CLI::Option& option) {
  option.check([&option](const std::string& text) {
    if (text.empty())
      throw OptionError(option.get_name(), "it is empty");
    return std::string();
  });
  return option;
}

}  // namespace

Option Option::type_name(const std::string& name) {
  option_->type_name(name);
  if (name.find('|') == std::string::npos)
    return *this;
  std::vector<std::string> words;
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '|');)
    if (std::none_of(part.begin(), part.end(), [](char c) { return c >= 'A' && c <= 'Z'; }))
      words.push_back(part);  // of "K|auto", K stands for a number
  return this->words(std::move(words));
}

Option Option::group(const std::string& name) {
  option_->group(name);
  return *this;
}

Option Option::option_text(const std::string& text) {
  option_->option_text(text);
  return *this;
}

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::trigger_on_parse() {
  option_->trigger_on_parse();
  return *this;
}

Option Option::take_last() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return *this;
}

Option Option::take_all() {
  option_->take_all();
  return *this;
}

Option Option::allow_extra_args(bool allow) {
  option_->allow_extra_args(allow);
  return *this;
}

Option Option::words(std::vector<std::string> words) {
  (*words_)[option_] = std::move(words);
  return *this;
}

Option OptionSet::add_option(const std::string& name, std::string& variable,
                             const std::string& description) {
  return {never_empty(*app_->add_option(name, variable, description)), *words_};
}

Option OptionSet::add_option(const std::string& name, std::optional<std::string>& variable,
                             const std::string& description) {
  return {never_empty(*app_->add_option(name, variable, description)), *words_};
}

Option OptionSet::add_option(const std::string& name, std::vector<std::string>& variable,
                             const std::string& description) {
  return {never_empty(*app_->add_option(name, variable, description)), *words_};
}

Option OptionSet::add_option_function(const std::string& name,
                                      const std::function<void(const std::string&)>& function,
                                      const std::string& description) {
  return {*app_->add_option_function<std::string>(name, function, description), *words_};
}

Option OptionSet::add_flag(const std::string& name, bool& variable,
                           const std::string& description) {
  return {*app_->add_flag(name, variable, description), *words_};
}

Option OptionSet::add_flag_callback(const std::string& name, const std::function<void()>& function,
                                    const std::string& description) {
  return {*app_->add_flag_callback(name, function, description), *words_};
}

Option OptionSet::get_option(const std::string& name) {
  return {*app_->get_option(name), *words_};
}

void OptionSet::remove_option(const std::string& name) {
  app_->remove_option(app_->get_option(name));
}

void OptionSet::footer(const std::string& text) {
  app_->footer(text);
}

namespace {

using Formats = std::vector<std::pair<std::string, OutputFormat>>;

Formats usual_formats() {
  return {{"text", OutputFormat::text},
          {"json", OutputFormat::json},
          {"csv", OutputFormat::csv},
          {"markdown", OutputFormat::markdown},
          {"latex", OutputFormat::latex}};
}

/// `format` takes what is given.
template <class Format>
void add_format_of(OptionSet& app, Format& format, const std::string& description,
                   const Formats& formats) {
  std::vector<std::string> words;
  for (const auto& [word, choice] : formats)
    words.push_back(word);
  const auto parse = [&format, formats, words](const std::string& text) {
    const std::string name = text == "md" ? "markdown" : text;
    const auto found = std::find(words.begin(), words.end(), name);
    if (found == words.end())
      throw OptionError("--format", "'" + text + "' is not one of " + quoted_list(words));
    format = formats[static_cast<std::size_t>(found - words.begin())].second;
  };
  app.add_option_function("--format", parse, description).type_name(joined(words, "|"));
}

}  // namespace

void add_format(OptionSet& app, OutputFormat& format, const std::string& description,
                const std::vector<std::pair<std::string, OutputFormat>>& further) {
  Formats formats = usual_formats();
  formats.insert(formats.end(), further.begin(), further.end());
  const auto usual = std::find_if(formats.begin(), formats.end(),
                                  [&](const auto& known) { return known.second == format; });
  add_format_of(app, format, description + " (default: " + usual->first + ")", formats);
}

void add_format(OptionSet& app, std::optional<OutputFormat>& format,
                const std::string& description) {
  add_format_of(app, format, description, usual_formats());
}

void refuse_to_replace(const std::string& input, const std::string& output) {
  std::error_code ignored;  // a file that is not there is not the same
  if (std::filesystem::is_regular_file(input, ignored) &&
      std::filesystem::equivalent(input, output, ignored))
    throw UsageError("the output would replace the input " + input);
}

void refuse_to_replace(const std::vector<std::optional<std::string>>& inputs,
                       const std::string& output) {
  for (const auto& input : inputs)
    if (input)
      refuse_to_replace(*input, output);
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

/// The longer ones first, so that ">=" is not read as ">".
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
  std::string out =
      figure.name + " is " + (std::isnan(figure.value) ? "undefined" : to_text(figure.value));
  if (figure.interval) {
    out += " (95 % interval " + rounded(figure.interval->low) + " .. " +
           rounded(figure.interval->high) + ")";
  }
  return out;
}

}  // namespace

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
                    value_text(*figure) + "; more runs would tell");
  }
  return out;
}

}  // namespace perfmodel::cli
