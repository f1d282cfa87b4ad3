#include "cli/options/option_set.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

namespace perfmodel::cli {
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

}  // namespace perfmodel::cli
