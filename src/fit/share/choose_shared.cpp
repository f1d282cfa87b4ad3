#include "fit/share/choose_shared.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "base/tasks/parallel.hpp"
#include "fit/share/found_form.hpp"
#include "fit/sum/choose/candidate_judge.hpp"
#include "fit/sum/choose/candidate_shapes.hpp"
#include "fit/sum/choose/choice.hpp"
#include "fit/sum/choose/zero_choice.hpp"
#include "fit/sum/terms/regimes.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kRowsOfSharedChoice = 500;
constexpr std::size_t kFewestJudging = 2;
/// From next to no pull, as if every group were alone, to next to no freedom.
constexpr std::array kPulls = {0.01, 0.1, 1.0, 10.0};
constexpr std::array kSizePulls = {0.01, 0.1, 1.0};
/// A further term has to gain more than so many standard errors, as the groups scatter.
constexpr double kClearlyBetter = 1;

/// Each level's typical time is 1.
Design relative_to_typical(Design runs, std::size_t column) {
  const LevelFactor& factor = runs.categorical[column];
  std::vector<double> sums(factor.levels, 0);
  std::vector<double> rows(factor.levels, 0);
  for (std::size_t row = 0; row < runs.rows; ++row) {
    sums[factor.codes[row]] += std::log(runs.time[index(row)]);
    rows[factor.codes[row]] += 1;
  }
  for (std::size_t row = 0; row < runs.rows; ++row)
    runs.time[index(row)] *= std::exp(-sums[factor.codes[row]] / rows[factor.codes[row]]);
  return runs;
}

class SharedChoice {
 public:
  SharedChoice(const SelectionTask& task, std::size_t column, const std::vector<std::size_t>& sizes)
      : task_(task) {
    // All of them would take long; between the smallest and the largest there is no other best.
    std::vector<std::size_t> ends{sizes.front()};
    if (sizes.size() > 1)
      ends.push_back(sizes.back());
    for (std::size_t level = 0; level < task.training.categorical[column].levels; ++level) {
      groups_.push_back(std::make_unique<JudgedGroup>(
          runs_of_level(task.spec, task.training, column, level), ends, task.options));
      if (!groups_.back()->judges())
        groups_.pop_back();
    }
  }

  /// The first that no later one is clearly better than.
  FoundForm best(std::vector<FoundForm> found) const {
    std::size_t out = 0;
    VectorXd least;
    for (std::size_t f = 0; f < found.size(); ++f) {
      found[f].form = with_pulls(found[f].form);
      const VectorXd own = errors(found[f].form);
      if (f == 0 || is_clearly_above_zero(least - own)) {
        least = own;
        out = f;
      }
    }
    return found[out];
  }

 private:
  const SelectionTask& task_;
  std::vector<std::unique_ptr<JudgedGroup>> groups_;

  static bool is_clearly_above_zero(const VectorXd& gain) {
    if (gain.size() == 0)
      return false;
    const double count = std::max(2.0, static_cast<double>(gain.size()));
    const double scatter =
        std::sqrt((gain.array() - gain.mean()).square().sum() / (count * (count - 1)));
    return gain.mean() > kClearlyBetter * scatter;
  }

  /// By group.
  VectorXd errors(const SharedForm& form) const {
    VectorXd out = VectorXd::Zero(index(groups_.size()));
    parallel_for(groups_.size(), task_.options.threads, [&](std::size_t g) {
      if (!task_.options.stop.stop_requested())
        out[index(g)] = groups_[g]->error(form);
    });
    return out;
  }

  /// First that of the powers, then that of the sizes.
  SharedForm with_pulls(SharedForm form) const {
    const auto settle = [&](double SharedForm::*pull, const auto& values) {
      double least = std::numeric_limits<double>::infinity();
      double best = form.*pull;
      for (const double value : values) {
        form.*pull = value;
        if (const double score = errors(form).sum(); score < least) {
          least = score;
          best = value;
        }
      }
      form.*pull = best;
    };
    form.size_pull = kSizePulls[1];
    settle(&SharedForm::pull, kPulls);
    settle(&SharedForm::size_pull, kSizePulls);
    return form;
  }
};

/// What groups of that size say.
std::optional<SharedLead> lead_of(std::size_t rows, const std::vector<GroupLead>& groups) {
  const auto count = static_cast<double>(groups.size());
  if (groups.size() < kFewestJudging)
    return std::nullopt;
  double mean = 0;
  double noise = 0;
  for (const GroupLead& group : groups) {
    mean += group.mean / count;
    noise += group.variance / count;
  }
  double variance = 0;
  for (const GroupLead& group : groups)
    variance += (group.mean - mean) * (group.mean - mean) / (count - 1);
  return SharedLead{rows, mean, std::sqrt(std::max(0.0, variance - noise)), groups.size()};
}

/// The form beside forms of their own, for groups of each size, each judged by what the others say.
std::vector<SharedLead> leads_of(const SelectionTask& task, std::size_t column,
                                 const std::vector<std::size_t>& sizes, const FoundForm& found,
                                 OwnFit own) {
  const std::size_t levels = task.training.categorical[column].levels;
  std::vector<std::vector<std::optional<GroupLead>>> of_group(levels);
  parallel_for(levels, task.options.threads, [&](std::size_t level) {
    const JudgedGroup group(runs_of_level(task.spec, task.training, column, level), sizes,
                            task.options);
    if (!group.judges() || task.options.stop.stop_requested())
      return;
    const SharedForm form = form_without(task, column, level, found);
    for (const std::size_t size : sizes)
      of_group[level].push_back(group.lead(form, own, size));
  });
  std::vector<SharedLead> out;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::vector<GroupLead> groups;
    for (const auto& leads : of_group)
      if (s < leads.size() && leads[s])
        groups.push_back(*leads[s]);
    if (const auto lead = lead_of(sizes[s], groups))
      out.push_back(*lead);
  }
  return out;
}

}  // namespace

SharedForm choose_shared_form(const ModelSpec& spec, const Design& runs, std::size_t column,
                              const std::vector<std::size_t>& sizes, const FitOptions& options,
                              OwnFit own) {
  const Design relative = relative_to_typical(runs, column);
  const ModelSpec counted = with_zeros_counted(spec, relative, options.seed);
  const TermCoordinates coordinates(counted, relative, zero_regimes(counted));
  const SelectionTask task{coordinates, counted, relative, options};
  Candidate chosen = select_shape_of_level(
                         task, make_folds(coordinates, counted, kRowsOfSharedChoice, options.seed))
                         .chosen;
  if (!is_sum(chosen))
    chosen.shape = plain_shape(task, 1, false);
  Candidate plain = chosen;  // logarithms and rings have to pay for every group
  plain.shape = plain_shape(task, chosen.shape.terms, false);
  std::vector<FoundForm> forms = forms_of(task, column, plain);
  if (!same_family(plain, chosen))
    for (FoundForm& form : forms_of(task, column, chosen))
      forms.push_back(std::move(form));
  const FoundForm best = SharedChoice(task, column, sizes).best(std::move(forms));
  SharedForm out = best.form;
  out.groups = counted.categorical[column].levels.size();
  out.rows = runs.rows;
  out.leads = leads_of(task, column, sizes, best, own);
  return out;
}

}  // namespace perfmodel
