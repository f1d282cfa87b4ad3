#include "analysis/plan/information.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "base/random.hpp"

namespace perfmodel::plan {
namespace {

/// Share of a row's unit information that is known of every direction beforehand.
constexpr double kRidge = 1e-6;

/// Columns of unit mean square over the candidates, so that the ridge means the same to all.
Eigen::VectorXd column_scales(const Eigen::MatrixXd& rows) {
  Eigen::VectorXd scales =
      (rows.colwise().squaredNorm() / static_cast<double>(rows.rows())).transpose().cwiseSqrt();
  for (double& scale : scales)
    scale = scale > 0 ? scale : 1;
  return scales;
}

Eigen::MatrixXd in_scales(const Eigen::MatrixXd& rows, const Eigen::VectorXd& scales) {
  return rows * scales.cwiseInverse().asDiagonal();
}

/// X'X with its ridge, inverted, and kept up to date as rows come and go.
class Information {
 public:
  explicit Information(Eigen::Index size)
      : matrix_(Eigen::MatrixXd::Identity(size, size) * kRidge) {}

  void add(const Eigen::VectorXd& row) { matrix_ += row * row.transpose(); }
  void remove(const Eigen::VectorXd& row) { matrix_ -= row * row.transpose(); }
  void invert() {
    inverse_ = matrix_.ldlt().solve(Eigen::MatrixXd::Identity(matrix_.rows(), matrix_.cols()));
  }

  const Eigen::MatrixXd& inverse() const { return inverse_; }
  double log_determinant() const {
    return matrix_.ldlt().vectorD().array().max(1e-300).log().sum();
  }

 private:
  Eigen::MatrixXd matrix_;
  Eigen::MatrixXd inverse_;
};

/// x' M^-1 x of every row.
Eigen::VectorXd variances(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& inverse) {
  return (rows * inverse).cwiseProduct(rows).rowwise().sum();
}

/// What a plan is judged by, per constant: ln det of the information about all constants, and about
/// the scaling powers with all others unknown (D_s), which is det(M) over the determinant of its
/// block of the others.
class Criterion {
 public:
  Criterion(Eigen::MatrixXd rows, const std::vector<Eigen::Index>& others)
      : rows_(std::move(rows)),
        rest_(rows_(Eigen::all, others)),
        all_(rows_.cols()),
        others_(rest_.cols()) {
    const Eigen::Index powers = rows_.cols() - rest_.cols();
    const double share = powers > 0 ? 1 / static_cast<double>(powers) : 0;
    weight_of_all_ = 1 / static_cast<double>(rows_.cols()) + share;
    weight_of_others_ = share;
  }

  void add(Eigen::Index row) {
    all_.add(rows_.row(row).transpose());
    others_.add(rest_.row(row).transpose());
    current_ = false;
  }
  void remove(Eigen::Index row) {
    all_.remove(rows_.row(row).transpose());
    others_.remove(rest_.row(row).transpose());
    current_ = false;
  }

  double value() const {
    return weight_of_all_ * all_.log_determinant() - weight_of_others_ * others_.log_determinant();
  }

  /// The row to take instead of `out`, where one is noticeably better.
  std::optional<std::size_t> best_exchange(Eigen::Index out, const std::vector<bool>& used) {
    if (!current_) {
      all_.invert();
      others_.invert();
      variance_of_all_ = variances(rows_, all_.inverse());
      variance_of_others_ = variances(rest_, others_.inverse());
      current_ = true;
    }
    const Eigen::ArrayXd of_all = log_ratios(rows_, all_.inverse(), variance_of_all_, out);
    const Eigen::ArrayXd of_others = log_ratios(rest_, others_.inverse(), variance_of_others_, out);
    constexpr double least_gain = 1e-5;
    double best_gain = least_gain;
    std::optional<std::size_t> best;
    for (std::size_t in = 0; in < used.size(); ++in) {
      const double gain =
          weight_of_all_ * of_all[index(in)] - weight_of_others_ * of_others[index(in)];
      if (gain > best_gain && !used[in]) {
        best_gain = gain;
        best = in;
      }
    }
    return best;
  }

 private:
  Eigen::MatrixXd rows_;
  Eigen::MatrixXd rest_;  ///< without the scaling powers
  Information all_;
  Information others_;
  double weight_of_all_ = 1;
  double weight_of_others_ = 0;
  bool current_ = false;  ///< inverses and variances are
  Eigen::VectorXd variance_of_all_;
  Eigen::VectorXd variance_of_others_;

