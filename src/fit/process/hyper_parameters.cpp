#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/tasks/parallel.hpp"
#include "fit/process/hyper_search.hpp"
#include "fit/process/observed.hpp"
#include "fit/process/residual_process.hpp"
#include "fit/process/student_noise.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

constexpr std::size_t kFirstIterations = 40;  ///< of each start
/// Of fewer rows, those that are hardest to predict are not told from disturbed ones.
constexpr Index kFewestForTails = 60;
/// Of a sample, to let more of what is peculiar pass for noise must gain this much: all rows know
/// more of it.
constexpr double kClearGain = 0.9;
/// What passes through disturbed runs gains next to nothing from where it is.
constexpr double kHardlyBetter = 0.99;
constexpr std::size_t kIterationsUnderTails = 25;
constexpr Index kMostToDecide = 2000;
/// Half of them decide in an eighth of the time where the mean gain or loss is so many of its
/// standard errors.
constexpr double kSurely = 2.5;
/// Of few rows, a search from nothing costs little and is misled the easiest.
constexpr Index kMostToSearchAnew = 400;

Rows first_of(const Rows& rows, Index most) {
  const auto count = std::min(rows.size(), static_cast<std::size_t>(most));
  return {rows.begin(), rows.begin() + index(count)};
}

/// From few rows to many: the best of three starts on the fewest, from there on on twice as many,
/// and so on.
HyperResult best_hyper(const std::function<Observations(Index rows)>& sample, Index most,
                       const ProcessOptions& options) {
  Index rows = std::min(options.start_rows, most);
  HyperResult best;
  if (options.start) {
    best.hyper = *options.start;
    rows = std::max<Index>(most / 2, 1);
  } else {
    const Observations few = sample(rows);
    std::array<HyperResult, 3> results;
    parallel_for(results.size(), options.threads, [&](std::size_t i) {
      results[i] =
          climb(few, i == 2 ? lively_start(few) : hyper_start(few, i == 0 ? 0.5 : 0.05),
                rows < most ? kFirstIterations : options.iterations, options.threads, options.stop);
    });
    std::size_t evaluations = 0;
    best = results[0];
    for (const HyperResult& result : results) {
      evaluations += result.evaluations;
      if (result.cost < best.cost)
        best = result;
    }
    best.evaluations = evaluations;
  }
  while (rows < most) {
    rows = 2 * rows < most ? 2 * rows : most;
    const std::size_t before = best.evaluations;
    best = climb(sample(rows), best.hyper, rows < most ? kFirstIterations : options.iterations,
                 options.threads, options.stop);
    best.evaluations += before;
  }
  return best;
}

/// Of predictions, `off` being ln(time / prediction).
VectorXd relative_errors(const VectorXd& off) {
  return ((-off.array()).exp() - 1).abs();
}

/// The mean, of which nothing but the sign is known where all are equal.
double in_standard_errors(const VectorXd& values) {
  const double mean = values.mean();
  const double variance =
      (values.array() - mean).square().mean() / static_cast<double>(values.size());
  return mean / std::sqrt(std::max(variance, std::numeric_limits<double>::min()));
}

/// Takes noise with heavy tails where the errors at left-out rows have such, and left-out rows are
/// predicted better then. What is peculiar to a few configurations looks like tails, too, and is no
/// noise.
class TailsOfNoise {
 public:
  TailsOfNoise(const Inputs& coordinates, const Trend& trend, const MergedRows& rows, Rows chosen,
               const ProcessOptions& options)
      : coordinates_(coordinates),
        trend_(trend),
        rows_(rows),
        chosen_(std::move(chosen)),
        options_(options) {}

  /// Whether they were taken: `best` is the optimum under them, then.
  bool taken(HyperResult& best) const {
    if (index(chosen_.size()) < kFewestForTails || options_.stop.stop_requested())
      return false;
    const Observations seen = observed(coordinates_, rows_, trend_, chosen_);
    const LeftOut normal = left_out(seen, best.hyper, options_.threads);
    if (!has_heavy_tails(normal.off.cwiseQuotient(normal.deviation)))
      return false;
    const double usual = normal.off.lpNorm<1>();
    Found found = climbed(rows_, best.hyper);
    best.evaluations += found.at.evaluations;
    if (index(chosen_.size()) <= kMostToSearchAnew || found.error > kHardlyBetter * usual) {
      Found anew = searched_anew();
      best.evaluations += anew.at.evaluations;
      if (anew.error < kClearGain * found.error)
        found = std::move(anew);
    }
    if (!(found.error < usual) || !holds_among_many(best.hyper, found.at.hyper))
      return false;
    best.hyper = std::move(found.at.hyper);
    best.cost = found.at.cost;
    return true;
  }

 private:
  struct Found {
    HyperResult at;
    double error = 0;  ///< sum over the left-out rows
  };

  /// Of the errors of left-out rows, in standard errors of their means.
  struct Gain {
    double absolute = 0;
    double relative = 0;
  };

