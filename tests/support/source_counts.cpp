#include "support/source_counts.hpp"

#include <algorithm>
#include <optional>
#include <regex>
#include <string_view>
#include <utility>

namespace perfmodel::test {

using Lines = std::vector<std::string>;

namespace {

bool is_blank_or_comment(std::string_view line) {
  return line.empty() || line.starts_with("//") || line.starts_with("#");
}

/// A line without the blanks around it and the comment behind it.
std::string code_of(const std::string& line) {
  const std::string code = line.substr(0, line.find("  //"));
  const auto first = code.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : code.substr(first, code.find_last_not_of(' ') + 1 - first);
}

/// The text of a declaration up to its body or its value, without what stands in angle brackets.
std::string head_of(const std::string& statement) {
  std::string out;
  int depth = 0;
  for (const char c : statement) {
    if (c == '<')
      ++depth;
    if (depth == 0 && (c == '{' || c == '=' || c == ';'))
      break;
    if (depth == 0)
      out += c;
    if (c == '>')
      depth = std::max(0, depth - 1);
  }
  return out;
}

/// Whether a declaration within a type, which ends with ';', is a data member.
bool is_member(const std::string& statement) {
  static const std::regex other("^(using|static|friend|enum|struct|class|typedef|template)\\b");
  return !std::regex_search(statement, other) && head_of(statement).find('(') == std::string::npos;
}

std::optional<std::string> type_of(const std::string& head) {
  static const std::regex type(
      "^(?:template .*> )?(?:struct|class)\\s+(?:\\[\\[\\w+\\]\\] )?(\\w+)");
  std::smatch match;
  if (!std::regex_search(head, match, type) || head.find(';') != std::string::npos)
    return std::nullopt;
  return match[1].str();
}

/// The name before the first parenthesis that is no part of the name: "Table::rows" of
/// "std::size_t Table::rows() const".
std::string function_of(const std::string& head) {
  const std::string text = head_of(head);
  const auto end = text.find('(');
  const auto space = text.find_last_of(" *&", end);
  return text.substr(space == std::string::npos ? 0 : space + 1,
                     end - (space == std::string::npos ? 0 : space + 1));
}

/// Reads the statements that begin in column `indent`, from a line on, up to the closing brace of
/// what they stand in. In this layout, a block of several lines ends with a brace in the column of
/// its statement.
class Reader {
 public:
  explicit Reader(const Lines& source) : source_(&source) {}

  void read(std::size_t indent, Definition* type) {
    while (at_ < source_->size()) {
      const std::string line = stripped((*source_)[at_], indent);
      if (type != nullptr && (*source_)[at_].find('}') < indent)
        return;
      if (is_blank_or_comment(line) || line.front() == ' ' || line.front() == '}' ||
          line.ends_with("public:") || line.ends_with("private:") ||
          line.starts_with("namespace") || line.starts_with("extern \"C\"")) {
        ++at_;
        continue;
      }
      read_statement(indent, type);
    }
  }

  Definitions found;

 private:
  const Lines* source_;
  std::size_t at_ = 0;

  static std::string stripped(const std::string& line, std::size_t indent) {
    return line.find_first_not_of(' ') == std::string::npos || line.find_first_not_of(' ') < indent
               ? std::string()
               : line.substr(indent);
  }

  void read_statement(std::size_t indent, Definition* type) {
    const std::size_t first = at_;
    std::string head;
    for (; at_ < source_->size(); ++at_) {
      const std::string line = code_of(stripped((*source_)[at_], indent));
      head += head.empty() ? line : " " + line;
      // Not yet within parentheses: a lambda among arguments or initialisers.
      if ((line.ends_with(";") || line.ends_with("}") || line.ends_with("{")) &&
          std::ranges::count(head, '(') == std::ranges::count(head, ')'))
        break;
    }
    ++at_;
    if (const auto name = type_of(head); name && head.ends_with("{")) {
      Definition defined{*name, 0, 0};
      read(indent + 2, &defined);
      ++at_;
      defined.lines = at_ - first;
      found.types.push_back(std::move(defined));
      return;
    }
    const bool has_body = head.ends_with("{");
    if (has_body)
      skip_body(indent);
    if (has_body && !head.ends_with("= {") && head_of(head).find('(') != std::string::npos)
      found.functions.push_back({function_of(head), at_ - first, 0});
    else if (type != nullptr && is_member(head))
      ++type->members;
  }

  void skip_body(std::size_t indent) {
    while (at_ < source_->size() && !stripped((*source_)[at_], indent).starts_with("}"))
      ++at_;
    ++at_;
  }
};

}  // namespace

Definitions definitions_of(const Lines& source) {
  Reader reader(source);
  reader.read(0, nullptr);
  return std::move(reader.found);
}

std::size_t constants_of(const Lines& source) {
  static const std::regex constant("\\bconstexpr\\b[^(]*\\bk[A-Z]\\w*\\b");
  return static_cast<std::size_t>(std::ranges::count_if(
      source, [](const std::string& line) { return std::regex_search(line, constant); }));
}

}  // namespace perfmodel::test
