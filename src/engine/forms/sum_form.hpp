#pragma once

#include <optional>
#include <utility>

#include "forms/term_form.hpp"

namespace perfmodel {

/// A sum of product terms; its constants are in the order of SumLayout.
class SumForm final : public TermForm {
 public:
  explicit SumForm(SumStructure of_terms = {}, std::optional<SumEstimate> of_fit = {})
      : structure(std::move(of_terms)), estimate(std::move(of_fit)) {}

  SumStructure structure;
  std::optional<SumEstimate> estimate;  ///< nullopt if the model was read from a file

  std::string_view name() const override;
  FormWords words() const override;
  TermSum terms(const ModelSpec& spec) const override { return {spec, structure}; }
  std::vector<std::string> groups(const ModelSpec& spec) const override;
  std::vector<TimePart> parts(const ModelSpec& spec, const VectorXd& constants,
                              const std::function<std::string(std::size_t)>& mark) const override;
  std::vector<double> scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                     const Configuration* at) const override;
  std::vector<double> steps(const ModelSpec& spec, std::size_t extrinsic) const override;
  std::string formula(const ModelSpec& spec, const VectorXd& constants) const override;
  std::shared_ptr<const Form> reordered(const ColumnOrder& order) const override;
  void describe_constants(Fields& f, FittedModel& model) const override;
};

/// The form of a model that is a sum of product terms.
const SumForm& sum_form(const FittedModel& model);

/// Replaces the shared form of a model by a copy that may be changed, and returns it.
SumForm& own_sum_form(FittedModel& model);

}  // namespace perfmodel
