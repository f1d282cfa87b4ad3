#include "support/markdown.hpp"

#include <cctype>
#include <regex>
#include <sstream>

namespace perfmodel::test {
namespace {

bool is_fence(const std::string& line) {
  return line.starts_with("```");
}

std::vector<std::string> outside_of_fences(const std::vector<std::string>& page) {
  std::vector<std::string> out;
  bool inside = false;
  for (const std::string& line : page)
    if (is_fence(line))
      inside = !inside;
    else if (!inside)
      out.push_back(line);
  return out;
}

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  return text;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

std::vector<FencedBlock> fenced_blocks(const std::vector<std::string>& page) {
  std::vector<FencedBlock> blocks;
  bool inside = false;
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (is_fence(page[i])) {
      inside = !inside;
      if (inside)
        blocks.push_back({page[i].substr(3), i + 1, {}});
    } else if (inside) {
      blocks.back().lines.push_back(page[i]);
    }
  }
  return blocks;
}

std::vector<std::string> link_targets(const std::vector<std::string>& page) {
  static const std::regex code("`[^`]*`");
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::vector<std::string> targets;
  for (const std::string& line : outside_of_fences(page)) {
    const std::string prose = std::regex_replace(line, code, "code");
    for (std::sregex_iterator it(prose.begin(), prose.end(), link), end; it != end; ++it)
      targets.push_back((*it)[1]);
  }
  return targets;
}

std::set<std::string> heading_anchors(const std::vector<std::string>& page) {
  std::set<std::string> anchors;
  for (const std::string& line : outside_of_fences(page)) {
    const std::size_t begin = line.find_first_not_of('#');
    if (begin == 0 || begin == std::string::npos || line[begin] != ' ')
      continue;
    std::string anchor;
    for (const char c : line.substr(begin + 1)) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) || c == '-' || c == '_')
        anchor += static_cast<char>(std::tolower(byte));
      else if (c == ' ')
        anchor += '-';
    }
    anchors.insert(anchor);
  }
  return anchors;
}

}  // namespace perfmodel::test
