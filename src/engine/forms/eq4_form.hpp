#pragma once

#include "forms/term_form.hpp"

namespace perfmodel {

/// Eq. (4); its constants are in the order of Eq4Layout.
class Eq4Form final : public TermForm {
 public:
  std::string_view name() const override;
  FormWords words() const override;
  TermSum terms(const ModelSpec& spec) const override { return {spec}; }
  std::vector<std::string> groups(const ModelSpec& spec) const override;
  std::vector<ConstantDifference> differences(const ModelSpec& spec) const override;
  std::vector<TimePart> parts(const ModelSpec& spec, const VectorXd& constants,
                              const std::function<std::string(std::size_t)>& mark) const override;
  bool has_local_powers() const override { return false; }
  std::optional<std::size_t> scaling_constant(const ModelSpec& spec,
                                              std::size_t extrinsic) const override;
  std::vector<double> scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                     const Configuration* at) const override;
  std::string formula(const ModelSpec& spec, const VectorXd& constants) const override;
  std::shared_ptr<const Form> reordered(const ColumnOrder& order) const override;
  void settle_unseen_levels(const Design& training, FittedModel& model) const override;
  void describe_constants(Fields& f, FittedModel& model) const override;
};

}  // namespace perfmodel
