#include "forms/term_form.hpp"

#include <string>
#include <utility>
#include <vector>

#include "perfmodel/export.hpp"
namespace perfmodel {

std::vector<ConstantInfo> TermForm::constants(const ModelSpec& spec) const {
  using enum ConstantRole;
  TermSum sum = terms(spec);
  const ConstantRange range = sum.is_eq4 ? ConstantRange::not_negative : ConstantRange::factor;
  std::vector<ConstantInfo> out(sum.names.size());
  std::size_t group = 0;
  const auto put = [&](std::size_t k, ConstantRole role, ConstantRange of, const std::string& level,
                       const std::string& column) {
    out[k] = {std::move(sum.names[k]), role, of, group, level, column};
  };
  const auto put_factor = [&](const TermFactor& factor) {
    switch (factor.kind) {
      case TermFactor::Kind::number:
        put(factor.constant, coefficient, range, "", "");
        break;
      case TermFactor::Kind::power:
        put(factor.constant, factor.input < spec.extrinsic.size() ? scaling_power : intrinsic_power,
            ConstantRange::any, "", numeric_input(spec, factor.input).column);
        break;
      case TermFactor::Kind::levels:
        for (std::size_t l = 0; l < spec.categorical[factor.input].levels.size(); ++l)
          put(factor.constant + l, level, range, spec.categorical[factor.input].levels[l], "");
        break;
      case TermFactor::Kind::step:
        for (const std::size_t side : {0U, 1U})
          put(factor.constant + side, step, range, "", "");
        break;
    }
  };
  for (const std::vector<TermFactor>& term : sum.terms) {
    for (const TermFactor& factor : term)
      put_factor(factor);
    ++group;
  }
  for (const TermFactor& factor : sum.common) {
    put_factor(factor);
    ++group;
  }
  put(sum.intercept, intercept, ConstantRange::not_negative, "", "");
  return out;
}

VectorXd TermForm::predict(const ModelSpec& spec, const VectorXd& constants,
                           const Design& design) const {
  return predict_terms(terms(spec), constants, design);
}

MatrixXd TermForm::log_slopes(const ModelSpec& spec, const VectorXd& constants,
                              const Design& design) const {
  return term_log_slopes(terms(spec), constants, design);
}

std::vector<double> TermForm::shares(const ModelSpec& spec, const VectorXd& constants,
                                     const Design& design) const {
  const MatrixXd parts = term_parts(terms(spec), constants, design);
  const double total = parts.sum();
  if (total == 0)  // a penalty can reduce all to 0
    return std::vector<double>(static_cast<std::size_t>(parts.cols()), 0);
  const VectorXd sums = 100 * parts.colwise().sum().transpose() / total;
  return {sums.begin(), sums.end()};
}

}  // namespace perfmodel
