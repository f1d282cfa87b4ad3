#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "codegen/dialect.hpp"
#include "perfmodel/export.hpp"
#include "registry/registry.hpp"
#include "roles/quantities.hpp"
#include "table/formula.hpp"

// The memory or the time that a workflow requests for a job, computed from the job's inputs.

namespace perfmodel {
namespace {

/// What 0 counts as where it has no logarithm and no quotient: programs would stop there.
constexpr double kAlmostZero = 1e-30;

constexpr std::array kWorkflowOperations = {
    OperationCode{Operation::both, "$1 * $2 != 0", true},
    OperationCode{Operation::tan, "(@sin($1) / @cos($1))"},
};

/// The quantity that is requested.
struct Request {
  bool is_memory = false;
  double factor = 1;  ///< seconds or bytes per unit of the target
};

Request request_of(const FunctionParts& parts) {
  if (const auto one = unit_as_quantity(parts.target, parts.unit))
    return {one->unit == "B", one->value};
  throw InputError(
      fmt::format("a workflow requests memory or time, and '{}' has the unit '{}'; fit it with "
                  "--target-unit MB or --target-unit s",
                  parts.target, parts.unit));
}

class WorkflowDialect : public Dialect {
 public:
  using Dialect::Dialect;

  std::string operation(Operation operation) const override;

  /// Masked, since old versions of Groovy read escapes within comments.
  std::string comment(const std::string& name, const std::string& column) const override {
    return std::string(syntax().mark) + name + ": " + javascript_literal(printable_word(column)) +
           "\n";
  }
  /// The power of an empty input would be infinite.
  std::string measured(const std::string& name, double low) const override {
    return at_least(name, low);
  }
  std::string range(const std::string& name, double low, double high) const override {
    return std::string(syntax().mark) + name + " was measured from " + to_text(low) + " to " +
           to_text(high) + "; less counts as " + to_text(low) + ", more is extrapolated\n";
  }

 protected:
  std::string truth(const std::string& condition) const override {
    return one_of(condition, "1.0", "0.0");
  }

  /// The request in units of this many bytes or seconds, within its limits. Adds to `statements`
  /// where a request is rounded up to sizes. `whole`: a limit is a whole number of units.
  std::string request(const FunctionParts& parts, double unit, std::string& statements,
                      bool whole = true) const;
};

std::string WorkflowDialect::request(const FunctionParts& parts, double unit,
                                     std::string& statements, bool whole) const {
  const auto& [least, most, steps] = parts.limits;
  std::string code =
      fmt::format("({}) * {}", parts.result, number(request_of(parts).factor / unit));
  if (least)
    code = at_least(code, *least / unit);
  if (!steps.empty()) {
    statements += variable("request", code);
    code = number(steps.back() / unit);
    for (auto step = steps.rbegin() + 1; step != steps.rend(); ++step) {
      const std::string size = number(*step / unit);
      code = one_of("request <= " + size, size, code);
    }
  }
  return most ? clamped(code, whole ? std::floor(*most / unit) : *most / unit) : code;
}

/// All operations but those of functions that some of these languages lack.
std::string WorkflowDialect::operation(Operation operation) const {
  using enum Operation;
  if ((asin <= operation && operation <= atanh) || operation == atan2)
    throw InputError(
        "a derived column has a function that workflows cannot compute; add the column to the "
        "runs");
  if (operation == sign)
    return "(" + one_of("$1 > 0", "1.0", "0.0") + " - " + one_of("$1 < 0", "1.0", "0.0") + ")";
  const auto nonzero = [&](const std::string& name) {
    return one_of(name + " == 0", this->number(kAlmostZero), name);
  };
  if (operation == divide)
    return "($1 / " + nonzero("$2") + ")";
  if (operation == power)
    return "(" + with_operands(syntax().power, std::array<std::string, 2>{nonzero("$1"), "$2"}) +
           ")";
  if (operation == log)
    return std::string(syntax().module) + "log(" + at_least("$1", kAlmostZero) + ")";
  if (operation == Operation::log2 || operation == log10)
    return "(" + this->operation(log) + " / " + std::string(syntax().module) + "log(" +
           (operation == log10 ? "10" : "2") + "))";
  if (operation == either)
    return truth(apply(abs, std::array<std::string, 1>{"$1"}) + " + " +
                 apply(abs, std::array<std::string, 1>{"$2"}) + " != 0");
  return Dialect::operation(operation);
}

/// Functions of Python for the resources of a rule.
constexpr Syntax kSnakemake{.operations = kWorkflowOperations,
                            .module = "math.",
                            .power = "$1 ** $2",
                            .condition = "($2 if $1 else $3)",
                            .choice = "{$2}[$1]",
                            .number_of = "float($1)",
                            .variable = "    $1 = $2\n",
                            .mark = "# ",
                            .plus = " + ",
                            .literal = javascript_literal,
                            .has_integers = true,
                            .words = "mem_mb runtime request"};

class SnakemakeDialect : public WorkflowDialect {
 public:
  explicit SnakemakeDialect(const Syntax& syntax = kSnakemake) : WorkflowDialect(syntax) {}

