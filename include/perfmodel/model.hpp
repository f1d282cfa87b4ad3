#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/knowledge.hpp"
#include "perfmodel/provenance.hpp"

namespace perfmodel {

/// A message that the reader of a fitted model should see before trusting it.
struct Warning {
  std::string kind;      ///< "at_bound", "flat_direction", "few_rows", "untrained_level", ...
  std::string constant;  ///< "p[pool_size]"; empty if it is not about a single constant
  std::string message;   ///< a whole sentence
};

class Form;

/// Eq. (4).
std::shared_ptr<const Form> eq4_form();

class FailureModel;
class ScalingBelief;

/// A model ready to predict: the spec, its form, the constants in the units of the data, what is
/// known about it, and how it came about.
struct FittedModel {
  ModelSpec spec;
  std::shared_ptr<const Form> form = eq4_form();  ///< never null
  Eigen::VectorXd constants;                      ///< in the order of form->constants()
  /// The configuration of the central run, if scaling powers depend on one: for a sum of product
  /// terms, and for Eq. (4) with a column derived from a scale.
  std::optional<Configuration> typical;
  std::optional<CentralRun> central;  ///< of the training rows; older files lack it
  /// What the runs say without the formula, of models with intervals; null in older files.
  std::shared_ptr<const ScalingBelief> belief;
  std::optional<Bound> bound;  ///< if the predictions are bounds
  /// The probability that a run fails, if enough of the runs did; else null.
  std::shared_ptr<const FailureModel> failures;
  ModelKnowledge known;
  SearchSummary search;
  std::vector<Warning> warnings;
  Provenance provenance;
};

/// "a[filters]", "C": one per constant, in their order.
std::vector<std::string> constant_names(const FittedModel& model);

/// d ln t / d ln E_j, one per extrinsic column, at the typical configuration; for Eq. (4) the
/// powers q of its scalable part. If columns are derived from E_j: power_through_derived().
std::vector<double> scaling_powers(const FittedModel& model);

/// A finite difference in a scale from which columns are derived, since a derivative would not see
/// the steps of a ceil(): the typical configuration half a doubling below and above (within the
/// measured range), with derived columns computed anew.
struct ScaleStep {
  Configuration below;
  Configuration above;
  double log_ratio = 0;  ///< ln(upper scale / lower scale)
};

/// nullopt if no column is derived from the scale, or if derived columns cannot be computed.
std::optional<ScaleStep> step_through_derived(const FittedModel& model, std::size_t extrinsic);

/// The power of the time (Eq. (4): of its scalable part) over step_through_derived(), if any.
std::optional<double> power_through_derived(const FittedModel& model, std::size_t extrinsic);

/// The predicted time of every row of a design that was made with the model's spec.
Eigen::VectorXd predict(const FittedModel& model, const Design& design);

/// Whether a predicted value is a valid time: extrapolation can give 0, less, or overflow.
bool is_time(double predicted);

/// The share in the predicted time of each of Form::parts(), summed over the rows of the design, in
/// percent.
std::vector<double> time_shares(const FittedModel& model, const Design& design);

/// The model as model.json (schema perfmodel/model, version 1), with a final newline. Numbers
/// round-trip. Throws std::logic_error for a value that is not finite, except r2, which is
/// undefined if all measured times are equal and is then null.
std::string to_json(const FittedModel& model);

/// Reads model.json ("-" is standard input). Throws InputError, which names file and field and, if
/// the schema is newer than this program, advises what to do.
FittedModel read_model(const std::string& path);

}  // namespace perfmodel
