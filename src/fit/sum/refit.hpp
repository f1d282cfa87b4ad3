#pragma once

#include <Eigen/Core>

#include "fit/result/form.hpp"
#include "fit/sum/terms/sum_parts.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// Fits a sum of product terms that was fitted already to other runs of the same kind: one descent
/// from its constants, with its terms, its C and what it minimises as they are. What plays no part
/// stays out: powers of exactly 0, factors of exactly 1 and factors of 0.
class SumRefit final : public Refit {
 public:
  /// `options` are those of the fit.
  SumRefit(const FittedModel& model, const FitOptions& options);

  /// Constants in the order of the model's. Those of a level without runs stay as they are.
  Eigen::VectorXd operator()(const Design& runs) const override;

  std::size_t free_constants() const override { return perfmodel::free_constants(parts_); }

 private:
  const FittedModel& model_;
  const FitOptions& options_;
  std::vector<SumPart> parts_;

  Eigen::VectorXd refitted(const SumPart& part, const Design& runs) const;
};

}  // namespace perfmodel
