#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

namespace perfmodel::process {

/// A symmetric function of two values of a column, over all pairs of its values. What belongs to a
/// value is computed when it is asked for first: few predictions need few of them.
class ValueTable {
 public:
  /// Of each of the values with one of them.
  using OfValue = std::function<void(const Eigen::VectorXd& values, double value, double* out)>;

  static constexpr Eigen::Index kMostValues = 2048;  ///< 32 MiB

  /// No table where there are more values than `most`.
  ValueTable(const Eigen::VectorXd& values, OfValue of, Eigen::Index most = kMostValues);

  bool exists() const { return table_ != nullptr; }
  /// The function of this value and each of all values. From any thread.
  const double* of_value(std::uint32_t code) const;

 private:
  Eigen::VectorXd values_;
  OfValue of_;
  std::unique_ptr<double[]> table_;
  std::unique_ptr<std::once_flag[]> computed_;
};

}  // namespace perfmodel::process
