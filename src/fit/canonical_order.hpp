#pragma once

#include "fit/result/column_order.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// The runs of a fit with their columns, levels and rows in the order of their content. A search
/// draws random numbers column by column and adds up row by row: in this order it finds the same
/// model however the file was written, and whatever its columns and levels are called. Names decide
/// between what the runs do not tell apart at all.
class CanonicalOrder {
 public:
  CanonicalOrder(const ModelSpec& spec, const Design& training);

  const ModelSpec& spec() const { return spec_; }
  const Design& training() const { return training_; }

  /// A model of these runs as one of the runs as they were given.
  FittedModel restored(FittedModel model) const;

 private:
  const ModelSpec& given_;
  ColumnOrder columns_;
  ModelSpec spec_;
  Design training_;

  Configuration restored(const Configuration& configuration) const;
  std::vector<bool> restored_differences(const std::vector<bool>& differences) const;
};

}  // namespace perfmodel
