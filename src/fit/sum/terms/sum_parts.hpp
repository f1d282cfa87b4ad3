#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <vector>

#include "fit/result/sum_estimate.hpp"
#include "model/form/multi_expression.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// The part of a fitted sum that one set of rows determines: the whole of it, or the terms of one
/// level where each level has terms of its own.
struct SumPart {
  std::optional<std::size_t> level;  ///< of the column `parted`
  std::size_t parted = 0;
  ModelSpec spec;                   ///< without that column
  MultiStructure structure;         ///< the terms of the part alone
  Eigen::VectorXd constants;        ///< in the order of MultiLayout of these two
  std::vector<std::size_t> origin;  ///< which constant of the model each of them is
  std::vector<std::size_t> terms;   ///< which term of the model each of its terms is
  SumEstimate estimate;

  /// The rows that the part speaks of, as its spec sees them.
  Design runs(const Design& all) const;
};

/// The model was fitted here: it knows its estimates.
std::vector<SumPart> sum_parts(const FittedModel& model);

/// What a refit or a derivative makes of a constant of a sum.
enum class SumConstant {
  free,
  reference,  ///< a factor of 1 that the others of its column relate to
  absent,     ///< a factor of 0: the term does not exist there; C where it is 0
  unused,     ///< of an input that plays no part in the term: a power of 0, factors of 1
};

/// One per constant of the part.
std::vector<SumConstant> sum_constants(const SumPart& part);

/// How many constants of all parts are free.
std::size_t free_constants(const std::vector<SumPart>& parts);

}  // namespace perfmodel
