#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/error.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace perfmodel::cli {

class OptionError : public UsageError {
 public:
  OptionError(const std::string& option, const std::string& message)
      : UsageError(option + ": " + message) {}
};

/// A condition on a command line: an option is given ("--bootstrap"), has one of some values
/// ("--method d-optimal|lhs"; an option that is not given has its default), has another value
/// ("--terms !auto"), or a function returns true.
struct Condition {
  Condition(const char* option) : words(option) {}
  Condition(std::string text, std::function<bool()> function)
      : words(std::move(text)), holds(std::move(function)) {}

  std::string words;
  std::function<bool()> holds;  ///< empty: the words are an option and its values
};

/// `subject` requires `other`, or excludes it.
struct Rule {
  Condition subject;
  Condition other;
  bool excludes = false;
  std::string reason;
};

/// The decimal digits as a number; nullopt for any other text.
std::optional<std::uint64_t> parse_whole(std::string_view text);

/// What a command line can ask for: a form of the formula, or what bears on all of a fit. An option
/// belongs to some kinds, and is unknown beside the others.
enum KindOfFit : unsigned {
  kEq4 = 1U << 0U,
  kSum = 1U << 1U,
  kAuto = 1U << 2U,
  kOwnFormula = 1U << 3U,
  kPrior = 1U << 4U,  ///< of the forms, exactly one is asked for
  kGp = 1U << 5U,
  kBound = 1U << 6U,
  kCensored = 1U << 7U,
  kMany = 1U << 8U,
};
inline constexpr unsigned kAnyKind = ~0U;

/// When a kind is asked for, and why it lacks the options of others.
struct Kind {
  KindOfFit kind;
  Condition asked;
  std::string reason;  ///< empty for the kind of a command line that asks for no other
};

/// A file that an option names.
enum class FileUse {
  none,
  input,     ///< only one may be standard input; an output must not replace it
  replaced,  ///< an input that an output may replace
  output
};

/// Properties of an option besides its name, value and help.
struct OptionFacts {
  std::vector<std::string> words;  ///< possible values; empty: not enumerated
  bool is_common = false;          ///< listed in the short help
  bool is_of_result = true;        ///< the results depend on it
  bool is_of_program = false;      ///< about files, messages or several models: not of a library
  unsigned kinds = kAnyKind;       ///< to which it belongs
  FileUse file = FileUse::none;
};

struct OptionRecords {
  std::map<const CLI::Option*, OptionFacts> options;
  std::map<const CLI::App*, std::vector<Kind>> kinds;
  std::map<const CLI::App*, std::vector<Rule>> rules;
};

/// What is recorded of an option or a command; the default if nothing is.
template <class Of, class Record>
const Record& recorded(const std::map<const Of*, Record>& records, const Of* of) {
  static const Record none;
  const auto found = records.find(of);
  return found == records.end() ? none : found->second;
}

std::vector<std::string> names_of_commands(const CLI::App& program);

/// Throws UsageError for options that the kind of fit does not have, for the first rule that the
/// given options of a command break, and for files that contradict their FileUse.
void check_rules(const CLI::App& command, const OptionRecords& records);

/// Sets properties of an option that was added. CLI11's header takes seconds to compile, hence only
/// option_set.cpp, completions.cpp and app.cpp include it.
class Option {
 public:
  Option(CLI::App& app, CLI::Option& option, OptionRecords& records)
      : app_(&app), option_(&option), records_(&records) {}

  Option required();
  Option repeatable();   ///< may be given again; all values count
  Option never_empty();  ///< refuses an empty value, which a shell passes for an unset variable
  Option common() { return with(&OptionFacts::is_common, true); }
  Option of_program() { return with(&OptionFacts::is_of_program, true); }
  Option of_no_result() { return with(&OptionFacts::is_of_result, false); }
  Option file(FileUse use) { return with(&OptionFacts::file, use); }
  Option only(unsigned kinds) { return with(&OptionFacts::kinds, kinds); }
  Option not_of(unsigned kinds) { return only(kAnyKind & ~kinds); }
  Option words(std::vector<std::string> words) {
    return with(&OptionFacts::words, std::move(words));
  }
  /// Requires `other`, without which the option would have no effect.
  Option needs(Condition other, std::string reason = "") {
    return rule(std::move(other), false, std::move(reason));
  }
  Option excludes(Condition other, std::string reason = "") {
    return rule(std::move(other), true, std::move(reason));
  }

