#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/central/doubling.hpp"
#include "analysis/constants/constant_table.hpp"
#include "analysis/errors/error_groups.hpp"
#include "analysis/page/effects.hpp"
#include "analysis/page/errors.hpp"
#include "analysis/page/run_groups.hpp"
#include "analysis/page/scale_curve.hpp"
#include "analysis/page/time_parts.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "trust/form_check.hpp"

namespace perfmodel::page {

/// A file by what is the same on every machine.
struct FileFacts {
  std::string file;  ///< base name
  std::size_t rows = 0;
  std::string sha256;       ///< empty where it is not known
  bool is_sampled = false;  ///< the page judges a sample of the rows, evenly spread
};

/// How another model does on the same runs.
struct Comparison {
  std::string model_file;  ///< base name of the other one
  Metrics metrics;         ///< its own
  /// Of the mean errors in percent: this model's less the other's, and where that may lie on other
  /// runs like these.
  double difference = 0;
  std::optional<Interval> interval;
  double confidence = 0;    ///< of the interval
  double nearer_share = 0;  ///< of the runs this model predicts better
};

/// A model and the runs that it is held against.
struct Source {
  const FittedModel& model;
  std::string tool;        ///< that writes the report: "perfmodel 0.1.0"
  std::string model_file;  ///< base name
  FileFacts runs;
  const std::vector<std::uint32_t>& lines;  ///< of the runs in their file
  const Design& design;
  const Eigen::VectorXd& predicted;
  Metrics metrics;
  std::vector<std::string> range_findings;   ///< where the runs leave what was measured
  std::optional<std::string> left_out = {};  ///< in words, the rows that have no predicted time
  std::optional<Comparison> comparison = {};
  std::string options = {};  ///< of the command that writes the page, as a shell takes them
};

/// Metrics of one part of the data.
struct Part {
  std::string name;  ///< "training", "validation", "test", "mean of 5 folds"
  Metrics metrics;
};

/// Constants that belong together.
struct ConstantGroup {
  std::string name;  ///< of the input or the term
  std::vector<ConstantRow> constants;
};

/// The model's prediction intervals on the runs.
struct IntervalCoverage {
  double level = 0;    ///< promised share
  double covered = 0;  ///< share of the runs that lie inside
  Interval factors;    ///< the time of the typical configuration times these is its interval
  /// What a new configuration can expect, where the model says so and configurations differ in it.
  std::optional<Interval> usual;
  bool differ = false;  ///< each configuration has factors of its own
};

/// An input of the typical configuration.
struct Setting {
  std::string column;
  std::string value;
};

/// The configuration at which the answers are given.
struct TypicalConfiguration {
  Configuration configuration;
  bool of_the_fit = false;  ///< as the model has it; else the central one of the runs
  std::string place;        ///< "the run of line 212"
  std::vector<Setting> settings;
  std::optional<double> time;  ///< predicted; nothing where the model gives no time
};

/// All that a report says, computed; how it is laid out is not decided here.
struct Content {
  const FittedModel& model;
  std::string tool;
  std::string model_file;
  std::string options;
  FileFacts runs;
  bool fitted_to_these_runs = false;  ///< to this very file, or parts of it
  std::optional<FormCheck>
      other_form;  ///< of Eq. (4), where products predict these runs far better
  std::vector<std::string> range_findings;
  std::optional<std::string> left_out;    ///< rows of the runs, in words
  Metrics metrics;                        ///< of the runs
  std::vector<Part> parts;                ///< as the model has them
  std::optional<NoiseFloor> noise_floor;  ///< of the runs
  std::optional<IntervalCoverage> intervals;
  double shortest_time = 0;  ///< measured
  double median_time = 0;
  double longest_time = 0;
  Errors errors;
  std::vector<ErrorsAlong> errors_along;
  std::vector<std::vector<Setting>> worst_settings;  ///< of errors.worst
  std::vector<Share> shares;
  std::optional<TimeSteps> steps;         ///< of the typical configuration
  std::optional<double> process_percent;  ///< how much a residual process changes times
  TypicalConfiguration typical;
  std::vector<Effect> effects;  ///< on the time of the typical configuration
  std::vector<ScalingPower> powers;
  std::vector<Doubling> doublings;  ///< of the typical configuration
  std::vector<ScaleCurve> curves;
  std::optional<RunGroups> groups;
  std::vector<ConstantGroup> constants;
  std::vector<LevelDifference> differences;
  std::optional<Comparison> comparison;
  std::string formula;  ///< as `show` prints it
  std::string latex;
};

constexpr std::size_t kWorstRows = 10;

/// The result refers to the model of the source.
Content content_of(const Source& source);

}  // namespace perfmodel::page
