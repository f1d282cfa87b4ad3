#include "export/readable_formula.hpp"

#include "base/printable.hpp"
#include "base/text.hpp"
#include "export/latex_formula.hpp"
#include "export/multi_formula.hpp"
#include "model/form/generic_expression.hpp"
#include "model/form/unseen_parts.hpp"

namespace perfmodel {
namespace {

/// The inputs under names that are safe to print.
ModelSpec with_printable_names(ModelSpec spec) {
  for (auto* const inputs : {&spec.intrinsic, &spec.extrinsic})
    for (NumericInput& input : *inputs)
      input.column = printable_word(input.column);
  for (CategoricalInput& input : spec.categorical) {
    input.column = printable_word(input.column);
    for (std::string& level : input.levels)
      level = printable_word(level);
  }
  return spec;
}

std::string text_generic(const ModelSpec& spec, const Eigen::VectorXd& constants) {
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  /// A factor with what stands before it.
  const auto power = [](const std::string& column, double exponent) {
    return is_unseen_power(exponent) ? std::string() : " * " + column + "^" + rounded(exponent);
  };
  const SeenParts seen = seen_parts_of_generic(spec, constants);
  std::string sum;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    if (!seen.terms[i])
      continue;
    sum += (sum.empty() ? "" : " + ") + rounded(constant(layout.coefficient(i))) +
           power(spec.intrinsic[i].column, constant(layout.intrinsic_power(i)));
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    if (!seen.terms[spec.intrinsic.size() + c])
      continue;
    const CategoricalInput& input = spec.categorical[c];
    std::string levels;
    for (std::size_t l = 0; l < input.levels.size(); ++l) {
      levels +=
          (l == 0 ? "" : ", ") + input.levels[l] + ": " + rounded(constant(layout.level(c, l)));
    }
    sum += (sum.empty() ? "" : " + ") + input.column + "{" + levels + "}";
  }
  if (const auto lone = layout.lone_coefficient())
    sum = rounded(constant(*lone));
  if (sum.empty())
    return "t = " + rounded(constant(layout.intercept())) + "\n";
  std::string out = layout.lone_coefficient() ? "t = " + sum : "t = (" + sum + ")";
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out += power(spec.extrinsic[j].column, constant(layout.extrinsic_power(j)));
  return out + (seen.intercept ? " + " + rounded(constant(layout.intercept())) : "") + "\n";
}

}  // namespace

std::string readable_generic(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             FormulaLanguage language) {
  const ModelSpec shown = with_printable_names(spec);
  return language == FormulaLanguage::latex ? latex_generic(shown, constants)
                                            : text_generic(shown, constants);
}

std::string readable_multi(const ModelSpec& spec, const MultiStructure& structure,
                           const Eigen::VectorXd& constants, FormulaLanguage language) {
  const ModelSpec shown = with_printable_names(spec);
  const SeenParts seen = seen_parts_of_multi(spec, structure, constants);
  return language == FormulaLanguage::latex
             ? latex_multi(shown, structure, constants)
             : multi_formula(shown, structure, constants, "\n  + ", &seen) + "\n";
}

}  // namespace perfmodel
