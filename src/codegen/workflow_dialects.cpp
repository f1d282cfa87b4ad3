#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "codegen/dialect.hpp"
#include "columns/quantities.hpp"
#include "perfmodel/error.hpp"
#include "table/formula.hpp"

// The memory or the time that a workflow requests for a job, computed from the job's inputs.

namespace perfmodel {
namespace {

/// An operation by functions that all of these languages have; '@' is the prefix of their names,
/// and
/// '%' that of functions which Python has without a module.
struct SharedOperation {
  Operation operation;
  std::string_view code;
  bool is_condition = false;  ///< a truth value, which becomes 1 or 0
};

constexpr std::array kSharedOperations = {
    SharedOperation{Operation::add, "($1 + $2)"},
    SharedOperation{Operation::subtract, "($1 - $2)"},
    SharedOperation{Operation::multiply, "($1 * $2)"},
    SharedOperation{Operation::divide, "($1 / $2)"},
    SharedOperation{Operation::power, "($1 ** $2)"},
    SharedOperation{Operation::negate, "(-$1)"},
    SharedOperation{Operation::negation, "$1 == 0", true},
    SharedOperation{Operation::less, "$1 < $2", true},
    SharedOperation{Operation::greater, "$1 > $2", true},
    SharedOperation{Operation::less_or_equal, "$1 <= $2", true},
    SharedOperation{Operation::greater_or_equal, "$1 >= $2", true},
    SharedOperation{Operation::equal, "$1 == $2", true},
    SharedOperation{Operation::unequal, "$1 != $2", true},
    SharedOperation{Operation::both, "$1 * $2 != 0", true},
    SharedOperation{Operation::either, "%abs($1) + %abs($2) != 0", true},
    SharedOperation{Operation::minimum, "%min($1, $2)"},
    SharedOperation{Operation::maximum, "%max($1, $2)"},
    SharedOperation{Operation::abs, "%abs($1)"},
    SharedOperation{Operation::rint, "@floor($1 + 0.5)"},
    SharedOperation{Operation::ceil, "@ceil($1)"},
    SharedOperation{Operation::floor, "@floor($1)"},
    SharedOperation{Operation::sqrt, "@sqrt($1)"},
    SharedOperation{Operation::exp, "@exp($1)"},
    SharedOperation{Operation::log, "@log($1)"},
    SharedOperation{Operation::log2, "(@log($1) / @log(2))"},
    SharedOperation{Operation::log10, "(@log($1) / @log(10))"},
    SharedOperation{Operation::sin, "@sin($1)"},
    SharedOperation{Operation::cos, "@cos($1)"},
    SharedOperation{Operation::tan, "(@sin($1) / @cos($1))"},
};

/// The quantity that is requested.
struct Request {
  bool is_memory = false;
  double factor = 1;  ///< seconds or bytes per unit of the target
};

/// By the unit of the target or, without one, by the last word of its name: "peak_mb".
Request request_of(const FunctionParts& parts) {
  std::string word = parts.target.substr(parts.target.find_last_of("_. ") + 1);
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const std::string& unit : {parts.unit, word}) {
    const auto quantity = parse_quantity("1 " + unit);
    if (!unit.empty() && quantity && quantity->unit != "%")
      return {quantity->unit == "B", quantity->value};
  }
  throw InputError(
      fmt::format("a workflow requests memory or time, and '{}' has the unit '{}'; fit it with "
                  "--time-unit MB or --time-unit s",
                  parts.target, parts.unit));
}

class WorkflowDialect : public Dialect {
 public:
  std::string number(double value) const override {
    const std::string text = decimal_literal(value);
    return value < 0 ? "(" + text + ")" : text;
  }
  std::string power(const std::string& base, double exponent) const override {
    return base + " ** " + number(exponent);
  }
  std::string step(const std::string& name, double threshold, double below,
                   double above) const override {
    return one_of(name + " > " + number(threshold), number(above), number(below));
  }
  std::string_view operation(Operation operation) const override {
    const auto code = std::ranges::find(codes_, operation, &Code::first);
    if (code == codes_.end())
      throw InputError(
          "a derived column has a function that workflows cannot compute; add the column to the "
          "runs");
    return code->second;
  }
  std::string_view plus() const override { return " + "; }

