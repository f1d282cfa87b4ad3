#include <string>

#include "perfmodel/error.hpp"
#include "sources/readers.hpp"

namespace perfmodel {

NamedRows read_json(std::string_view bytes, const std::string& source,
                    std::optional<InputFormat> /*format*/) {
  const JsonCursor document = JsonCursor::parse(source, bytes);
  if (auto rows = extrap_rows({&document, 1}))
    return *std::move(rows);
  throw InputError(source + " is JSON, as models are, and no CSV of runs");
}

}  // namespace perfmodel
