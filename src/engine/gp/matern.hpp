#pragma once

#include <cstddef>
#include <cstdint>

// Plain data only: this header is compiled with different instruction sets.

namespace perfmodel {

enum class InstructionSet : std::uint8_t;

}  // namespace perfmodel

namespace perfmodel::matern {

/// Parameters of a number's correlation w + (1 - w) Matern 5/2, see Kernel.
struct Correlation {
  double inverse_length;
  double share;  ///< w
};

/// Values of a number, and the value from which their distances are measured.
struct Places {
  std::size_t count;
  const double* values;
  double from;
};

/// Writes the correlation of each value with `places.from`.
using Correlate = void (*)(const Correlation& of, const Places& places, double* correlations);
/// d ln k / d ln(1 / l) and d ln k / d ln(w / (1 - w)), k being the correlation.
using Slopes = void (*)(const Correlation& of, const Places& places, double* by_length,
                        double* by_share);

/// The functions compiled for one instruction set. All instruction sets give the same bits.
struct Functions {
  Correlate correlations;
  Slopes slopes;
};

extern const Functions baseline;
extern const Functions avx2;
extern const Functions avx512;

const Functions& functions_for(InstructionSet instructions);

}  // namespace perfmodel::matern