 private:
  CLI::App* app_;
  CLI::Option* option_;
  OptionRecords* records_;

  template <class Value>
  Option with(Value OptionFacts::*fact, Value value) {
    records_->options[option_].*fact = std::move(value);
    return *this;
  }
  Option rule(Condition other, bool excludes, std::string reason);
};

/// The range of numbers that an option accepts, and its description for messages.
struct NumberRange {
  double low = 0;
  double high = std::numeric_limits<double>::max();
  bool low_included = true;
  std::string words = "a number >= 0";

  bool contains(double value) const {
    return (low_included ? value >= low : value > low) && value <= high;
  }
};

/// Parse a value of the option `flag`, or throw OptionError.
std::uint64_t parse_count(const std::string& flag, const std::string& text, std::uint64_t low);
double parse_in(const std::string& flag, const std::string& text, const NumberRange& range);

template <class Choice>
using Choices = std::vector<std::pair<std::string, Choice>>;

template <class Choice>
Choice parse_choice(const std::string& flag, const std::string& text,
                    const Choices<Choice>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, choice] : choices) {
    if (word == text)
      return choice;
    words.push_back(word);
  }
  throw OptionError(flag, not_one_of(text, words));
}

/// All names of an enumeration.
template <class Choice>
Choices<Choice> choices_of() {
  Choices<Choice> out;
  for (const auto& [value, text] : texts_of(Choice{}))
    out.emplace_back(text, value);
  return out;
}

template <class Text>
concept HoldsText = std::is_assignable_v<Text&, const std::string&>;

/// The options and arguments of a command. An option's name is "-o,--output FILE"; its placeholder
/// sets the completion: "a|b" are the possible words, "COL" and "A,B" are columns of the file,
/// "FILE" and names with a dot are files. An argument has the name "RUNS.csv". Help texts are
/// wrapped, and the default of the variable is appended unless they contain "(default: X)".
class OptionSet {
 public:
  using Parser = std::function<void(const std::string& text)>;

  OptionSet(CLI::App& app, OptionRecords& records) : app_(&app), records_(&records) {}

  /// Sets the heading in the help for the options that follow, and whether they are all of the
  /// program.
  void group(const std::string& name, bool of_program = false) {
    group_ = name;
    of_program_ = of_program;
  }

  /// Adds an option for a text that is not empty.
  template <HoldsText Text>
  Option add(const std::string& name, Text& variable, const std::string& help) {
    return add(
               name, [&variable](const std::string& text) { variable = text; }, help)
        .never_empty();
  }
  Option add(const std::string& name, std::vector<std::string>& variable, const std::string& help);
  /// Passes the value to `parse`, which throws OptionError if it is invalid.
  Option add(const std::string& name, const Parser& parse, const std::string& help);
  /// Sets the variable to the result of `parse`.
  template <class Value, class Result, class Text>
  Option add(const std::string& name, Value& variable, Result (*parse)(Text),
             const std::string& help) {
    return add(
        name, [&variable, parse](const std::string& text) { variable = parse(text); }, help);
  }
  /// Adds an option that may be repeated, and passes each value to `parse`.
  Option add_each(const std::string& name, const Parser& parse, const std::string& help);
  /// Appends each result of `parse`.
  template <class Value, class Text>
  Option add_each(const std::string& name, std::vector<Value>& variable, Value (*parse)(Text),
                  const std::string& help) {
    return add_each(
        name, [&variable, parse](const std::string& text) { variable.push_back(parse(text)); },
        help);
  }

