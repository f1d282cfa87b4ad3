#pragma once

#include <set>
#include <string>

#include "export/formula_code.hpp"

namespace perfmodel {

/// Columns as identifiers of `python`, `c` or `spreadsheet`; two columns never get the same one.
class CodeNames {
 public:
  explicit CodeNames(FormulaLanguage language) : language_(language) {}
  std::string of(const std::string& column);

 private:
  FormulaLanguage language_;
  std::set<std::string> used_;

  bool is_free(const std::string& name) const;
};

}  // namespace perfmodel
