#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "perfmodel/spec.hpp"

namespace perfmodel {

/// The values of a numeric column over the rows of a design. Columns of few distinct values are
/// coded, so that work can be done once per distinct value; others have a value per row.
struct NumericFactor {
  /// Columns of at most this many distinct values are coded.
  static constexpr std::size_t most_coded = 4096;

  std::vector<double> values;        ///< coded: distinct values, ascending; else one per row
  std::vector<std::uint32_t> codes;  ///< row -> index into `values`; empty if not coded

  bool coded() const { return !codes.empty(); }
  double value(std::size_t row) const { return coded() ? values[codes[row]] : values[row]; }
};

/// The level of a categorical column in each row.
struct LevelFactor {
  std::size_t levels = 0;
  std::vector<std::uint32_t> codes;  ///< row -> index of the level in the spec
};

/// The rows as inputs of the model: one factor per input of the spec, in its order.
struct Design {
  std::size_t rows = 0;
  std::vector<NumericFactor> intrinsic;
  std::vector<LevelFactor> categorical;
  std::vector<NumericFactor> extrinsic;
  Eigen::VectorXd time;  ///< measured target, one per row; empty if not required
  /// Per row, the time at which the run would have been ended, infinite if never; empty: no limits.
  Eigen::VectorXd limit{};

  /// Whether the run of this row was ended at its limit, and would have taken longer.
  bool is_cut(std::size_t row) const {
    const auto at = static_cast<Eigen::Index>(row);
    return limit.size() > 0 && time[at] >= limit[at];
  }
};

/// Whether a design needs the measured target (fit, evaluate) or not (predict).
enum class Target { required, absent };

/// The chosen rows of a table (nullopt: all) as inputs of the model, with derived columns computed.
///
/// Throws InputError with file, line and column for a missing column, an unknown level (listing the
/// known ones), and a value that is no number, negative, or 0 if no training row has 0.
Design make_design(const Table& table, const ModelSpec& spec, Target target,
                   std::optional<std::span<const std::size_t>> rows = std::nullopt);

/// The chosen rows of a design, in the order of `rows`.
Design take_rows(const Design& design, std::span<const std::size_t> rows);

/// One value of every input of a model, in the order of its spec.
struct Configuration {
  std::vector<double> intrinsic;
  std::vector<std::uint32_t> levels;
  std::vector<double> extrinsic;
};

/// The configuration of a row.
Configuration configuration_of(const Design& design, std::size_t row);

/// The configuration with another value of a numeric input, counted from the extrinsic ones on:
/// tied columns move with it, derived columns are computed anew, and columns that only derived
/// columns use have their typical value. nullopt if a derived value is no valid input or a source
/// column is unknown.
std::optional<Configuration> with_scale(const ModelSpec& spec, const Configuration& configuration,
                                        std::size_t numeric, double value);

/// A design of one row, without a time.
Design design_of(const Configuration& configuration, const ModelSpec& spec);

/// The run that represents all runs of a fit: results that need a configuration are given for it.
struct CentralRun {
  Configuration configuration;
  std::uint32_t line = 0;  ///< in the runs file
  double time = 0;         ///< measured
};

/// The medoid of the rows, which has the smallest sum of distances to all others. The distance of
/// two rows is the sum over numeric columns of |ln x - ln y| over the standard deviation of the
/// column's logarithms, plus 1 for each categorical column that differs; a column that may be 0
/// counts as 1 + x / unit.
///
/// Ties are broken by the smallest numbers and first levels, column by column, and among runs of
/// one configuration by the median time, so that the order of rows and columns and the units do not
/// matter. O(rows log(rows)) per column; at least one row.
std::size_t central_row(const ModelSpec& spec, const Design& training);

/// The configuration of central_row().
Configuration central_configuration(const ModelSpec& spec, const Design& training);

/// How far runs of the same configuration are from each other: a lower bound of the error of any
/// model of the configurations.
struct NoiseFloor {
  std::size_t rows = 0;    ///< whose configuration occurs in another row, too
  std::size_t groups = 0;  ///< configurations of two rows or more
  /// Mean of |t - m| / t over these rows, m being the median of the configuration, in percent.
  /// Divided by what it is for a normal sample of as many rows: a median is closer to its rows than
  /// the truth.
  double mape_percent = 0;
};

/// nullopt if no configuration has two rows. The design must have times.
std::optional<NoiseFloor> noise_floor(const Design& design);

}  // namespace perfmodel