  /// ln of what det(X'X) is multiplied by where row `out` makes room for each of the others.
  static Eigen::ArrayXd log_ratios(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& inverse,
                                   const Eigen::VectorXd& variances, Eigen::Index out) {
    const Eigen::VectorXd between = rows * (inverse * rows.row(out).transpose());
    const double out_variance = variances[out];
    return ((1 + variances.array()) * (1 - out_variance) + between.array().square())
        .max(1e-300)
        .log();
  }
};

std::vector<Eigen::Index> all_but_scaling_powers(const Linearisation& linearisation) {
  const std::vector<ConstantInfo> constants = linearisation.form->constants(linearisation.spec);
  std::vector<Eigen::Index> out;
  for (std::size_t k = 0; k < constants.size(); ++k)
    if (constants[k].role != ConstantRole::scaling_power)
      out.push_back(index(k));
  return out;
}

/// The existing configurations, and enough random ones to choose from.
std::vector<Configuration> candidates_of(const DOptimalRequest& request) {
  constexpr std::size_t most_candidates = 6000;
  const std::size_t chosen = request.n - request.existing.size();
  for (std::size_t wanted = std::max(chosen, std::min(most_candidates, 20 * chosen));;
       wanted = std::max(chosen, wanted / 2)) {
    try {
      return random_plan(request.space, request.existing.size() + wanted, request.seed,
                         request.existing)
          .configurations;
    } catch (const std::runtime_error&) {
      if (wanted == chosen)
        throw;  // the space has not got them
    }
  }
}

/// The existing candidates and, at the first start, those behind them; at others random ones.
std::vector<std::size_t> first_choice(std::size_t start, std::size_t candidates,
                                      const DOptimalRequest& request) {
  std::vector<std::size_t> out(candidates);
  std::iota(out.begin(), out.end(), std::size_t{0});
  if (start > 0) {
    RandomStream random(request.seed, "d-optimal", start);
    for (std::size_t slot = request.existing.size(); slot < request.n; ++slot)
      std::swap(out[slot], out[slot + random.below(candidates - slot)]);
  }
  out.resize(request.n);
  return out;
}

PlanStart exchanged(std::vector<std::size_t> in_plan, Criterion criterion, std::size_t candidates,
                    std::size_t fixed) {
  std::vector<bool> used(candidates, false);
  for (const std::size_t row : in_plan) {
    used[row] = true;
    criterion.add(index(row));
  }
  constexpr int most_rounds = 20;
  for (int round = 0; round < most_rounds; ++round) {
    bool exchanged = false;
    for (std::size_t slot = fixed; slot < in_plan.size(); ++slot) {
      const auto better = criterion.best_exchange(index(in_plan[slot]), used);
      if (better) {
        criterion.remove(index(in_plan[slot]));
        criterion.add(index(*better));
        used[in_plan[slot]] = false;
        in_plan[slot] = *better;
        used[in_plan[slot]] = true;
        exchanged = true;
      }
    }
    if (!exchanged)
      break;
  }
  return {std::move(in_plan), criterion.value()};
}

}  // namespace

std::optional<Plan> d_optimal_plan(const DOptimalRequest& request,
                                   const TaskHooks<PlanStart>& hooks) {
  const std::vector<Configuration>& existing = request.existing;
  if (existing.size() >= request.n)
    return Plan{existing, 0};
  const std::vector<Configuration> candidates = candidates_of(request);
  const Linearisation& linearisation = request.linearisation;
  Eigen::MatrixXd rows = linearisation.form->log_slopes(
      linearisation.spec, linearisation.constants,
      make_design(table_of(request.space, candidates), linearisation.spec, Target::absent));
  rows = in_scales(rows, column_scales(rows));
  const Criterion empty(rows, all_but_scaling_powers(linearisation));
  const auto starts = run_tasks<PlanStart>(
      request.starts, request.threads, hooks, [&](std::size_t start) -> std::optional<PlanStart> {
        return exchanged(first_choice(start, candidates.size(), request), empty, candidates.size(),
                         existing.size());
      });
  const PlanStart* best = nullptr;
  for (const auto& start : starts)
    if (start && (best == nullptr || start->information > best->information))
      best = &*start;
  if (best == nullptr)
    return std::nullopt;
  Plan plan{existing, 0};
  for (std::size_t slot = existing.size(); slot < request.n; ++slot)
    plan.configurations.push_back(candidates.at(best->candidates.at(slot)));
  return plan;
}

}  // namespace perfmodel::plan
