#pragma once

#include <string_view>

namespace perfmodel {

/// Whether a text is well-formed UTF-8, as JSON and HTML need it.
bool is_utf8(std::string_view text);

}  // namespace perfmodel