  std::string parameter(const std::string& name, bool /*is_text*/) const override { return name; }
  /// Masked, since old versions of Groovy read escapes within comments.
  std::string comment(const std::string& name, const std::string& column) const override {
    return mark() + name + ": " + javascript_literal(printable_word(column)) + "\n";
  }
  /// The power of an empty input would be infinite.
  std::string measured(const std::string& name, double low) const override {
    return at_least(name, low);
  }
  std::string range(const std::string& name, double low, double high) const override {
    return mark() + name + " was measured from " + to_text(low) + " to " + to_text(high) +
           "; less counts as " + to_text(low) + ", more is extrapolated\n";
  }
  bool keeps(const std::string& /*name*/) const override { return false; }

 protected:
  virtual std::string mark() const { return "# "; }
  /// Called by constructors, since the codes need one_of().
  void set_operations(const std::string& prefix, const std::string& built_in) {
    for (const SharedOperation& shared : kSharedOperations) {
      std::string code;
      for (const char c : shared.code)
        code += c == '@' ? prefix : c == '%' ? built_in : std::string(1, c);
      codes_.emplace_back(shared.operation,
                          shared.is_condition ? one_of(code, "1.0", "0.0") : code);
    }
    codes_.emplace_back(Operation::choose, one_of("$1 != 0", "$2", "$3"));
    codes_.emplace_back(Operation::sign, "(" + one_of("$1 > 0", "1.0", "0.0") + " - " +
                                             one_of("$1 < 0", "1.0", "0.0") + ")");
  }
  virtual std::string one_of(const std::string& condition, const std::string& yes,
                             const std::string& no) const {
    return "(" + condition + " ? " + yes + " : " + no + ")";
  }
  /// Level literals with their values: "LEVEL: VALUE, LEVEL: VALUE".
  std::string by_level(const LevelValues& column,
                       std::string (*literal)(const std::string&)) const {
    std::vector<std::string> items;
    for (std::size_t l = 0; l < column.levels.size(); ++l) {
      const std::string& level = column.levels[l];
      items.push_back((column.are_text ? literal(level) : number(*parse_number(level))) + ": " +
                      number(column.values[l]));
    }
    return joined(items, ", ");
  }

 private:
  using Code = std::pair<Operation, std::string>;
  std::vector<Code> codes_;
};

/// Functions of Python for the resources of a rule.
class SnakemakeDialect : public WorkflowDialect {
 public:
  SnakemakeDialect() { set_operations("math.", ""); }

  std::string choice(const LevelValues& column) const override {
    return "{" + by_level(column, javascript_literal) + "}[" + column.operand + "]";
  }
  std::string number_of(const std::string& text) const override { return "float(" + text + ")"; }
  std::string variable(const std::string& name, const std::string& code) const override {
    return "    " + name + " = " + code + "\n";
  }

  /// mem_mb is in powers of 1000, runtime in minutes.
  std::string function(const FunctionParts& parts) const override {
    const Request request = request_of(parts);
    const std::string name = request.is_memory ? "mem_mb" : "runtime";
    std::vector<std::string> arguments;
    for (const std::string& parameter : parts.parameters)
      arguments.push_back(parameter + "=" + source_of(parameter, parts));
    return fmt::format(
        "import math\n\n\n{}def {}({}):\n{}    return math.ceil(({}) * {})\n\n\n"
        "# In the rule; replace what does not stand in its wildcards:\n"
        "#     resources:\n"
        "#         {}=lambda wildcards, input, threads: {}({})\n",
        parts.comments, name, joined(parts.parameters, ", "), parts.statements, parts.result,
        number(request.factor / (request.is_memory ? 1e6 : 60)), name, name,
        joined(arguments, ", "));
  }
  bool misreads(const std::string& name) const override {
    return name == "mem_mb" || name == "runtime";
  }

