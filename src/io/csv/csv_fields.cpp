#include "io/csv/csv_fields.hpp"

namespace perfmodel {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

char* skip_blanks(char* at, const char* end) {
  while (at != end && is_blank(*at))
    ++at;
  return at;
}

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// From `begin` up to the next comma, blanks at the end trimmed. Leaves `at` on the comma or the
/// end.
std::string_view plain_field(char*& at, const char* end) {
  const char* const begin = at;
  while (at != end && *at != ',')
    ++at;
  const char* last = at;
  while (last != begin && is_blank(last[-1]))
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

FieldsEnd split_fields(std::span<char> line, std::vector<std::string_view>& fields) {
  fields.clear();
  char* at = line.data();
  const char* const end = at + line.size();
  for (;;) {
    at = skip_blanks(at, end);
    if (at != end && *at == '"') {
      fields.push_back(quoted_field(++at, end));
      if (at == nullptr)
        return FieldsEnd::open_quote;
      at = skip_blanks(at, end);
      if (at != end && *at != ',')
        return FieldsEnd::text_after_quote;
    } else {
      fields.push_back(plain_field(at, end));
    }
    if (at == end)
      return FieldsEnd::complete;
    ++at;  // the comma; a comma at the very end is followed by one more, blank field
  }
}

}  // namespace perfmodel
