#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/error.hpp"

namespace perfmodel {

struct FittedModel;

/// Languages in which a model can be exported as an expression of its columns.
///
/// `python`: a function predict(filters, activation, ...). `c`: a C99 function. `javascript`: an
/// ES2020 function. `spreadsheet`: a formula whose inputs are defined names. Their inputs are
/// required_columns(), derived columns are computed inside, and numbers have all digits, so that
/// the values agree with predict(). `text` and `latex` are for reading: numbers have three digits,
/// and the definitions of derived columns follow.
/// `nextflow`, `snakemake`, `galaxy` and `slurm` are the requests of a workflow for a bound,
/// rounded up to a unit that the workflow takes.
enum class FormulaLanguage {
  text,
  latex,
  python,
  c,
  javascript,
  spreadsheet,
  extrap,
  nextflow,
  snakemake,
  galaxy,
  slurm
};

constexpr auto texts_of(FormulaLanguage) {
  using enum FormulaLanguage;
  return std::to_array<EnumText<FormulaLanguage>>({{text, "text"},
                                                   {latex, "latex"},
                                                   {python, "python"},
                                                   {c, "c"},
                                                   {javascript, "javascript"},
                                                   {spreadsheet, "spreadsheet"},
                                                   {extrap, "extrap"},
                                                   {nextflow, "nextflow"},
                                                   {snakemake, "snakemake"},
                                                   {galaxy, "galaxy"},
                                                   {slurm, "slurm"}});
}

constexpr bool is_of_workflow(FormulaLanguage language) {
  return language >= FormulaLanguage::nextflow;
}

/// What a workflow may request, in bytes or seconds.
struct RequestLimits {
  std::optional<double> least = {};
  std::optional<double> most = {};
  std::vector<double> steps = {};  ///< ascending; a request is rounded up to one of them
};

/// A language and, of a workflow, the limits of the request.
struct CodeLanguage {
  CodeLanguage(FormulaLanguage name, RequestLimits request_limits = {})
      : language(name), limits(std::move(request_limits)) {}
  operator FormulaLanguage() const { return language; }

  FormulaLanguage language;
  RequestLimits limits;
};

/// The whole model in a language. Throws InputError if it cannot express a derived column.
std::string formula_code(const FittedModel& model, const CodeLanguage& language);

}  // namespace perfmodel
