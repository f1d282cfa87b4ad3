#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace perfmodel {

/// How the splitting of a line ended.
enum class FieldsEnd {
  complete,
  open_quote,        ///< a quoted field is not closed on its line
  text_after_quote,  ///< something other than a separator follows the closing quote
};

/// Splits a line of CSV into its fields (RFC 4180), blanks and tabs around a field trimmed; a tab
/// that separates is no blank. The views point into the line; doubled quotes are made single in
/// place. `fields` is overwritten.
FieldsEnd split_fields(std::span<char> line, char separator, std::vector<std::string_view>& fields);

}  // namespace perfmodel
