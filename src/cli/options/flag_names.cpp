#include "cli/options/flag_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.hpp"

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

}  // namespace perfmodel::cli