 protected:
  std::string one_of(const std::string& condition, const std::string& yes,
                     const std::string& no) const override {
    return "(" + yes + " if " + condition + " else " + no + ")";
  }

 private:
  /// Where a rule has the value: "input_size_mb" is the size of its input.
  static std::string source_of(const std::string& parameter, const FunctionParts& parts) {
    if (parameter == "threads")
      return parameter;
    if (parameter == "input_size" || parameter.starts_with("input_size_"))
      return "input." + parameter.substr(6);
    const bool is_number = std::ranges::find(parts.numbers, parameter) != parts.numbers.end();
    return is_number ? "float(wildcards." + parameter + ")" : "wildcards." + parameter;
  }
};

/// A directive of a process, in Groovy.
class NextflowDialect : public WorkflowDialect {
 public:
  NextflowDialect() { set_operations("Math.", "Math."); }

  /// Without the suffix, a literal is a BigDecimal.
  std::string number(double value) const override {
    const std::string text = to_text(value) + "d";
    return value < 0 ? "(" + text + ")" : text;
  }
  std::string power(const std::string& base, double exponent) const override {
    return "Math.pow(" + base + ", " + number(exponent) + ")";
  }
  std::string choice(const LevelValues& column) const override {
    return "[" + by_level(column, groovy_literal) + "].get(" + column.operand + ")";
  }
  std::string number_of(const std::string& text) const override {
    return "(" + text + " as double)";
  }
  std::string variable(const std::string& name, const std::string& code) const override {
    return "  def " + name + " = " + code + "\n";
  }

  /// Nextflow's MB are 1024^2 bytes.
  std::string function(const FunctionParts& parts) const override {
    const Request request = request_of(parts);
    const double unit = request.is_memory ? 0x1p20 : 1;
    return fmt::format(
        "// In the process, whose inputs are {}:\n{}{} {{\n{}  {} * (Math.ceil(({}) * {}) as "
        "long)\n}}\n",
        joined(parts.parameters, ", "), parts.comments, request.is_memory ? "memory" : "time",
        parts.statements, request.is_memory ? "1.MB" : "1.s", parts.result,
        number(request.factor / unit));
  }
  bool misreads(const std::string& name) const override {
    static const std::set<std::string_view> words = {
        "Math",     "abstract",   "catch",        "def",     "extends",   "final",  "implements",
        "input",    "instanceof", "interface",    "memory",  "native",    "new",    "null",
        "output",   "package",    "params",       "private", "protected", "public", "script",
        "strictfp", "super",      "synchronized", "task",    "this",      "throw",  "throws",
        "time",     "trait",      "transient",    "var",     "workflow"};
    return words.contains(name);
  }

 protected:
  std::string mark() const override { return "// "; }

 private:
  static std::string groovy_literal(const std::string& text) {
    std::string out;
    for (const char c : javascript_literal(text))
      out += c == '$' ? "\\$" : std::string(1, c);
    return out;
  }
};

/// A script of the shell that computes by awk and calls sbatch.
class SlurmDialect : public WorkflowDialect {
 public:
  SlurmDialect() { set_operations("", ""); }

  std::string power(const std::string& base, double exponent) const override {
    return base + "^" + number(exponent);
  }
  std::string choice(const LevelValues& column) const override {
    std::string out = "(";
    for (std::size_t l = 0; l < column.levels.size(); ++l)
      out += column.operand + " == " +
             (column.are_text ? awk_literal(column.levels[l])
                              : number(*parse_number(column.levels[l]))) +
             " ? " + number(column.values[l]) + " : ";
    return out + "unknown(" + column.operand + "))";
  }
  std::string number_of(const std::string& text) const override { return "(" + text + " + 0)"; }
  std::string variable(const std::string& name, const std::string& code) const override {
    return "  " + name + " = " + code + "\n";
  }