  std::string operation(Operation operation) const override {
    const auto* const built_in = std::ranges::find(kBuiltIn, operation, &OperationCode::operation);
    return built_in != kBuiltIn.end() ? std::string(built_in->code)
                                      : WorkflowDialect::operation(operation);
  }

  /// mem_mb is in powers of 1000, runtime in minutes.
  std::string function(const FunctionParts& parts) const override {
    const Request request = request_of(parts);
    const std::string name = request.is_memory ? "mem_mb" : "runtime";
    std::vector<std::string> arguments;
    for (const std::string& parameter : parts.parameters)
      arguments.push_back(parameter + "=" + source_of(parameter, parts));
    std::string statements = parts.statements;
    const std::string result = this->request(parts, request.is_memory ? 1e6 : 60, statements);
    return fmt::format(
        "import math\n\n\n{}def {}({}):\n{}    return math.ceil({})\n\n\n"
        "# In the rule; replace what does not stand in its wildcards:\n"
        "#     resources:\n"
        "#         {}=lambda wildcards, input, threads: {}({})\n",
        parts.comments, name, joined(parts.parameters, ", "), statements, result, name, name,
        joined(arguments, ", "));
  }

 private:
  /// Functions of no module.
  static constexpr std::array kBuiltIn = {OperationCode{Operation::minimum, "min($1, $2)"},
                                          OperationCode{Operation::maximum, "max($1, $2)"},
                                          OperationCode{Operation::abs, "abs($1)"}};

  /// Where a rule has the value: "input_size_mb" is the size of its input.
  static std::string source_of(const std::string& parameter, const FunctionParts& parts) {
    if (parameter == "threads")
      return parameter;
    if (parameter == "input_bytes" || parameter == "input_size_bytes")
      return "input.size";
    if (parameter == "input_size" || parameter.starts_with("input_size_"))
      return "input." + parameter.substr(6);
    return contains(parts.numbers, parameter) ? "float(wildcards." + parameter + ")"
                                              : "wildcards." + parameter;
  }
};

/// A rule for the Total Perspective Vortex of Galaxy: YAML with a block of Python.
constexpr Syntax kGalaxy = [] {
  Syntax out = kSnakemake;
  out.variable = "      $1 = $2\n";
  out.words = "app cores entity gpus job mapper helpers math mem tool request user";
  return out;
}();

class GalaxyDialect : public SnakemakeDialect {
 public:
  GalaxyDialect() : SnakemakeDialect(kGalaxy) {}

  /// mem is in GB. The value of a block is that of its last line.
  std::string function(const FunctionParts& parts) const override {
    if (!request_of(parts).is_memory)
      throw InputError("a rule for Galaxy requests memory, and this is a bound of a time");
    std::string statements;
    for (const std::string& parameter : parts.parameters)
      if (const std::string source = source_of(parameter, parts); source != parameter)
        statements += variable(parameter, source);
    statements += parts.statements;
    const std::string result = request(parts, 1e9, statements, false);
    const bool computes = (statements + result).find("math.") != std::string::npos;
    return fmt::format(
        "{}# Replace TOOL, and what is no parameter of the tool.\ntools:\n  TOOL:\n    mem: |\n"
        "{}{}      {}\n",
        parts.comments, computes ? "      import math\n" : "", statements, result);
  }

 private:
  /// Where Galaxy has the value: input_size is in units of 1024^3 bytes, which it calls GB.
  static std::string source_of(const std::string& parameter, const FunctionParts& parts) {
    if (parameter == "threads")
      return "cores";
    if (parameter.starts_with("input_")) {
      const std::string unit = parameter.substr(parameter.rfind('_') + 1);
      if (unit == "size" || unit == "gb")
        return "input_size";
      if (const auto one = unit_as_quantity(parameter, ""); one && one->unit == "B")
        return "input_size * " + decimal_literal(0x1p30 / one->value);
    }
    const std::string value = "job.get_param_values(app)[" + javascript_literal(parameter) + "]";
    return contains(parts.numbers, parameter) ? "float(" + value + ")" : value;
  }
};

std::string groovy_literal(const std::string& text) {
  std::string out;
  for (const char c : javascript_literal(text))
    out += c == '$' ? "\\$" : std::string(1, c);
  return out;
}

/// A directive of a process, in Groovy.
constexpr Syntax kNextflow{
    .operations = kWorkflowOperations,
    .module = "Math.",
    .power = "$1 ** $2",
    .choice = "[$2].get($1)",
    .number_of = "($1 as double)",
    .variable = "  def $1 = $2\n",
    .mark = "// ",
    .plus = " + ",
    .literal = groovy_literal,
    .words =
        "Math abstract catch def extends final implements input instanceof interface memory native "
        "new null output package params private protected public request script strictfp super "
        "synchronized task this throw throws time trait transient var workflow"};

class NextflowDialect : public WorkflowDialect {
 public:
  NextflowDialect() : WorkflowDialect(kNextflow) {}

