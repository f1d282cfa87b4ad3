#include "perfmodel/fit/fitted_model.hpp"

#include "perfmodel/model/generic_expression.hpp"

namespace perfmodel {

Eigen::VectorXd predict(const FittedModel& model, const Design& design) {
  if (model.multi)
    return predict_multi(model.spec, model.multi->structure, model.constants, design);
  return predict_generic(model.spec, model.constants, design);
}

std::vector<std::string> constant_names(const FittedModel& model) {
  const auto names_of = [](const auto& layout) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < layout.size(); ++k)
      names.push_back(layout.name(k));
    return names;
  };
  return model.multi ? names_of(MultiLayout(model.spec, model.multi->structure))
                     : names_of(GenericLayout(model.spec));
}

std::vector<double> scaling_powers(const FittedModel& model) {
  const std::size_t columns = model.spec.extrinsic.size();
  std::vector<double> out(columns);
  if (model.multi) {
    const Eigen::MatrixXd local =
        multi_elasticities(model.spec, model.multi->structure, model.constants,
                           design_of(model.multi->typical, model.spec));
    for (std::size_t j = 0; j < columns; ++j)
      out[j] = local(0, static_cast<Eigen::Index>(j));
    return out;
  }
  const GenericLayout layout(model.spec);
  for (std::size_t j = 0; j < columns; ++j)
    out[j] = model.constants[static_cast<Eigen::Index>(layout.extrinsic_power(j))];
  return out;
}

}  // namespace perfmodel
