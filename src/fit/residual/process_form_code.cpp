#include <cmath>
#include <vector>

#include "base/text.hpp"
#include "export/formula_code.hpp"
#include "fit/residual/process_code.hpp"
#include "fit/residual/process_form.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/base/sentence.hpp"

namespace perfmodel {
namespace {

/// The trend's function by another name, without what stands before it.
std::string trend_function(const std::string& code, FormulaLanguage language) {
  const bool is_c = language == FormulaLanguage::c;
  const std::string head = language == FormulaLanguage::python ? "def "
                           : is_c                              ? "double "
                                                               : "function ";
  const std::string body = code.substr(code.find(head + "predict(") + head.size() + 7);
  return (is_c ? "static " : "") + head + "predict_trend" + body +
         (language == FormulaLanguage::python ? "\n\n" : "\n");
}

}  // namespace

std::string ProcessForm::code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                              FormulaLanguage language) const {
  const process::ResidualProcess& process = known_->process;
  const std::string trend = trend_->code(spec, constants, language);
  const bool is_latex = language == FormulaLanguage::latex;
  if (language == FormulaLanguage::text || is_latex) {
    const double size = 100 * (std::exp(*process_size()) - 1);
    return trend + (is_latex ? "% " : "") + "times exp(z), z being a residual process: typically " +
           rounded(size) + (is_latex ? " \\%" : " %") + " of the time within the runs\n";
  }
  if (language == FormulaLanguage::spreadsheet) {
    throw InputError("no spreadsheet computes a residual process; use " +
                     Field{"language", {"python"}} + " or " + Field{"language", {"c"}});
  }
  if (process.neighbours > 0) {
    throw InputError("the process knows " + std::to_string(process.inputs.rows()) +
                     " configurations, too many for one function; perfmodel predict computes it, "
                     "and docs/json.md says how");
  }
  const std::string helpers =
      trend_function(trend, language) + process_function(process, known_->centre, language);
  return function_code(spec, language, helpers, [&](const CodeInputs& inputs) {
    std::vector<std::string> numbers;
    std::vector<std::string> levels;
    const auto number = [&](const std::string& operand) {
      numbers.push_back(process_number(process.coordinates[numbers.size()], operand, language));
    };
    for (const std::size_t i : columns_.intrinsic)
      number(inputs.intrinsic[i]);
    for (const std::size_t j : columns_.extrinsic)
      number(inputs.extrinsic[j]);
    for (const std::size_t c : columns_.categorical)
      levels.push_back(inputs.levels[c]);
    return "predict_trend(" + joined(inputs.parameters, ", ") + ") * " +
           process_factor(process_call(numbers, levels, language), language);
  });
}

}  // namespace perfmodel
