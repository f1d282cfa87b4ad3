#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace perfmodel::process {

/// What a number is measured in where the process compares it with others.
enum class CoordinateForm {
  log,           ///< ln x
  log_one_plus,  ///< ln(1 + x / unit), of columns that hold 0; unit: the smallest value above 0
  ring,          ///< 1 - 1 / x: the share of the data that a ring of x workers sends on
};

/// A number as the process sees it: (form(x) - centre) / scale, rounded to 2^-30, so that the same
/// runs in other units are the same to the last bit, but for rare ties of the rounding.
struct Coordinate {
  CoordinateForm form = CoordinateForm::log;
  double unit = 1;
  double centre = 0;
  double scale = 1;
  double most = std::numeric_limits<double>::infinity();  ///< what is larger counts as this

  double at(double value) const;
  /// The number that is there.
  double value(double place) const;
  Eigen::VectorXd at(const Eigen::VectorXd& values) const;
};

/// log, or log_one_plus where a value is 0.
CoordinateForm usual_form(const Eigen::VectorXd& values);

/// With the mean 0 and the standard deviation 1 over the values.
Coordinate standardised(CoordinateForm form, const Eigen::VectorXd& values);

using Levels = Eigen::Matrix<std::uint32_t, Eigen::Dynamic, Eigen::Dynamic>;

/// Runs as they are given: a row each, a column per number and per column of levels.
struct Inputs {
  Eigen::MatrixXd numbers;
  Levels levels;  ///< indices of levels

  Eigen::Index rows() const { return numbers.rows(); }
};

/// The chosen rows, in that order.
Inputs take_rows(const Inputs& inputs, std::span<const Eigen::Index> rows);

/// The numbers as coordinates.
Inputs placed(const Inputs& inputs, const std::vector<Coordinate>& coordinates);

}  // namespace perfmodel::process
