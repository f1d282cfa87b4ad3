#include "fit/process/generalised_least_squares.hpp"

#include <Eigen/Cholesky>
#include <cstddef>
#include <utility>

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kMostHalvings = 12;
constexpr double kReduction = 1e-12;  ///< of the sum of squares: converged below it

/// Constants, the level last, with the trend there.
struct TrendPoint {
  VectorXd constants;
  TrendValues trend;
  VectorXd residual;
  double squares = 0;
};

class GaussNewton {
 public:
  GaussNewton(const Trend& trend, std::span<const Index> rows, const VectorXd& y,
              const PositiveMatrix& covariance, VectorXd deviations)
      : trend_(trend),
        rows_(rows),
        y_(y),
        covariance_(covariance),
        deviations_(std::move(deviations)),
        start_(deviations_.size()) {
    start_ << trend.start, 0;
  }

  TrendEstimate run(std::size_t most_steps) {
    TrendPoint point = at(start_);
    for (std::size_t i = 0; i < most_steps; ++i) {
      linearise(point);
      const VectorXd step = deviations_.cwiseProduct(
          normal_.solve(slopes_.transpose() * covariance_.whitened(point.residual) -
                        scaled_off(point.constants)));
      const double before = point.squares;
      if (!shortened(step, point) || before - point.squares <= kReduction * before)
        break;
    }
    linearise(point);
    const Index n = deviations_.size();
    const MatrixXd scaled = normal_.solve(MatrixXd::Identity(n, n));
    return {.constants = point.constants.head(n - 1),
            .level = point.constants[n - 1],
            .residual = point.residual,
            .covariance = deviations_.asDiagonal() * scaled * deviations_.asDiagonal()};
  }

 private:
  const Trend& trend_;
  std::span<const Index> rows_;
  const VectorXd& y_;
  const PositiveMatrix& covariance_;
  VectorXd deviations_;
  VectorXd start_;
  MatrixXd slopes_;               ///< whitened, in units of the deviations
  Eigen::LDLT<MatrixXd> normal_;  ///< slopes' slopes + 1

  VectorXd scaled_off(const VectorXd& constants) const {
    return (constants - start_).cwiseQuotient(deviations_);
  }

  TrendPoint at(const VectorXd& constants) const {
    const Index own = constants.size() - 1;
    TrendPoint out{
        .constants = constants, .trend = trend_.at(constants.head(own), rows_), .residual = {}};
    out.residual = y_ - out.trend.values - VectorXd::Constant(y_.size(), constants[own]);
    out.squares =
        covariance_.whitened(out.residual).squaredNorm() + scaled_off(constants).squaredNorm();
    return out;
  }

  void linearise(const TrendPoint& point) {
    const Index n = deviations_.size();
    MatrixXd slopes(y_.size(), n);
    slopes.leftCols(n - 1) = point.trend.slopes;
    slopes.col(n - 1).setOnes();
    slopes_ = covariance_.whitened(slopes * deviations_.asDiagonal());
    normal_.compute(slopes_.transpose() * slopes_ + MatrixXd::Identity(n, n));
  }

  /// Takes the step, halved until it gains.
  bool shortened(VectorXd step, TrendPoint& point) const {
    for (std::size_t i = 0; i < kMostHalvings; ++i, step /= 2) {
      TrendPoint next = at(point.constants + step);
      if (next.squares < point.squares) {  // false where f is not defined
        point = std::move(next);
        return true;
      }
    }
    return false;
  }
};

}  // namespace

TrendEstimate generalised_least_squares(const Trend& trend, std::span<const Index> rows,
                                        const VectorXd& y, const PositiveMatrix& covariance,
                                        const VectorXd& deviations, double level_deviation,
                                        std::size_t most_steps) {
  VectorXd all(deviations.size() + 1);
  all << deviations, level_deviation;
  return GaussNewton(trend, rows, y, covariance, std::move(all)).run(most_steps);
}

}  // namespace perfmodel::process
