#include "export/dialect.hpp"

#include "base/text.hpp"

namespace perfmodel {

std::string Dialect::number(double value) const {
  const std::string text = to_text(value);
  return value < 0 ? "(" + text + ")" : text;
}

const Dialect& dialect_of(FormulaLanguage language) {
  switch (language) {
    case FormulaLanguage::python:
      return python_dialect();
    case FormulaLanguage::c:
      return c_dialect();
    case FormulaLanguage::javascript:
      return javascript_dialect();
    default:
      return spreadsheet_dialect();
  }
}

}  // namespace perfmodel
