#include <limits>
#include <vector>

#include "optimise/newton.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using Eigen::Vector2d;
using Eigen::VectorXd;

namespace {

/// 1 + (x - c)'H(x - c) / 2 with c = (3, -1). All points whose cost was asked for are kept.
class Bowl : public CurvedProblem {
 public:
  double cost(const VectorXd& at) const override {
    asked.push_back(at);
    return 1 + 0.5 * (at - centre_).dot(bend_ * (at - centre_));
  }
  CostParabola quadratic(const VectorXd& at) const override {
    return {bend_ * (at - centre_), bend_, bend_};
  }

  mutable std::vector<VectorXd> asked;

 private:
  Eigen::MatrixXd bend_ = (Eigen::Matrix2d() << 2, 1, 1, 2).finished();
  VectorXd centre_ = Vector2d(3, -1);
};

}  // namespace

TEST_CASE("damped Newton steps on a parabola are ever less damped", "[newton]") {
  const Bowl bowl;
  const optimise::Bounds box{VectorXd::Constant(2, -9), VectorXd::Constant(2, 9)};
  const Optimum found = minimise_by_damped_newton(bowl, box, Vector2d(0, 0), 1e-14, {});
  CHECK((found.at - Vector2d(3, -1)).norm() < 1e-7);
  CHECK(found.steps <= 5);
}

TEST_CASE("a Newton step that a bound cuts is the best one along it", "[newton]") {
  // With x held at 1, the slope along y is (1 - 3) + 2 (y + 1) = 2 y.
  const Bowl bowl;
  const optimise::Bounds box{Vector2d(-9, -9), Vector2d(1, 9)};
  const Optimum found = minimise_by_damped_newton(bowl, box, Vector2d(-1, 2), 1e-14, {});
  CHECK((found.at - Vector2d(1, 0)).norm() < 1e-7);
  REQUIRE(bowl.asked.size() >= 2);
  CHECK((bowl.asked[1] - Vector2d(1, 0)).norm() < 0.05);
}
