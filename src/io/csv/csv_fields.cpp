#include "io/csv/csv_fields.hpp"

namespace perfmodel {
namespace {

bool is_blank(char c, char separator) {
  return c == ' ' || (c == '\t' && separator != '\t');
}

char* skip_blanks(char* at, const char* end, char separator) {
  while (at != end && is_blank(*at, separator))
    ++at;
  return at;
}

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// From `at` up to the next separator, blanks at the end trimmed. Leaves `at` on the separator or
/// the end.
std::string_view plain_field(char*& at, const char* end, char separator) {
  const char* const begin = at;
  while (at != end && *at != separator)
    ++at;
  const char* last = at;
  while (last != begin && is_blank(last[-1], separator))
    --last;
  return view(begin, last);
}

/// From the character after an opening quote. Leaves `at` behind the closing quote, or null where
/// there is none.
std::string_view quoted_field(char*& at, const char* end) {
  const char* const begin = at;
  char* write = at;
  for (; at != end; ++at) {
    if (*at == '"') {
      ++at;
      if (at == end || *at != '"')
        return view(begin, write);
    }
    *write++ = *at;
  }
  at = nullptr;
  return {};
}

}  // namespace

FieldsEnd split_fields(std::span<char> line, char separator,
                       std::vector<std::string_view>& fields) {
  fields.clear();
  char* at = line.data();
  const char* const end = at + line.size();
  for (;;) {
    at = skip_blanks(at, end, separator);
    if (at != end && *at == '"') {
      fields.push_back(quoted_field(++at, end));
      if (at == nullptr)
        return FieldsEnd::open_quote;
      at = skip_blanks(at, end, separator);
      if (at != end && *at != separator)
        return FieldsEnd::text_after_quote;
    } else {
      fields.push_back(plain_field(at, end, separator));
    }
    if (at == end)
      return FieldsEnd::complete;
    ++at;  // the separator; one at the very end is followed by one more, blank field
  }
}

}  // namespace perfmodel
