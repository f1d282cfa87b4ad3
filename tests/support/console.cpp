#include "support/console.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>

namespace perfmodel::test {
namespace {

bool is_cut(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin != std::string::npos && line.substr(begin) == "...";
}

std::string with_single_spaces(const std::string& line) {
  static const std::regex spaces(" +");
  return std::regex_replace(line, spaces, " ");
}

/// "0.018152809714556094" to "0.0181528": what other processors agree about.
std::string with_short_numbers(const std::string& line) {
  static const std::regex long_number(R"(\d+\.\d{9,}(e[-+]?\d+)?)");
  std::string out;
  auto rest = line.begin();
  for (std::sregex_iterator it(line.begin(), line.end(), long_number), end; it != end; ++it) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.6g", std::strtod(it->str().c_str(), nullptr));
    out.append(rest, line.begin() + it->position()).append(digits);
    rest = line.begin() + it->position() + it->length();
  }
  return out.append(rest, line.end());
}

/// The lines without what is not to be compared.
std::vector<std::string> masked(const std::vector<std::string>& lines) {
  static const std::regex time_taken(R"(, \d[\d.e-]* (s|ms|min)(?=;|$))");
  static const std::regex count(
      R"re(\d+ (generations|evaluations)|("(generations|evaluations)": )\d+)re");
  static const std::regex seconds(R"re(("fit_seconds": )[\d.e-]+)re");
  static const std::regex last_field(R"( \S+ *$)");
  std::vector<std::string> out;
  bool last_column_is_time = false;
  for (const std::string& line : lines) {
    std::string text = with_short_numbers(line);
    text = std::regex_replace(text, time_taken, ", (time)");
    text = std::regex_replace(text, count, "$2(count) $1");
    text = std::regex_replace(text, seconds, "$1(time)");
    if (line.ends_with("fit [s]")) {
      last_column_is_time = true;
      text = with_single_spaces(text);
    } else if (line.empty()) {
      last_column_is_time = false;
    } else if (last_column_is_time && !is_cut(line)) {
      text = with_single_spaces(std::regex_replace(text, last_field, " (time)"));
    }
    out.push_back(text);
  }
  return out;
}

/// The line's words; numbers and the width of columns aside.
std::string skeleton(const std::string& line) {
  static const std::regex number(R"([-+]?\d[\d.]*(e[-+]?\d+)?)");
  return with_single_spaces(std::regex_replace(line, number, "#"));
}

}  // namespace

std::vector<ConsoleCommand> console_commands(const std::vector<std::string>& block) {
  std::vector<ConsoleCommand> commands;
  bool goes_on = false;
  for (const std::string& line : block) {
    if (line.starts_with("$ ")) {
      commands.push_back({{line}, line.substr(2) + "\n", {}});
    } else if (commands.empty()) {
      commands.push_back({{}, "", {line}});  // no command: whatever it is, it does not show this
    } else if (goes_on) {
      commands.back().shown.push_back(line);
      commands.back().command += line + "\n";
    } else if (line.starts_with("> ") && commands.back().output.empty()) {
      commands.back().shown.push_back(line);
      commands.back().command += line.substr(2) + "\n";
    } else {
      commands.back().output.push_back(line);
    }
    goes_on = commands.back().output.empty() && line.ends_with('\\');
  }
  return commands;
}

bool shows(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  const std::vector<std::string> pattern = masked(expected);
  const std::vector<std::string> text = masked(actual);
  // reachable[t]: the pattern so far can stand for the first t lines.
  std::vector<bool> reachable(text.size() + 1, false);
  reachable[0] = true;
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    std::vector<bool> next(text.size() + 1, false);
    for (std::size_t t = 0; t <= text.size(); ++t)
      if (is_cut(expected[p]))
        next[t] = reachable[t] || (t > 0 && next[t - 1]);
      else
        next[t] = t > 0 && reachable[t - 1] && pattern[p] == text[t - 1];
    reachable = next;
  }
  return reachable[text.size()];
}

std::optional<std::vector<std::string>> with_the_cuts_of(const std::vector<std::string>& expected,
                                                         const std::vector<std::string>& actual) {
  std::vector<std::string> out;
  const auto find = [&](std::size_t from, const std::string& line) {
    std::size_t at = from;
    while (at < actual.size() && skeleton(actual[at]) != skeleton(line))
      ++at;
    return at;
  };
  std::size_t at = 0;
  for (std::size_t p = 0; p < expected.size();) {
    if (is_cut(expected[p])) {
      out.push_back(expected[p++]);
      continue;
    }
    std::size_t last = p;
    while (last + 1 < expected.size() && !is_cut(expected[last + 1]))
      ++last;
    // The first and the last lines of the output hold the piece where no cut does.
    const std::size_t begin = p == 0 ? 0 : find(at, expected[p]);
    const std::size_t end = last + 1 == expected.size() ? actual.size()
                            : begin < actual.size()
                                ? find(std::max(at, begin + (last > p)), expected[last]) + 1
                                : actual.size() + 1;
    if (begin >= actual.size() || end > actual.size())
      return std::nullopt;
    out.insert(out.end(), actual.begin() + static_cast<std::ptrdiff_t>(begin),
               actual.begin() + static_cast<std::ptrdiff_t>(end));
    at = end;
    p = last + 1;
  }
  if (expected.empty())
    out = actual;
  return out;
}

}  // namespace perfmodel::test
