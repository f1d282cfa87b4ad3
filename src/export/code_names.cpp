#include "export/code_names.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace perfmodel {
namespace {

/// Keywords of Python and C, what the expressions call, and the macros that their headers (or the
/// compiler itself) replace wherever they stand.
bool is_reserved(const std::string& name) {
  static const std::set<std::string_view> words = {
      "False", "None", "True", "alignas", "alignof", "and", "as", "asm", "assert", "async", "auto",
      "await", "bool", "break", "case", "char", "class", "const", "constexpr", "continue", "def",
      "default", "del", "do", "double", "elif", "else", "enum", "except", "extern", "false",
      "finally", "float", "for", "from", "global", "goto", "if", "import", "in", "inline", "int",
      "is", "lambda", "long", "nonlocal", "not", "nullptr", "or", "pass", "raise", "register",
      "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "struct",
      "switch", "thread_local", "true", "try", "typedef", "typeof", "typeof_unqual", "union",
      "unsigned", "void", "volatile", "while", "with", "yield",
      // what the expressions call
      "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cos", "cosh",
      "exp", "fabs", "floor", "fmax", "fmin", "log", "log10", "log1p", "log2", "math", "max", "min",
      "pow", "nearbyint", "predict", "predict_process", "predict_trend", "sin", "sinh", "sqrt",
      "strcmp", "strtod", "tan", "tanh",
      // macros
      "BIG_ENDIAN", "BYTE_ORDER", "EXIT_FAILURE", "EXIT_SUCCESS", "FD_SETSIZE", "FP_ILOGB0",
      "FP_ILOGBNAN", "FP_INFINITE", "FP_NAN", "FP_NORMAL", "FP_SUBNORMAL", "FP_ZERO", "HUGE_VAL",
      "HUGE_VALF", "HUGE_VALL", "INFINITY", "LITTLE_ENDIAN", "MATH_ERREXCEPT", "MATH_ERRNO",
      "MB_CUR_MAX", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_E", "M_LN10", "M_LN2", "M_LOG10E",
      "M_LOG2E", "M_PI", "M_PI_2", "M_PI_4", "M_SQRT1_2", "M_SQRT2", "NAN", "NFDBITS", "NULL",
      "PDP_ENDIAN", "RAND_MAX", "WCONTINUED", "WEXITED", "WNOHANG", "WNOWAIT", "WSTOPPED",
      "WUNTRACED", "linux", "math_errhandling", "unix"};
  return words.contains(name);
}

/// "k1" and "A100" are cells, "R", "c" and "R1C1" rows and columns: no names to be defined.
bool is_cell(const std::string& upper) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t letters = upper.find_first_of(digits);
  constexpr std::size_t most_letters = 3;
  const bool ends_in_digits =
      letters != std::string::npos && upper.find_first_not_of(digits, letters) == std::string::npos;
  if (ends_in_digits && letters > 0 && letters <= most_letters &&
      upper.find('_') == std::string::npos)
    return true;
  const auto skip = [&](std::size_t from, char letter) {
    return from < upper.size() && upper[from] == letter
               ? std::min(upper.find_first_not_of(digits, from + 1), upper.size())
               : from;
  };
  const std::size_t end = skip(skip(0, 'R'), 'C');
  return end > 0 && end == upper.size();
}

std::string upper_case(std::string text) {
  for (char& c : text)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string CodeNames::of(const std::string& column) {
  std::string name;
  for (const char c : column)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  // Names such as _Bool and __LINE__ belong to C, and __debug__ to Python.
  const bool belongs_to_language =
      language_ == FormulaLanguage::c ? name.starts_with("_") : name == "__debug__";
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 || belongs_to_language)
    name = "x" + name;
  while (!is_free(name))
    name += '_';
  // Spreadsheets do not tell W from w.
  used_.insert(language_ == FormulaLanguage::spreadsheet ? upper_case(name) : name);
  return name;
}

bool CodeNames::is_free(const std::string& name) const {
  if (is_reserved(name))
    return false;
  if (language_ != FormulaLanguage::spreadsheet)
    return !used_.contains(name);
  const std::string upper = upper_case(name);
  return !used_.contains(upper) && !is_cell(upper);
}

}  // namespace perfmodel
