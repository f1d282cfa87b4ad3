#include "cli/terminal/csv_echo.hpp"

namespace perfmodel::cli {

LineEcho::LineEcho(std::string_view bytes) : rest_(bytes) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (rest_.starts_with(byte_order_mark))
    rest_.remove_prefix(byte_order_mark.size());
}

std::string_view LineEcho::header() {
  std::string_view line = next();
  while (line.find_first_not_of(" \t") == std::string_view::npos && !rest_.empty())
    line = next();
  return line;
}

std::string_view LineEcho::line(std::uint32_t number) {
  while (next_number_ < number)
    next();
  return next();
}

std::string_view LineEcho::next() {
  ++next_number_;
  const auto end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

std::string csv_field(const std::string& text, char separator) {
  if (text.find(separator) == std::string::npos &&
      text.find_first_of("\"\r\n") == std::string::npos)
    return text;
  std::string field = "\"";
  for (const char c : text) {
    field += c;
    if (c == '"')
      field += '"';
  }
  return field + "\"";
}

}  // namespace perfmodel::cli
