#include "export/code_names.hpp"

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

}  // namespace

std::string CodeNames::of(const std::string& column) {
  std::string name;
  for (const char c : column)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ||
      dialect_.keeps(name))
    name = "x" + name;
  while (!is_free(name))
    name += '_';
  used_.insert(dialect_.identity(name));
  return name;
}

bool CodeNames::is_free(const std::string& name) const {
  return !is_reserved(name) && !dialect_.misreads(name) && !used_.contains(dialect_.identity(name));
}

}  // namespace perfmodel
