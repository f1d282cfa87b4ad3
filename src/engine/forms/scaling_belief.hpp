#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gp/scaling_process.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

class Fields;
struct FittedModel;

/// The log times of new runs as runs and formula let expect them: one per row.
struct BelievedTimes {
  Eigen::VectorXd mean;
  Eigen::VectorXd deviation;  ///< at the nearest configuration within the measured ranges
  Eigen::VectorXd beyond;     ///< what is added to it in quadrature outside of them
};

/// What the runs say of other runs without a formula: a ScalingProcess of the inputs of a model.
/// Immutable, so that models share it.
class ScalingBelief {
 public:
  /// More runs say little more of what lies between them, and cost the cube.
  static constexpr std::size_t kMostKnown = 128;

  /// Of at most kMostKnown configurations, drawn by the seed.
  ScalingBelief(const ModelSpec& spec, const Design& runs, std::uint64_t seed);

  /// How many configurations are behind the belief.
  std::size_t configurations() const { return configurations_; }

  /// The belief after other runs: the settings of the process are weighted anew.
  ScalingBelief after(const ModelSpec& spec, const Design& runs,
                      std::size_t most = kMostKnown) const;
  ScalingBelief with(double share_of_formula, double spread = 1, double widening = 1) const;

  /// Weight of the formula in predictions: the rest is the mean of the process.
  double share_of_formula() const { return share_of_formula_; }
  /// Of deviations, by what held-out runs say of them: within the measured ranges, and beyond.
  double spread() const { return spread_; }
  /// Median deviation of held-out runs: that of a new configuration like the known ones.
  double held_out_deviation() const { return held_out_deviation_; }
  ScalingBelief with_held_out_deviation(double deviation) const;
  double widening() const { return widening_; }
  /// At most kMostKnown configurations, with their median times.
  const Design& known() const { return known_; }
  const gp::ScalingProcess& of_runs() const { return *process_; }

  /// ln of the process's times.
  gp::LogTimes process(const ModelSpec& spec, const Design& design) const;

  /// ln of the ratio of times between two configurations per row.
  gp::LogTimes log_ratios(const ModelSpec& spec, const Design& from, const Design& to) const;

  /// `formula`: ln of its times. The mean of both opinions, weighted; half of their difference is a
  /// further deviation.
  Eigen::VectorXd averaged(const ModelSpec& spec, const Design& design,
                           const Eigen::VectorXd& formula) const;
  /// averaged() with its deviations. `within`: the design with its numbers moved to where runs are
  /// known, such as within_ranges(); `formula_within`: at that.
  BelievedTimes beside(const ModelSpec& spec, const Design& design, const Design& within,
                       const Eigen::VectorXd& formula, const Eigen::VectorXd& formula_within) const;

  /// Reads or writes the field of model.json; the context of `f` is the model.
  static void describe(Fields& f, std::shared_ptr<const ScalingBelief>& belief);

 private:
  Design known_;                    ///< one row per configuration, with its median time
  std::vector<double> counts_;      ///< its runs
  std::vector<double> deviations_;  ///< standard deviation of their log times
  std::uint64_t seed_ = 1;
  std::size_t configurations_ = 0;
  std::shared_ptr<const gp::ScalingProcess> process_;
  double share_of_formula_ = 1;
  double spread_ = 1;
  double widening_ = 1;
  double held_out_deviation_ = 0;

  ScalingBelief() = default;
  gp::KnownRuns know(const ModelSpec& spec, const Design& runs, std::size_t most);
  gp::KnownRuns known_runs(const ModelSpec& spec) const;
};

/// A formula that is off by more than this many deviations of the process, and kMostMore, counts as
/// off by that: a power that few runs do not determine may predict anything.
inline constexpr double kMostDeviations = 6;
inline constexpr double kMostMore = 3;

/// Whether a model predicts an average of its formula and the process.
bool is_averaged(const FittedModel& model);

/// Whether predictions are not those of the formula alone.
bool has_more_than_formula(const FittedModel& model);

/// "the formula is 63 % of a prediction, a process of the runs the rest"; empty if the formula is
/// all.
std::string averaging_in_words(const FittedModel& model);

/// By what predictions differ from the formula, per row: the factor of a residual GP, and of the
/// average with the process. nullopt of a model that predicts what its formula does.
std::optional<Eigen::VectorXd> correction_factors(const FittedModel& model, const Design& design);

/// The value that a 0 counts as: half of the smallest one above it.
double least_believed(const NumericInput& input);

/// The design with every number moved to its measured range.
Design within_ranges(const ModelSpec& spec, const Design& design);

}  // namespace perfmodel
