#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/text.hpp"
#include "export/dialect.hpp"
#include "export/text_literal.hpp"

namespace perfmodel {
namespace {

/// ATAN2 takes x first, and CEILING is not the same in all spreadsheets.
constexpr std::array kCellOperations = {
    OperationCode{Operation::add, "($1+$2)"},
    OperationCode{Operation::subtract, "($1-$2)"},
    OperationCode{Operation::multiply, "($1*$2)"},
    OperationCode{Operation::divide, "($1/$2)"},
    OperationCode{Operation::power, "($1^$2)"},
    OperationCode{Operation::negate, "(-$1)"},
    OperationCode{Operation::negation, "IF($1=0,1,0)"},
    OperationCode{Operation::less, "IF($1<$2,1,0)"},
    OperationCode{Operation::greater, "IF($1>$2,1,0)"},
    OperationCode{Operation::less_or_equal, "IF($1<=$2,1,0)"},
    OperationCode{Operation::greater_or_equal, "IF($1>=$2,1,0)"},
    OperationCode{Operation::equal, "IF($1=$2,1,0)"},
    OperationCode{Operation::unequal, "IF($1<>$2,1,0)"},
    OperationCode{Operation::both, "IF(AND($1<>0,$2<>0),1,0)"},
    OperationCode{Operation::either, "IF(OR($1<>0,$2<>0),1,0)"},
    OperationCode{Operation::choose, "IF($1<>0,$2,$3)"},
    OperationCode{Operation::minimum, "MIN($1,$2)"},
    OperationCode{Operation::maximum, "MAX($1,$2)"},
    OperationCode{Operation::abs, "ABS($1)"},
    OperationCode{Operation::sign, "SIGN($1)"},
    OperationCode{Operation::rint, "INT($1+0.5)"},
    OperationCode{Operation::ceil, "(-INT(-$1))"},
    OperationCode{Operation::floor, "INT($1)"},
    OperationCode{Operation::sqrt, "SQRT($1)"},
    OperationCode{Operation::exp, "EXP($1)"},
    OperationCode{Operation::log, "LN($1)"},
    OperationCode{Operation::log2, "LOG($1,2)"},
    OperationCode{Operation::log10, "LOG10($1)"},
    OperationCode{Operation::sin, "SIN($1)"},
    OperationCode{Operation::cos, "COS($1)"},
    OperationCode{Operation::tan, "TAN($1)"},
    OperationCode{Operation::asin, "ASIN($1)"},
    OperationCode{Operation::acos, "ACOS($1)"},
    OperationCode{Operation::atan, "ATAN($1)"},
    OperationCode{Operation::atan2, "ATAN2($2,$1)"},
    OperationCode{Operation::sinh, "SINH($1)"},
    OperationCode{Operation::cosh, "COSH($1)"},
    OperationCode{Operation::tanh, "TANH($1)"},
    OperationCode{Operation::asinh, "ASINH($1)"},
    OperationCode{Operation::acosh, "ACOSH($1)"},
    OperationCode{Operation::atanh, "ATANH($1)"},
};

std::string cell_literal(const std::string& text) {
  return text_literal(
      text,
      {.control =
           [](std::uint32_t code_point, std::string_view) {
             const std::string function = code_point < 0x80 ? "CHAR(" : "UNICHAR(";
             return "\"&" + function + std::to_string(code_point) + ")&\"";
           },
       .other = [](std::string_view bytes,
                   const std::string&) { return std::string(bytes == "\"" ? "\"\"" : bytes); }});
}

std::string with_case(std::string text, int (*change)(int)) {
  for (char& c : text)
    c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return text;
}

/// How a spreadsheet finds out which level a cell has.
enum class CellMatch {
  text,    ///< as it stands
  exact,   ///< '=' does not tell SGD from sgd
  number,  ///< a cell into which one types 8 holds a number, which equals no text
  joined,  ///< the same where other levels are no numbers; a typed true is no text either
};

CellMatch cell_match(const std::vector<std::string>& levels) {
  std::set<std::string> different;
  std::size_t numbers = 0;
  for (const std::string& level : levels) {
    different.insert(with_case(level, std::tolower));
    if (parse_number(level))
      ++numbers;
  }
  if (numbers == levels.size())
    return CellMatch::number;
  if (different.size() < levels.size())
    return CellMatch::exact;
  const bool has_truth = different.contains("true") || different.contains("false");
  return numbers > 0 || has_truth ? CellMatch::joined : CellMatch::text;
}

/// The condition that the cell `name` has this level.
std::string cell_has(const std::string& name, const std::string& level, CellMatch match) {
  const std::string text = cell_literal(level);
  switch (match) {
    case CellMatch::exact:
      return "EXACT(" + name + "," + text + ")";
    case CellMatch::number:
      return "VALUE(" + name + ")=" + to_text(parse_number(level).value());
    case CellMatch::joined:
      return name + "&\"\"=" + text;
    default:
      return name + "=" + text;
  }
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

/// A formula of one cell, whose inputs are defined names.
class SpreadsheetDialect : public Dialect {
 public:
  std::string power(const std::string& base, double exponent) const override {
    return base + "^" + number(exponent);
  }
  std::string ring(const std::string& name) const override { return "EXP(1-1/" + name + ")"; }
  std::string capped(const std::string& name, double cap) const override {
    return "MIN(" + name + "," + number(cap) + ")";
  }
  std::string at_least(const std::string& name, double low) const override {
    return "MAX(" + name + "," + number(low) + ")";
  }
  std::string log2(const std::string& name) const override { return "LOG(MAX(" + name + ",1),2)"; }
  std::string step(const std::string& name, double threshold, double below,
                   double above) const override {
    return "IF(" + name + ">" + number(threshold) + "," + number(above) + "," + number(below) + ")";
  }

  std::string choice(const LevelValues& column) const override {
    const CellMatch match = cell_match(column.levels);
    std::string out;
    for (std::size_t l = 0; l < column.levels.size(); ++l) {
      const std::string& level = column.levels[l];
      out += "IF(" +
             (column.are_text ? cell_has(column.operand, level, match)
                              : column.operand + "=" + number(*parse_number(level))) +
             "," + number(column.values[l]) + ",";
    }
    return out + "NA()" + std::string(column.levels.size(), ')');
  }

  std::string number_of(const std::string& text) const override { return "VALUE(" + text + ")"; }
  std::string_view operation(Operation operation) const override {
    return code_of(kCellOperations, operation);
  }
  std::string_view times() const override { return "*"; }
  std::string_view plus() const override { return "+"; }

  bool has_variables() const override { return false; }
  std::string variable(const std::string& /*name*/, const std::string& /*code*/) const override {
    return "";
  }
  std::string parameter(const std::string& name, bool /*is_text*/) const override { return name; }
  std::string function(const FunctionParts& parts) const override {
    return "=" + parts.result + "\n";
  }

  bool keeps(const std::string& /*name*/) const override { return false; }
  bool misreads(const std::string& name) const override { return is_cell(identity(name)); }
  /// They do not tell W from w.
  std::string identity(const std::string& name) const override {
    return with_case(name, std::toupper);
  }
};

}  // namespace

const Dialect& spreadsheet_dialect() {
  static const SpreadsheetDialect dialect;
  return dialect;
}

}  // namespace perfmodel
