#pragma once

#include <cstdint>
#include <vector>

#include "fit/multi/term_data.hpp"

namespace perfmodel {

/// Rows of TermData to fit on and rows to judge on.
struct Fold {
  std::vector<Eigen::Index> training;
  std::vector<Eigen::Index> held_out;
  bool far_end = false;  ///< the upper end of one column is held out, not a random part
};

/// Folds for choosing a model that also extrapolates: a random partition, in which rows of one
/// configuration stay together, and for each scale the rows of its largest values.
///
/// A scale is an extrinsic column, or a numeric intrinsic one over two decades or more, with values
/// enough to leave some out. At most `most_rows` rows take part. Empty where there are too few.
std::vector<Fold> make_folds(const TermCoordinates& coordinates, const ModelSpec& spec,
                             std::size_t most_rows, std::uint64_t seed);

}  // namespace perfmodel
