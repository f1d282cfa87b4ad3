#include <string>

#include "perfmodel/error.hpp"
#include "sources/readers.hpp"

namespace perfmodel {

bool is_extrap_text(std::string_view /*bytes*/) {
  return false;
}

NamedRows read_extrap_text(std::string_view /*bytes*/, const std::string& source) {
  throw InputError(source + " is a text file of Extra-P");
}

std::optional<NamedRows> extrap_rows(const JsonCursor& /*document*/) {
  return std::nullopt;
}

}  // namespace perfmodel
