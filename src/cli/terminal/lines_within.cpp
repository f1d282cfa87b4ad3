#include "cli/terminal/lines_within.hpp"

#include <algorithm>
#include <sstream>

#include "base/readable.hpp"

namespace perfmodel::cli {

std::vector<std::string> lines_within(const std::string& text, std::size_t width,
                                      std::size_t indentation) {
  if (display_width(text) <= width)
    return {text};
  std::string line = text.substr(0, text.find_first_not_of(' '));
  std::vector<std::string> lines;
  bool begins = true;
  std::istringstream words(text);
  for (std::string word; words >> word; begins = false) {
    if (!begins && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::move(line));
      line = std::string(indentation, ' ');
      begins = true;
    }
    line += (begins ? "" : " ") + word;
  }
  lines.push_back(std::move(line));
  return lines;
}

std::string paragraphs_within(const std::string& lines, std::size_t width) {
  std::string out;
  for (std::size_t start = 0; start < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', start), lines.size());
    const std::string line = lines.substr(start, end - start);
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    for (const std::string& part : lines_within(line, width, begin + 2))
      out += part + "\n";
    start = end + 1;
  }
  return out;
}

}  // namespace perfmodel::cli
