#pragma once

#include "forms/form.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

/// Eq. (4) or a sum of product terms.
class TermForm : public Form {
 public:
  virtual TermSum terms(const ModelSpec& spec) const = 0;

  std::vector<ConstantInfo> constants(const ModelSpec& spec) const override;
  VectorXd predict(const ModelSpec& spec, const VectorXd& constants,
                   const Design& design) const override;
  MatrixXd log_slopes(const ModelSpec& spec, const VectorXd& constants,
                      const Design& design) const override;
  std::vector<double> shares(const ModelSpec& spec, const VectorXd& constants,
                             const Design& design) const override;
};

}  // namespace perfmodel
