#pragma once

#include <cstddef>
#include <vector>

#include "perfmodel/fit/fitted_model.hpp"

namespace perfmodel {

/// The runs of a fit with their columns in the order of their names and their rows in the order of
/// their content. A search draws random numbers column by column and adds up row by row: in this
/// order it finds the same model however the file was written.
class CanonicalOrder {
 public:
  CanonicalOrder(const ModelSpec& spec, const Design& training);

  const ModelSpec& spec() const { return spec_; }
  const Design& training() const { return training_; }

  /// A model of these runs as one of the runs as they were given.
  FittedModel restored(FittedModel model) const;

 private:
  /// Which of the given columns each is.
  struct Columns {
    std::vector<std::size_t> intrinsic;
    std::vector<std::size_t> categorical;
    std::vector<std::size_t> extrinsic;
  };

  const ModelSpec& given_;
  Columns columns_;
  ModelSpec spec_;
  Design training_;

  std::vector<std::size_t> generic_origin() const;
  std::vector<std::size_t> sum_origin(const MultiStructure& given,
                                      const MultiStructure& canonical) const;
  MultiStructure restored(const MultiStructure& structure) const;
  Configuration restored(const Configuration& configuration) const;
  std::vector<bool> restored_differences(const std::vector<bool>& differences) const;
};

}  // namespace perfmodel
