#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "fit/process/observed.hpp"

namespace perfmodel::process {

/// Noise with heavy tails, so that single runs that were disturbed decide nothing: Student's t
/// distribution. It is normal noise of variance noise / w, with a weight w of each run that is not
/// known; expectation and maximisation find it (Lange, Little and Taylor, Robust statistical
/// modeling using the t distribution, J. Am. Stat. Assoc. 84, 1989).
constexpr double kDegreesOfFreedom = 4;

/// Sets what each run of the chosen rows counts for, `noise` being the variance of a run of weight
/// 1. Returns the sum of the weighted squares of the runs' errors.
double weigh_runs(MergedRows& rows, std::span<const Eigen::Index> chosen, const RowErrors& errors,
                  double noise);

/// Weighs the chosen rows by what they all say, in a few rounds.
void weigh_rows(const Inputs& coordinates, const Trend& trend,
                const std::vector<Eigen::Index>& chosen, const Kernel& kernel,
                const Eigen::VectorXd& group_deviations, std::size_t threads, MergedRows& rows);

/// Weighs the chosen rows by how far they are from the trend alone: no process is known that could
/// have passed through any of them.
void weigh_by_trend(const Inputs& coordinates, const Trend& trend,
                    const std::vector<Eigen::Index>& chosen, MergedRows& rows);

/// The same as weigh_rows(), and the noise with it: in `hyper`, as HyperLayout has it.
void weigh_rows_and_noise(const Inputs& coordinates, const Trend& trend,
                          const std::vector<Eigen::Index>& chosen, std::size_t threads,
                          Eigen::VectorXd& hyper, MergedRows& rows);

/// How far each row is from what the others say of it, y as it is there, and the standard deviation
/// of that (Rasmussen and Williams 2006, eq. 5.12).
struct LeftOut {
  Eigen::VectorXd off;
  Eigen::VectorXd deviation;
};
LeftOut left_out(const Observations& rows, const Eigen::VectorXd& hyper, std::size_t threads = 1);

/// Whether a t distribution describes numbers clearly better than a normal one, each with the scale
/// that suits it best.
bool has_heavy_tails(const Eigen::VectorXd& values);

}  // namespace perfmodel::process
