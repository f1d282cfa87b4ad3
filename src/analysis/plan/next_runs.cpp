#include "analysis/plan/next_runs.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace perfmodel::plan {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Covariances of the candidates with the space and the variances of both, kept up to date as
/// candidates are measured.
class Measuring {
 public:
  Measuring(const Belief& belief, const Design& space, const Design& candidates)
      : belief_(belief), candidates_(belief.at(candidates)) {
    const Places of_space = belief.at(space);
    with_space_ = belief.covariance(of_space, candidates_);
    variances_ = belief.variances(candidates_).cwiseMax(0);
    of_space_ = belief.variances(of_space).cwiseMax(0);
  }

  double variance(Index candidate) const { return variances_[candidate]; }
  /// Mean standard deviation of ln t of a new run in the space.
  double deviation() const { return (of_space_.array() + belief_.noise()).sqrt().mean(); }

  /// By how much each candidate would make that less.
  VectorXd gains() const {
    const Eigen::ArrayXd expected = of_space_.array() + belief_.noise();
    const double now = expected.sqrt().mean();
    VectorXd out(variances_.size());
    for (Index k = 0; k < out.size(); ++k) {
      const double own = variances_[k] + belief_.noise();
      out[k] =
          now -
          (expected - with_space_.col(k).array().square() / own).max(belief_.noise()).sqrt().mean();
    }
    return out;
  }

  void measure(Index candidate) {
    const std::vector<std::size_t> one = {static_cast<std::size_t>(candidate)};
    const Places chosen{.design = take_rows(candidates_.design, one),
                        .prior = candidates_.prior.col(candidate),
                        .learned = candidates_.learned.size() > 0
                                       ? MatrixXd(candidates_.learned.col(candidate))
                                       : MatrixXd()};
    VectorXd with_all = belief_.covariance(candidates_, chosen);
    for (const VectorXd& before : measured_)
      with_all -= before[candidate] * before;
    const double root = std::sqrt(variances_[candidate] + belief_.noise());
    const VectorXd learned = with_all / root;
    const VectorXd learned_of_space = with_space_.col(candidate) / root;
    with_space_.noalias() -= learned_of_space * learned.transpose();
    variances_ = (variances_ - learned.cwiseAbs2()).cwiseMax(0);
    of_space_ = (of_space_ - learned_of_space.cwiseAbs2()).cwiseMax(0);
    measured_.push_back(learned);
  }

 private:
  const Belief& belief_;
  Places candidates_;
  MatrixXd with_space_;  ///< space x candidates
  VectorXd variances_;   ///< of the candidates
  VectorXd of_space_;    ///< variances
  std::vector<VectorXd> measured_;
};

}  // namespace

NextRuns next_runs(const Belief& belief, const Design& space, const Design& candidates,
                   const VectorXd& costs, std::size_t count) {
  Measuring measuring(belief, space, candidates);
  NextRuns out{.deviation = measuring.deviation(), .runs = {}};
  std::vector<bool> used(candidates.rows, false);
  while (out.runs.size() < std::min(count, candidates.rows)) {
    const VectorXd gains = measuring.gains();
    Index best = -1;
    for (Index row = 0; row < gains.size(); ++row)
      if (!used[static_cast<std::size_t>(row)] &&
          (best < 0 || gains[row] * costs[best] > gains[best] * costs[row]))
        best = row;
    const auto chosen = static_cast<std::size_t>(best);
    used[chosen] = true;
    out.runs.push_back({.candidate = chosen,
                        .deviation_gain = gains[best],
                        .log_determinant = std::log1p(measuring.variance(best) / belief.noise())});
    measuring.measure(best);
  }
  return out;
}

}  // namespace perfmodel::plan
