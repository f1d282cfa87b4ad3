#include "support/console.hpp"

#include <algorithm>
#include <cmath>
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

/// Whether a line is what a pattern says: "..." stands for anything, and "~0.353 ±1%" or "~20 ±3"
/// for a number as near to it as that. Where there is such a number, columns may have other widths.
bool stands_for(const std::string& pattern, const std::string& line) {
  static const std::regex open(R"(\.\.\.|~([-+]?[\d.]+(?:e[-+]?\d+)?) ?±([\d.]+)(%?))");
  if (pattern == line)
    return true;
  struct Bound {
    double value, width;
  };
  std::vector<Bound> bounds;
  std::string expression;
  const auto literally = [&](const std::string& text) {
    static const std::regex special(R"([.^$|()\[\]{}*+?\\])");
    expression += std::regex_replace(text, special, "\\$&");
  };
  const bool near = pattern.find("±") != std::string::npos;
  const std::string shape = near ? with_single_spaces(pattern) : pattern;
  auto rest = shape.begin();
  for (std::sregex_iterator it(shape.begin(), shape.end(), open), end; it != end; ++it) {
    literally(std::string(rest, shape.begin() + it->position()));
    rest = shape.begin() + it->position() + it->length();
    if ((*it)[1].matched) {
      const double value = std::stod((*it)[1]);
      const double width = std::stod((*it)[2]);
      bounds.push_back({value, (*it)[3].length() > 0 ? std::abs(value) * width / 100 : width});
      expression += R"(([-+]?\d[\d.]*(?:e[-+]?\d+)?))";
    } else {
      expression += ".*";
    }
  }
  if (expression.empty())
    return false;
  literally(std::string(rest, shape.end()));
  std::smatch found;
  const std::string text = near ? with_single_spaces(line) : line;
  if (!std::regex_match(text, found, std::regex(expression)))
    return false;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (!(std::abs(std::stod(found[i + 1]) - bounds[i].value) <= bounds[i].width))
      return false;
  return true;
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

std::vector<std::string> differences(const std::vector<std::string>& expected,
                                     const std::vector<std::string>& actual) {
  const std::vector<std::string> pattern = masked(expected);
  const std::vector<std::string> text = masked(actual);
  // cost[p][t]: the fewest lines that are missing or too many in the first t lines for the first p
  // of the pattern. A cut takes any lines at no cost.
  std::vector cost(pattern.size() + 1, std::vector<std::size_t>(text.size() + 1));
  std::vector step(pattern.size() + 1, std::vector<char>(text.size() + 1, '+'));
  for (std::size_t p = 0; p <= pattern.size(); ++p) {
    const bool cut = p > 0 && is_cut(expected[p - 1]);
    for (std::size_t t = 0; t <= text.size(); ++t) {
      if (p == 0 && t == 0)
        continue;
      std::size_t best = t > 0 ? cost[p][t - 1] + !cut : pattern.size() + text.size() + 1;
      char way = cut ? '.' : '+';
      if (p > 0 && cost[p - 1][t] + !cut < best + cut) {
        best = cost[p - 1][t] + !cut;
        way = '-';
      }
      if (p > 0 && t > 0 && !cut && cost[p - 1][t - 1] <= best &&
          stands_for(pattern[p - 1], text[t - 1])) {
        best = cost[p - 1][t - 1];
        way = ' ';
      }
      cost[p][t] = best;
      step[p][t] = way;
    }
  }
  if (cost[pattern.size()][text.size()] == 0)
    return {};
  std::vector<std::string> out;
  for (std::size_t p = pattern.size(), t = text.size(); p > 0 || t > 0;) {
    const char way = step[p][t];
    if (way != '-' || !is_cut(expected[p - 1]))
      out.push_back(std::string(1, way) + ' ' + (way == '-' ? expected[p - 1] : actual[t - 1]));
    p -= way == '-' || way == ' ';
    t -= way != '-';
  }
  std::reverse(out.begin(), out.end());
  return out;
}

bool shows(const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
  return differences(expected, actual).empty();
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