  /// --mem=M is in 1024^2 bytes, --time in minutes.
  std::string function(const FunctionParts& parts) const override {
    const Request request = request_of(parts);
    std::string settings;
    std::string reads;
    for (const std::string& name : parts.parameters) {
      const bool is_number = std::ranges::find(parts.numbers, name) != parts.numbers.end();
      settings += name + "=${" + name + ":?} ";
      reads += "  " + name + " = " + (is_number ? "value(\"" : "ENVIRON[\"") + name + "\"" +
               (is_number ? ")" : "]") + "\n";
    }
    return fmt::format(
        "#!/bin/bash\n# Set the variables {}; the arguments are those of sbatch.\n{}"
        "request=$({}awk '\n"
        "function min(a, b) {{ return a < b ? a : b }}\n"
        "function max(a, b) {{ return a > b ? a : b }}\n"
        "function abs(x) {{ return x < 0 ? -x : x }}\n"
        "function floor(x) {{ return int(x) - (x < int(x)) }}\n"
        "function ceil(x) {{ return int(x) + (x > int(x)) }}\n"
        "function value(name) {{\n"
        "  if (ENVIRON[name] ~ /^[-+]?[0-9]*[.]?[0-9]+([eE][-+]?[0-9]+)?$/) return ENVIRON[name] + "
        "0\n"
        "  print name \"=\" ENVIRON[name] \" is no plain number\" > \"/dev/stderr\"; exit 1\n"
        "}}\n"
        "function unknown(x) {{ print \"no such level: \" x > \"/dev/stderr\"; exit 1 }}\n"
        "BEGIN {{\n{}{}  printf \"%.0f\", ceil(({}) * {})\n}}') || exit 1\n"
        "exec sbatch --{}=\"${{request}}{}\" \"$@\"\n",
        joined(parts.parameters, ", "), parts.comments, settings, reads, parts.statements,
        parts.result, number(request.factor / (request.is_memory ? 0x1p20 : 60)),
        request.is_memory ? "mem" : "time", request.is_memory ? "M" : "");
  }
  /// Variables of bash, and words of awk that is_reserved() does not list.
  bool misreads(const std::string& name) const override {
    static const std::set<std::string_view> words = {
        "BEGIN",  "CONVFMT",  "END",     "ENV",     "ENVIRON", "EUID",   "FILENAME", "FNR",
        "FS",     "GROUPS",   "HOME",    "IFS",     "LANG",    "NF",     "NR",       "OFMT",
        "OFS",    "ORS",      "PATH",    "PPID",    "PWD",     "RANDOM", "RLENGTH",  "RS",
        "RSTART", "SECONDS",  "SUBSEP",  "UID",     "close",   "delete", "exit",     "fflush",
        "func",   "function", "getline", "gsub",    "index",   "length", "match",    "next",
        "print",  "printf",   "rand",    "split",   "sprintf", "srand",  "sub",      "substr",
        "system", "tolower",  "toupper", "unknown", "value"};
    return words.contains(name);
  }

 private:
  /// The program stands in single quotes.
  static std::string awk_literal(const std::string& text) {
    std::string out;
    for (const char c : c_literal(text))
      out += c == '\'' ? "\\047" : std::string(1, c);
    return out;
  }
};

}  // namespace

const Dialect& workflow_dialect_of(FormulaLanguage language) {
  static const NextflowDialect nextflow;
  static const SnakemakeDialect snakemake;
  static const SlurmDialect slurm;
  return language == FormulaLanguage::nextflow    ? static_cast<const Dialect&>(nextflow)
         : language == FormulaLanguage::snakemake ? static_cast<const Dialect&>(snakemake)
                                                  : slurm;
}

}  // namespace perfmodel
