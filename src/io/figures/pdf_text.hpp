#pragma once

#include <string>
#include <string_view>

namespace perfmodel::figures {

/// A text of UTF-8 in the bytes of WinAnsiEncoding; a question mark for what it lacks.
std::string in_helvetica(std::string_view text);

/// How wide such bytes are, as a multiple of the size of the letters.
double helvetica_width(std::string_view bytes);

/// Such bytes as they stand between the parentheses of a string.
std::string pdf_literal(std::string_view bytes);

}  // namespace perfmodel::figures
