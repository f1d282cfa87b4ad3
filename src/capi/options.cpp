#include "capi/options.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::capi {

namespace {

std::string value_of(const std::string& name, const nlohmann::json& value) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_number_integer())
    return value.dump();
  if (value.is_number())
    return to_text(value.get<double>());
  throw UsageError("option '" + name + "': expected a text, a number, true, false or a list");
}

void add_list(const std::string& name, const std::string& flag, const nlohmann::json& list,
              std::vector<std::string>& words) {
  std::vector<std::string> values;
  for (const auto& value : list)
    values.push_back(value_of(name, value));
  if (name == "derive" || name == "bounds") {
    for (const std::string& value : values)
      words.push_back(flag + "=" + value);
    return;
  }
  const bool may_be_none = name == "extrinsic" || name == "intrinsic";
  if (!values.empty() || may_be_none)
    words.push_back(flag + "=" + (values.empty() ? "none" : joined(values, ",")));
}

}  // namespace

std::vector<std::string> words_of_options(std::string_view json) {
  const auto options = nlohmann::json::parse(json, nullptr, false);
  if (!options.is_object())
    throw UsageError("the options are no JSON object");
  std::vector<std::string> words;
  for (const auto& [name, value] : options.items()) {
    std::string flag = name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    flag.insert(0, "--");
    if (value.is_array())
      add_list(name, flag, value, words);
    else if (value.is_boolean() && value.get<bool>())
      words.push_back(flag);
    else if (!value.is_boolean() && !value.is_null())
      words.push_back(flag + "=" + value_of(name, value));
  }
  return words;
}

}  // namespace perfmodel::capi