  const Inputs& coordinates_;
  const Trend& trend_;
  const MergedRows& rows_;
  Rows chosen_;
  const ProcessOptions& options_;

  /// Whether more rows are predicted better, too, also where time is short: among few rows, what is
  /// peculiar to some is as hard to predict as noise.
  bool holds_among_many(const VectorXd& normal, const VectorXd& heavy) const {
    const Rows many = sampled_rows(rows_.rows(), kMostToDecide, options_.seed);
    if (many.size() <= chosen_.size())
      return true;
    const Rows half = first_of(many, kMostToDecide / 2);
    if (chosen_.size() < half.size() && 4 * half.size() < 3 * many.size()) {
      const Gain gain = gain_of_tails(normal, heavy, half);
      if (std::min(gain.absolute, gain.relative) > kSurely)
        return true;
      if (std::min(gain.absolute, gain.relative) < -kSurely)
        return false;
    }
    const Gain gain = gain_of_tails(normal, heavy, many);
    return gain.absolute > 0 && gain.relative > 0;
  }

  Gain gain_of_tails(const VectorXd& normal, const VectorXd& heavy, const Rows& many) const {
    const Observations seen = observed(coordinates_, rows_, trend_, many);
    const HyperLayout layout(seen);
    MergedRows weighed = rows_;
    weigh_rows(coordinates_, trend_, many, layout.kernel(heavy), layout.group_deviations(heavy),
               options_.threads, weighed);
    const LeftOut under_tails =
        left_out(observed(coordinates_, weighed, trend_, many), heavy, options_.threads);
    const VectorXd off = under_tails.off + rows_.y(many) - weighed.y(many);
    const VectorXd usual = left_out(seen, normal, options_.threads).off;
    return {.absolute = in_standard_errors(usual.cwiseAbs() - off.cwiseAbs()),
            .relative = in_standard_errors(relative_errors(usual) - relative_errors(off))};
  }

  /// From where no process has passed through disturbed runs yet.
  Found searched_anew() const {
    MergedRows weighed = rows_;
    weigh_by_trend(coordinates_, trend_, chosen_, weighed);
    ProcessOptions from_nothing = options_;
    from_nothing.start.reset();
    HyperResult first = best_hyper(
        [&](Index most) {
          return observed(coordinates_, weighed, trend_, first_of(chosen_, most));
        },
        index(chosen_.size()), from_nothing);
    Found out = climbed(std::move(weighed), std::move(first.hyper));
    out.at.evaluations += first.evaluations;
    return out;
  }

  Found climbed(MergedRows weighed, VectorXd hyper) const {
    weigh_rows_and_noise(coordinates_, trend_, chosen_, options_.threads, hyper, weighed);
    const Observations seen = observed(coordinates_, weighed, trend_, chosen_);
    HyperResult at = climb(seen, hyper, kIterationsUnderTails, options_.threads, options_.stop);
    const VectorXd off =
        left_out(seen, at.hyper, options_.threads).off + rows_.y(chosen_) - weighed.y(chosen_);
    return {.at = std::move(at), .error = off.lpNorm<1>()};
  }
};

}  // namespace

std::vector<Coordinate> process_coordinates(const Inputs& inputs,
                                            const std::vector<CoordinateForm>& forms) {
  std::vector<Coordinate> out;
  for (Index j = 0; j < inputs.numbers.cols(); ++j) {
    VectorXd values = inputs.numbers.col(j);
    std::sort(values.begin(), values.end());  // the sums must not depend on the order of the rows
    out.push_back(standardised(
        forms.empty() ? usual_form(values) : forms[static_cast<std::size_t>(j)], values));
  }
  return out;
}

HyperParameters search_hyper_parameters(const Inputs& inputs, const VectorXd& y, const Trend& trend,
                                        const ProcessOptions& options) {
  HyperParameters out;
  out.coordinates = process_coordinates(inputs, options.forms);
  const Inputs coordinates = placed(inputs, out.coordinates);
  const MergedRows rows = MergedRows::of(coordinates, y, options.run_weights);
  const Rows order = sampled_rows(rows.rows(), options.hyper_rows, options.seed);
  const auto sample = [&](Index most) {
    return observed(coordinates, rows, trend, first_of(order, most));
  };
  HyperResult best = best_hyper(sample, index(order.size()), options);
  out.heavy_tails = options.run_weights.size() > 0 ||
                    TailsOfNoise(coordinates, trend, rows, order, options).taken(best);
  const Observations all = sample(index(order.size()));
  const HyperLayout layout(all);
  out.kernel = layout.kernel(best.hyper);
  out.group_deviations = layout.group_deviations(best.hyper);
  out.level_deviation = std::sqrt(kLevelVariance * all.spread);
  out.position = best.hyper;
  out.cost = best.cost;
  out.evaluations = best.evaluations;
  return out;
}

}  // namespace perfmodel::process
