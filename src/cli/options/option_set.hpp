#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/base/error.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace perfmodel::cli {

/// What is wrong with the value of an option.
class OptionError : public UsageError {
 public:
  OptionError(const std::string& option, const std::string& message)
      : UsageError(option + ": " + message) {}
};

/// The words that the values of options can be, where these are few.
using OptionWords = std::map<const CLI::Option*, std::vector<std::string>>;

/// One option, as CLI11 knows it: its header takes seconds to compile, hence only option_set.cpp
/// and the program as a whole include it.
class Option {
 public:
  Option(CLI::Option& option, OptionWords& words) : option_(&option), words_(&words) {}

  Option type_name(const std::string& name);    ///< of its value; "a|b" are its words
  Option group(const std::string& name);        ///< under which the help lists it
  Option option_text(const std::string& text);  ///< in the help, in place of its type
  Option required();
  Option trigger_on_parse();                     ///< its function is called for each of its values
  Option take_last();                            ///< may be given again; the last one holds
  Option take_all();                             ///< may be given again
  Option allow_extra_args(bool allow);           ///< more than one value after one name
  Option words(std::vector<std::string> words);  ///< what its value can be, for completions

 private:
  CLI::Option* option_;
  OptionWords* words_;
};

/// The options and arguments of a command.
class OptionSet {
 public:
  OptionSet(CLI::App& app, OptionWords& words) : app_(&app), words_(&words) {}

  /// An empty value is refused.
  Option add_option(const std::string& name, std::string& variable, const std::string& description);
  Option add_option(const std::string& name, std::optional<std::string>& variable,
                    const std::string& description);
  Option add_option(const std::string& name, std::vector<std::string>& variable,
                    const std::string& description);
  /// Its value goes to a function, which throws OptionError where it cannot be taken.
  Option add_option_function(const std::string& name,
                             const std::function<void(const std::string&)>& function,
                             const std::string& description);
  Option add_flag(const std::string& name, bool& variable, const std::string& description);
  Option add_flag_callback(const std::string& name, const std::function<void()>& function,
                           const std::string& description);
  Option get_option(const std::string& name);
  void remove_option(const std::string& name);
  void footer(const std::string& text);  ///< below the options in the help

 private:
  CLI::App* app_;
  OptionWords* words_;
};

}  // namespace perfmodel::cli
