#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fit/sum/terms/term_data.hpp"

namespace perfmodel {

/// Rows of TermData to fit on and rows to judge on.
struct Fold {
  std::vector<Eigen::Index> training;
  std::vector<Eigen::Index> held_out;
  /// The numeric column whose upper end is held out; none: a random part is.
  std::optional<std::size_t> scale;

  bool far_end() const { return scale.has_value(); }
};

/// Folds for choosing a model that also extrapolates: a random partition, in which rows of one
/// configuration stay together, and for each scale the rows of its largest values.
///
/// A scale is an extrinsic column, or a numeric intrinsic one over two decades or more, with values
/// enough to leave some out; of more than a dozen, extrinsic ones and those that reach furthest. At
/// most `most_rows` rows take part. Empty where there are too few.
std::vector<Fold> make_folds(const TermCoordinates& coordinates, const ModelSpec& spec,
                             std::size_t most_rows, std::uint64_t seed);

}  // namespace perfmodel
