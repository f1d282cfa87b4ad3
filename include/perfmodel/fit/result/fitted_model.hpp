#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/base/sentence.hpp"
#include "perfmodel/data/metrics.hpp"
#include "perfmodel/export/formula_language.hpp"
#include "perfmodel/fit/result/certainty.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/columns/failed_runs.hpp"
#include "perfmodel/model/columns/left_out/left_out_column.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/central_run.hpp"
#include "perfmodel/model/design/configuration.hpp"
#include "perfmodel/model/design/design.hpp"
#include "perfmodel/model/design/replicates.hpp"
#include "perfmodel/model/design/unmeasured.hpp"

namespace perfmodel {

class Form;

/// Eq. (4).
std::shared_ptr<const Form> generic_form();

/// Something the reader of a fitted model should know before believing it.
struct Warning {
  std::string kind;      ///< "at_bound", "flat_direction", "few_rows", "untrained_level", ...
  std::string constant;  ///< "p[pool_size]"; empty where the warning is about no single constant
  Sentence message;      ///< a whole one
};

/// How a form that was a candidate predicts runs that it was not fitted to.
struct HeldOutErrors {
  std::string form;                ///< "generic", "multi", "process"
  double random = 0;               ///< mean |ln(predicted / measured)| of random parts
  std::optional<double> far_ends;  ///< of the largest values of scales, where they are held out
};

/// How the form of a model came about.
struct FormChoice {
  bool given = false;          ///< asked for, not chosen
  std::size_t candidates = 0;  ///< forms that were judged on held-out rows
  std::size_t random_folds = 0;
  std::size_t far_folds = 0;  ///< that hold out the largest values of a scale
  /// Where a process was a candidate: Eq. (4), the trend alone, and the trend with the process.
  std::vector<HeldOutErrors> held_out = {};
};

/// A normal distribution that a hyper-parameter of a residual process comes from.
struct HyperPriorFacts {
  std::string of;  ///< "ln(1 / length)"
  double mean = 0;
  double standard_deviation = 0;
};

/// How single runs scatter about trend and process, on the scale of logarithms. Under Student's t
/// (4 degrees of freedom) runs that were disturbed count for little.
enum class ProcessNoise { normal, student_t };

std::string_view to_text(ProcessNoise noise);

/// How the hyper-parameters of a residual process were found.
struct ProcessSearch {
  std::string objective;  ///< in words
  std::vector<HyperPriorFacts> priors;
  std::size_t rows = 0;  ///< configurations at most that the likelihood was computed from
  ProcessNoise noise = ProcessNoise::normal;
  std::size_t outliers = 0;  ///< runs that count for less than a fifth of a run
};

/// Of a group beside others with a form for all: whether it has that one or one of its own.
struct FormSharing {
  bool shared = false;
  bool by_own_rows = false;    ///< its own rows told, not those of groups of as many alone
  std::optional<double> lead;  ///< that is expected of the shared form, see SharedLead
};

/// How the constants were found.
struct SearchSummary {
  Method method = Method::scaled;
  Loss loss = Loss::mae;
  Penalty penalty;
  std::uint64_t seed = 1;
  std::string strategy;
  std::size_t starts = 1;
  std::size_t population = 0;   ///< members
  std::size_t generations = 0;  ///< done, of the start that was kept
  std::size_t evaluations = 0;  ///< of the objective, over all starts, finish included
  std::string termination;
  double polish_gain = 0;  ///< share of the cost that the exact finish took off
  double gap = 0;          ///< share of the cost that a first-order step could still gain
  /// Loss plus penalties at the constants, over the training rows.
  double cost = 0;
  std::optional<FormChoice> form;  ///< of a sum of product terms, and of Eq. (4) that was chosen
  /// Of a sum: lambda of the squared penalty that was chosen together with its form, one per level
  /// where each has terms of its own. Empty where the constants minimise a loss that was asked for.
  std::vector<double> ridges;
  std::optional<ProcessSearch> process;  ///< of a form with a residual process: loss and penalty
                                         ///< are those of the trend's start
  std::optional<FormSharing> sharing{};  ///< where there is a form for all groups
};

/// Metrics of each part of the data; a part without rows has none.
struct PartMetrics {
  Metrics train;
  std::optional<Metrics> validation;
  std::optional<Metrics> test;
};

/// One of several files that are one table.
struct DataFile {
  std::string file;  ///< base name
  std::size_t rows = 0;
  std::string sha256;  ///< of its bytes
};

/// Where the data came from: reproducible facts only.
struct Provenance {
  std::string tool;                  ///< "perfmodel 0.1.0"
  std::string file;                  ///< base name of the runs file; "-" for standard input
  std::size_t rows = 0;              ///< of the file, without those that failed
  std::string sha256;                ///< of its bytes; of several files, one after the other
  std::vector<Sentence> notices;     ///< what was inferred about its columns
  std::vector<DataFile> files{};     ///< where there are several
  std::vector<FailedRuns> failed{};  ///< runs that are left out
};

/// A model ready to predict: the spec, its form, the constants in the units of the data and how
/// they were found.
struct FittedModel {
  ModelSpec spec;
  std::shared_ptr<const Form> form = generic_form();  ///< never null
  Eigen::VectorXd constants;                          ///< in the order of form->constants()
  /// The configuration of the central run, where scaling powers depend on one: those of a sum of
  /// product terms, and those of Eq. (4) where a column is derived from a scale.
  std::optional<Configuration> typical;
  std::optional<CentralRun> central;  ///< of the training rows; older files do not tell it
  std::vector<LeftOut> left_out;      ///< columns of the runs that are no inputs
  PartMetrics metrics;
  /// Of models that were fitted here; not known of those that were read without it.
  std::optional<Identifiability> identifiability;
  std::optional<Uncertainty> uncertainty;  ///< where a bootstrap was asked for
  std::optional<NoiseFloor> noise_floor;   ///< of the training rows, where some are replicates
  std::optional<RepeatSummary> repeats;    ///< where the fit was repeated with several seeds
  std::optional<CrossValidation> cross_validation;
  std::optional<PredictionIntervals> intervals;
  std::vector<UnmeasuredRegion> unmeasured;
  SearchSummary search;
  std::vector<Warning> warnings;
  Provenance provenance;
};

/// "a[filters]", "C": one per constant, in their order.
std::vector<std::string> constant_names(const FittedModel& model);

/// d ln t / d ln E_j, one per extrinsic column, at the typical configuration; of Eq. (4) the powers
/// q of its scalable part. Where columns are derived from E_j, power_through_derived().
std::vector<double> scaling_powers(const FittedModel& model);

/// A scale that columns are derived from, varied around the typical configuration: from half a
/// doubling below to half a doubling above (within the measured range), with these columns computed
/// anew. A derivative would not see the steps of a ceil().
struct ScaleStep {
  Configuration below;
  Configuration above;
  double log_ratio = 0;  ///< ln of the upper scale over the lower one
};

/// Nothing where no column is derived from the scale, and where they cannot be computed.
std::optional<ScaleStep> step_through_derived(const FittedModel& model, std::size_t extrinsic);

/// How the time, of Eq. (4) its scalable part, answers to a scale that columns are derived from:
/// its power over step_through_derived(). Nothing where there is none.
std::optional<double> power_through_derived(const FittedModel& model, std::size_t extrinsic);

/// The whole model in a language. Throws InputError for a derived column whose formula the language
/// cannot be given.
std::string formula_code(const FittedModel& model, FormulaLanguage language);

/// Predicted time of every row of a design made with the model's spec.
Eigen::VectorXd predict(const FittedModel& model, const Design& design);

/// Whether a predicted value is a time: a model can reach 0 or less where it extrapolates, and
/// overflow a double.
bool is_time(double predicted);

/// Share of each of Form::parts() in the predicted time, summed over the rows of the design, in
/// percent.
std::vector<double> time_shares(const FittedModel& model, const Design& design);

}  // namespace perfmodel
