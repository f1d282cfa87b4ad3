#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// The values of one numeric column over the rows of a design. Columns of few distinct values are
/// coded, so that work is done once per distinct value; others hold a value per row.
struct NumericFactor {
  /// Columns of at most this many distinct values are coded.
  static constexpr std::size_t most_coded = 4096;

  std::vector<double> values;        ///< distinct values, ascending; one per row where not coded
  std::vector<std::uint32_t> codes;  ///< row -> index into `values`; empty where not coded

  bool coded() const { return !codes.empty(); }
  double value(std::size_t row) const { return coded() ? values[codes[row]] : values[row]; }
};

/// The level of one categorical column in each row.
struct LevelFactor {
  std::size_t levels = 0;
  std::vector<std::uint32_t> codes;  ///< row -> index of the level in the spec
};

/// The rows as the model sees them: one factor per input of the spec, in its order.
struct Design {
  std::size_t rows = 0;
  std::vector<NumericFactor> intrinsic;
  std::vector<LevelFactor> categorical;
  std::vector<NumericFactor> extrinsic;
  Eigen::VectorXd time;  ///< measured target, size rows; empty where it was not required
  /// How many runs each row stands for; as of the table, empty where it has none.
  std::vector<std::uint64_t> runs{};

  std::size_t runs_of(std::size_t row) const { return runs.empty() ? 1 : runs[row]; }
  std::size_t total_runs() const;
};

/// Whether a design needs the measured target (fit, evaluate) or not (predict).
enum class Target { required, absent };

/// The chosen rows of a table (all where `rows` is empty-optional) as the model's inputs, derived
/// columns computed.
///
/// Throws InputError with file, line and column for a missing column, an unknown level (listing
/// what is known), a value that is not a number, < 0, or
/// 0 where the model knows none.
Design make_design(const Table& table, const ModelSpec& spec, Target target,
                   std::optional<std::span<const std::size_t>> rows = std::nullopt);

/// The chosen rows of a design, in that order.
Design take_rows(const Design& design, std::span<const std::size_t> rows);

}  // namespace perfmodel
