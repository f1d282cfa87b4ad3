#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace perfmodel {

/// Orthonormal contrasts (Helmert): n - 1 columns for n levels, each summing to 0. No level is the
/// reference, so a penalty on them treats all levels alike, and a level that was never seen gets
/// the mean of the others.
Eigen::MatrixXd contrasts(std::size_t levels);

/// The level, from 0, whose row of contrasts(levels) this is.
Eigen::Index level_of(const Eigen::Ref<const Eigen::RowVectorXd>& row);

/// B'A for the contrasts B and A of one row per level, in as many steps as A has entries.
Eigen::MatrixXd contrast_sums(const Eigen::Ref<const Eigen::MatrixXd>& of_levels);

/// B' diag(w) B for the contrasts B and one weight per level, in as many steps as it has entries.
Eigen::MatrixXd contrast_products(const Eigen::Ref<const Eigen::VectorXd>& weights);

}  // namespace perfmodel
