#include "analysis/simulate.hpp"

#include <cmath>

#include <Eigen/Cholesky>

#include "base/index.hpp"
#include "base/random.hpp"
#include "fit/result/form.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kMostDrawn = 2000;
constexpr Eigen::Index kMostKnownToDraw = 2000;

/// What a draw of the process differs by from its mean, given the runs that it was fitted to: root
/// of the covariances times standard normal numbers.
VectorXd drawn_difference(const FittedModel& model, const Design& design, std::uint64_t seed) {
  const auto belief = model.form->process_belief(model.spec);
  if (!belief) {
    throw UsageError(Field{"draw"} + " takes a residual process, and the model is a " +
                     std::string(model.form->words().noun));
  }
  if (design.rows > kMostDrawn || belief->runs.size() > kMostKnownToDraw) {
    throw UsageError(Field{"draw"} + " looks at all pairs of configurations: at most " +
                     std::to_string(kMostDrawn) + " can be drawn, by a model that knows at most " +
                     std::to_string(kMostKnownToDraw));
  }
  MatrixXd known = belief->covariance(belief->known, belief->known);
  known.diagonal() += belief->noise * belief->runs.cwiseInverse();
  const MatrixXd learned = known.llt().matrixL().solve(belief->covariance(belief->known, design));
  MatrixXd covariance = belief->covariance(design, design);
  covariance.noalias() -= learned.transpose() * learned;
  // Of configurations that are known well, or are there twice, it is singular.
  const Eigen::LDLT<MatrixXd> factors(covariance);
  RandomStream random(seed, "draw of the process");
  VectorXd normal(index(design.rows));
  for (double& value : normal)
    value = random.normal();
  const VectorXd scaled = factors.vectorD().cwiseMax(0).cwiseSqrt().cwiseProduct(normal);
  return factors.transpositionsP().transpose() * VectorXd(factors.matrixL() * scaled);
}

}  // namespace

VectorXd simulate(const FittedModel& model, const Design& design, const Noise& noise,
                  std::uint64_t seed) {
  VectorXd times = predict(model, design);
  if (noise.draw)
    times.array() *= drawn_difference(model, design, seed).array().exp();
  // A stream for each kind, so that adding one kind of noise leaves the other as it was.
  RandomStream relative(seed, "relative noise");
  RandomStream additive(seed, "additive noise");
  for (double& time : times)
    time = time * std::exp(noise.relative * relative.normal()) + noise.additive * additive.normal();
  return times;
}

}  // namespace perfmodel
