#pragma once

#include <cstddef>
#include <cstdint>

// Plain data only: this header is compiled with different instruction sets, and an inline function
// of the standard library that was compiled for a newer machine must never be linked into the
// program.

namespace perfmodel::kernel {

/// Candidates that are evaluated side by side, one per vector lane.
inline constexpr std::size_t kLanes = 8;

/// How the residual of a row enters the cost.
enum class RowLoss : std::uint8_t {
  absolute,              ///< |t - y|
  weighted_absolute,     ///< w |t - y|
  squared,               ///< (t - y)^2
  weighted_squared,      ///< w (t - y)^2
  squared_log,           ///< (ln t - ln y)^2, +infinity where y <= 0
  weighted_squared_log,  ///< w (ln t - ln y)^2, +infinity where y <= 0
};

/// table[out + e] = a * exp(p * log_value[e]) for the distinct values e of a numeric column.
struct PowerTable {
  std::uint32_t coefficient;  ///< index of the constant a
  std::uint32_t power;        ///< index of the constant p
  std::uint32_t out;
  std::uint32_t count;
  const double* log_values;
};

/// table[out + e] = a_e for the levels e of a categorical column; its constants are contiguous.
struct LevelTable {
  std::uint32_t first_coefficient;
  std::uint32_t out;
  std::uint32_t count;
};

/// table[out + e] = table[left + left_code[e]] + table[right + right_code[e]] for every combination
/// e that occurs in the data.
struct SumTable {
  std::uint32_t left;
  std::uint32_t right;
  std::uint32_t out;
  std::uint32_t count;
  const std::uint32_t* left_code;
  const std::uint32_t* right_code;
};

/// A contiguous range of rows with the same extrinsic values.
struct Run {
  std::uint32_t first_row;
  std::uint32_t last_row;  ///< past the end
};

/// Eq. (4) over a table of runs, laid out for evaluation: all pointers are owned by the Plan.
struct Program {
  std::size_t constants;
  const std::uint8_t* logarithmic;  ///< per constant: the search coordinate is ln of the constant

  const PowerTable* power_tables;
  std::size_t power_table_count;
  const LevelTable* level_tables;
  std::size_t level_table_count;
  const SumTable* sum_tables;
  std::size_t sum_table_count;
  std::size_t table_size;  ///< entries of all tables together

  const std::uint32_t* groups;  ///< start of each final table; a row adds one entry of each
  std::size_t group_count;

  const Run* runs;  ///< one per combination of extrinsic values
  std::size_t run_count;
  std::uint32_t first_extrinsic_power;
  std::size_t extrinsic_count;
  const double* extrinsic_log_values;  ///< [run][extrinsic column]
  std::uint32_t intercept;

  RowLoss loss;
  const std::uint32_t* row_codes;  ///< [row][group]: index into all tables
  const double* response;          ///< t, or ln t for the logarithmic losses
  const double* weights;           ///< w of the weighted losses
  /// w of rows below their prediction; of a symmetric loss, `weights`.
  const double* weights_of_negative;
};

/// Sums the row losses of kLanes candidates.
///
/// `candidates`: search coordinates, [constant][lane]. `scratch`: kLanes * (table_size + constants)
/// doubles, aligned to 64 bytes. `abandon_above`, `sums`: one per lane. If every lane's partial sum
/// exceeds its bound, the rest is not computed.
using Evaluate = void (*)(const Program& program, const double* candidates,
                          const double* abandon_above, double* scratch, double* sums);

void evaluate_baseline(const Program&, const double*, const double*, double*, double*);
void evaluate_avx2(const Program&, const double*, const double*, double*, double*);
void evaluate_avx512(const Program&, const double*, const double*, double*, double*);

}  // namespace perfmodel::kernel
