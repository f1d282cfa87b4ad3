#pragma once

#include "forms/form.hpp"

namespace perfmodel {

/// Eq. (4); its constants are in the order of GenericLayout.
class GenericForm final : public Form {
 public:
  std::string_view name() const override;
  const FormWords& words() const override;
  std::vector<ConstantInfo> constants(const ModelSpec& spec) const override;
  std::vector<std::string> groups(const ModelSpec& spec) const override;
  std::vector<ConstantDifference> differences(const ModelSpec& spec) const override;
  Eigen::VectorXd predict(const ModelSpec& spec, const Eigen::VectorXd& constants,
                          const Design& design) const override;
  Eigen::MatrixXd log_slopes(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             const Design& design) const override;
  std::vector<TimePart> parts(const ModelSpec& spec, const Eigen::VectorXd& constants,
                              const std::function<std::string(std::size_t)>& mark) const override;
  /// The time that is lost without the component: Eq. (4) is linear in a and C.
  std::vector<double> shares(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             const Design& design) const override;
  bool has_local_powers() const override;
  std::optional<std::size_t> scaling_constant(const ModelSpec& spec,
                                              std::size_t extrinsic) const override;
  std::vector<double> scaling_powers(const ModelSpec& spec, const Eigen::VectorXd& constants,
                                     const Configuration* at) const override;
  double unscaled_time(const Eigen::VectorXd& constants) const override;
  std::string formula(const ModelSpec& spec, const Eigen::VectorXd& constants) const override;
  std::string code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                   FormulaLanguage language) const override;
  Reordered reordered(const ModelSpec& from, const ModelSpec& to,
                      const ColumnOrder& order) const override;
  std::size_t constants_in_use(const FittedModel& model) const override;
  std::unique_ptr<Refit> refit(const FittedModel& model, const Design& training,
                               const FitOptions& options) const override;
  /// Sets them to the mean of the column's other levels: the fit leaves them at their initial
  /// values.
  void settle_unseen_levels(const Design& training, FittedModel& model) const override;
  void describe_constants(Fields& f, FittedModel& model) const override;

  /// Reads or writes the inputs, the constants and their uncertainties.
  static void read(Fields& f, FittedModel& model);
};

}  // namespace perfmodel
