#include <string>

#include "perfmodel/error.hpp"
#include "sources/readers.hpp"

namespace perfmodel {

bool is_sqlite(std::string_view bytes) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  return bytes.starts_with(kMagic);
}

NamedRows read_sqlite(std::string_view /*bytes*/, const std::string& source,
                      const InputOptions& /*options*/) {
  throw InputError(source + " is an SQLite database");
}

}  // namespace perfmodel
