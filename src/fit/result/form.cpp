#include "fit/result/form.hpp"

namespace perfmodel {

std::vector<ConstantDifference> Form::differences(const ModelSpec&) const {
  return {};
}

std::optional<std::size_t> Form::scaling_constant(const ModelSpec&, std::size_t) const {
  return std::nullopt;
}

std::optional<Eigen::VectorXd> Form::process_factors(const Design&) const {
  return std::nullopt;
}

std::optional<ProcessBelief> Form::process_belief(const ModelSpec&) const {
  return std::nullopt;
}

std::optional<double> Form::process_size() const {
  return std::nullopt;
}

std::vector<double> Form::steps(const ModelSpec&, std::size_t) const {
  return {};
}

void Form::settle_unseen_levels(const Design&, FittedModel&) const {}

}  // namespace perfmodel