  /// Adds a flag that sets the variable to `value`.
  template <class Variable, class Value = bool>
  Option flag(const std::string& name, Variable& variable, const std::string& help,
              Value value = true) {
    return add_flag(
        name, [&variable, value] { variable = value; }, help);
  }

  /// Adds an option for a decimal number in a range. CLI11's own conversion also accepts "nan",
  /// "inf" and "0x10", and its messages do not name the valid range.
  template <class Number>
  Option number(const std::string& name, Number& variable, const std::string& help,
                NumberRange range = {}) {
    const auto parse = [&variable, flag = flag_of_name(name), range = std::move(range)](
                           const std::string& text) { variable = parse_in(flag, text, range); };
    return add(name, parse, with_default(help, variable));
  }

  /// Adds an option for a whole number of at least `low`.
  template <class Count>
  Option count(const std::string& name, Count& variable, const std::string& help,
               std::uint64_t low = 1) {
    const auto parse = [&variable, flag = flag_of_name(name), low](const std::string& text) {
      variable = parse_count(flag, text, low);
    };
    return add(name, parse, with_default(help, variable));
  }

  /// Adds an option for one of a few words.
  template <class Choice, class Variable>
  Option choice(const std::string& flag, Variable& variable, const Choices<Choice>& choices,
                const std::string& help) {
    std::vector<std::string> words;
    std::string standard;
    for (const auto& [word, choice] : choices) {
      words.push_back(word);
      if (standard.empty() && variable == choice)
        standard = word;
    }
    const auto parse = [&variable, flag, choices](const std::string& text) {
      variable = parse_choice(flag, text, choices);
    };
    return add_words(flag, parse, help, words, standard);
  }
  /// Uses the words of to_text().
  template <class Choice, class Variable>
  Option choice(const std::string& flag, Variable& variable, const std::vector<Choice>& choices,
                const std::string& help) {
    std::vector<std::pair<std::string, Choice>> named;
    for (const Choice choice : choices)
      named.emplace_back(to_text(choice), choice);
    return this->choice(flag, variable, named, help);
  }

  /// Offers all names of the enumeration.
  template <class Choice, class Variable>
  Option choice(const std::string& flag, Variable& variable, const std::string& help) {
    return choice(flag, variable, choices_of<Choice>(), help);
  }

  /// Returns an option that was added, to set further properties.
  Option option(const std::string& flag);
  /// Sets the kinds to which the options that follow belong.
  void of_kinds(unsigned kinds) { kinds_ = kinds; }
  void kind(Kind kind) { records_->kinds[app_].push_back(std::move(kind)); }
  /// Lists these options in the short help.
  void common(const std::vector<std::string>& flags);
  void rule(Rule rule) { records_->rules[app_].push_back(std::move(rule)); }
  /// Adds the rule that at most one of these is given.
  void one_of(const std::vector<std::string>& flags);
  void remove(const std::string& flag);
  void footer(const std::string& text);  ///< text below the options in the help

 private:
  CLI::App* app_;
  OptionRecords* records_;
  std::string group_ = "Options";
  bool of_program_ = false;
  unsigned kinds_ = kAnyKind;

  /// The flag without its placeholder.
  static std::string flag_of_name(const std::string& name) {
    return name.substr(0, name.find(' '));
  }
  Option add_flag(const std::string& flag, const std::function<void()>& set,
                  const std::string& help);
  Option add_words(const std::string& flag, const Parser& parse, const std::string& help,
                   const std::vector<std::string>& words, const std::string& standard);
  Option added(const std::string& name, CLI::Option& option);

  template <class Number>
  static std::string with_default(const std::string& help, const Number& value) {
    return help.find("(default: ") == std::string::npos
               ? help + " (default: " + to_text(static_cast<double>(value)) + ")"
               : help;
  }
  template <class Number>
  static std::string with_default(const std::string& help, const std::optional<Number>& /*none*/) {
    return help;
  }
};

/// Throws UsageError if the output would replace an input.
void refuse_to_replace(const std::string& input, const std::string& output);

}  // namespace perfmodel::cli