  /// Without the suffix, a literal is a BigDecimal.
  std::string number(double value) const override {
    const std::string text = to_text(value) + "d";
    return value < 0 ? "(" + text + ")" : text;
  }
  std::string power(const std::string& base, double exponent) const override {
    return "Math.pow(" + base + ", " + number(exponent) + ")";
  }

  /// Nextflow's MB are 1024^2 bytes.
  std::string function(const FunctionParts& parts) const override {
    const Request request = request_of(parts);
    std::string statements = parts.statements;
    const std::string result = this->request(parts, request.is_memory ? 0x1p20 : 1, statements);
    return fmt::format(
        "// In the process, whose inputs are {}:\n{}{} {{\n{}  {} * (Math.ceil({}) as long)\n}}\n",
        joined(parts.parameters, ", "), parts.comments, request.is_memory ? "memory" : "time",
        statements, request.is_memory ? "1.MB" : "1.s", result);
  }
};

/// The program stands in single quotes.
std::string awk_literal(const std::string& text) {
  std::string out;
  for (const char c : c_literal(text))
    out += c == '\'' ? "\\047" : std::string(1, c);
  return out;
}

/// A script of the shell that computes by awk and calls sbatch. The words are variables of bash,
/// and those of awk that no name of code has to avoid.
constexpr Syntax kSlurm{
    .operations = kWorkflowOperations,
    .power = "$1^$2",
    .number_of = "($1 + 0)",
    .variable = "  $1 = $2\n",
    .mark = "# ",
    .plus = " + ",
    .literal = awk_literal,
    .has_integers = true,
    .words =
        "BEGIN CONVFMT END ENV ENVIRON EUID FILENAME FNR FS GROUPS HOME IFS LANG NF NR OFMT OFS "
        "ORS PATH PPID PWD RANDOM RLENGTH RS RSTART SECONDS SUBSEP UID close delete exit fflush "
        "func function getline gsub index length match next print printf rand request split "
        "sprintf srand sub substr system tolower toupper unknown value"};

class SlurmDialect : public WorkflowDialect {
 public:
  SlurmDialect() : WorkflowDialect(kSlurm) {}

  std::string choice(const LevelValues& column) const override {
    return first_of(column, "$1 == $2", "unknown(" + column.operand + ")");
  }

  /// --mem=M is in 1024^2 bytes, --time in minutes.
  std::string function(const FunctionParts& parts) const override {
    const Request request = request_of(parts);
    std::string settings;
    std::string reads;
    for (const std::string& name : parts.parameters) {
      const bool is_number = contains(parts.numbers, name);
      settings += name + "=${" + name + ":?} ";
      reads += "  " + name + " = " + (is_number ? "value(\"" : "ENVIRON[\"") + name + "\"" +
               (is_number ? ")" : "]") + "\n";
    }
    std::string statements = parts.statements;
    const std::string result = this->request(parts, request.is_memory ? 0x1p20 : 60, statements);
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
        "BEGIN {{\n{}{}  printf \"%.0f\", ceil({})\n}}') || exit 1\n"
        "exec sbatch --{}=\"${{request}}{}\" \"$@\"\n",
        joined(parts.parameters, ", "), parts.comments, settings, reads, statements, result,
        request.is_memory ? "mem" : "time", request.is_memory ? "M" : "");
  }
};

template <class OneDialect>
const Dialect& only() {
  static const OneDialect dialect;
  return dialect;
}

}  // namespace

const Dialect& extrap_dialect();

void add_workflows() {
  using enum FormulaLanguage;
  add<Exporter>({{extrap, extrap_dialect},
                 {nextflow, only<NextflowDialect>},
                 {snakemake, only<SnakemakeDialect>},
                 {galaxy, only<GalaxyDialect>},
                 {slurm, only<SlurmDialect>}});
}

}  // namespace perfmodel
