#pragma once

#include <set>
#include <string>

#include "export/dialect.hpp"

namespace perfmodel {

/// Columns as identifiers of a language; two columns never get the same one.
class CodeNames {
 public:
  explicit CodeNames(const Dialect& dialect) : dialect_(dialect) {}
  std::string of(const std::string& column);

 private:
  const Dialect& dialect_;
  std::set<std::string> used_;

  bool is_free(const std::string& name) const;
};

}  // namespace perfmodel
