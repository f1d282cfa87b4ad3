#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/fit_options.hpp"

namespace perfmodel {

/// Errors of a candidate form on runs held out of its fit.
struct HeldOutErrors {
  std::string form;                           ///< "generic", "multi", "process"
  double random = 0;                          ///< mean |ln(predicted / measured)| in random folds
  std::optional<double> extrapolation_folds;  ///< in extrapolation folds, if there are any
};

/// How the form of a model was selected.
struct FormChoice {
  bool given = false;          ///< requested by the user, not selected
  std::size_t candidates = 0;  ///< forms that were judged on held-out rows
  std::size_t random_folds = 0;
  std::size_t extrapolation_folds =
      0;  ///< extrapolation folds: hold out the largest values of a scale
  /// If a GP was a candidate: Eq. (4), the trend alone, and the trend with the GP.
  std::vector<HeldOutErrors> held_out = {};
};

/// The normal prior of a hyper-parameter of a GP residual.
struct HyperPriorFacts {
  std::string of;  ///< "ln(1 / length)"
  double mean = 0;
  double standard_deviation = 0;
};

/// The distribution of single runs about trend and GP, on the scale of logarithms. Under Student's
/// t (4 degrees of freedom), disturbed runs have small weights.
enum class GpNoise { normal, student_t };

constexpr auto texts_of(GpNoise) {
  using enum GpNoise;
  return std::to_array<EnumText<GpNoise>>({{normal, "normal"}, {student_t, "student_t"}});
}

/// How the hyper-parameters of a GP residual were found.
struct GpSearch {
  std::string objective;  ///< in words
  std::vector<HyperPriorFacts> priors;
  std::size_t rows = 0;  ///< number of configurations, at most, in the likelihood
  GpNoise noise = GpNoise::normal;
  std::size_t outliers = 0;  ///< runs with a weight below 0.2
};

/// How far the powers of a column, or the factors (no column), may move from an earlier model.
struct PriorFreedom {
  std::string column;
  double freedom = 1;  ///< multiplies the prior standard deviations
};

/// How an earlier model was adapted to other runs.
struct PriorFacts {
  std::string file;      ///< base name of the runs that it was fitted to
  std::size_t rows = 0;  ///< their number
  double factor = 1;     ///< geometric mean, over the runs, of new over old predictions
  double deviation = 0;  ///< standard deviation of ln(time) of single runs
  std::vector<PriorFreedom> freedoms;
};

/// How the constants were found.
struct SearchSummary {
  Method method = Method::scaled;
  FitObjective objective;
  std::uint64_t seed = 1;
  std::string strategy;
  std::size_t starts = 1;
  std::size_t population = 0;   ///< members
  std::size_t generations = 0;  ///< of the start that was kept
  std::size_t evaluations = 0;  ///< of the objective, over all starts, including local refinement
  std::string termination;
  double polish_gain = 0;  ///< share of the cost that local refinement removed
  double gap = 0;          ///< optimality gap: share of the cost that a first-order step could gain
  /// Loss plus penalties at the constants, over the training rows; for a bound, before its factor.
  double cost = 0;
  std::optional<FormChoice> form;  ///< of a sum of product terms, and of Eq. (4) if it was selected
  /// For a sum: lambda of the squared penalty that was selected with its form, one per level if
  /// each level has terms of its own. Empty if the constants minimise a loss that was requested.
  std::vector<double> ridges;
  /// Set for a form with a GP residual; loss and penalty are then those of the trend's initial fit.
  std::optional<GpSearch> gp;
  std::optional<PriorFacts> prior;  ///< set if an earlier model was adapted
};

/// One of several files that make up a table.
struct DataFile {
  std::string file;  ///< base name
  std::size_t rows = 0;
  std::string sha256;  ///< of its bytes
};

/// Runs that were ended at their limits, and entered the fit as longer than these.
struct CutRuns {
  std::size_t rows = 0;
  std::string limit;  ///< the column of the limits, or the limit; empty: from the cells (">3600")
  /// Standard deviation of ln(time) about the predictions by which the times of the runs that were
  /// cut off are expected; 0 if the loss is of absolute errors.
  double deviation = 0;
};

/// The origin of the data: reproducible facts only.
struct Provenance {
  std::string tool;                  ///< "perfmodel 0.1.0"
  std::string file;                  ///< base name of the runs file; "-" for standard input
  std::size_t rows = 0;              ///< rows of the file, without failed runs
  std::string sha256;                ///< of its bytes; of several files, concatenated
  std::vector<std::string> notices;  ///< what was inferred about its columns
  std::vector<DataFile> files{};     ///< if there are several
  std::vector<FailedRuns> failed{};  ///< runs that are excluded
  /// Marks of the content of each row of the fit, see row_marks(); empty: unknown or too many.
  std::vector<std::uint32_t> row_marks{};
  std::vector<LeftOut> left_out{};    ///< excluded columns of the runs
  std::vector<ColumnDoubt> doubts{};  ///< of the columns that the evidence decides
  ReadingRules reading{};             ///< of the runs; older files lack it
  std::optional<CutRuns> cut{};       ///< if runs that were cut off entered the fit
};

}  // namespace perfmodel
