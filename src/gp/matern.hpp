#pragma once

#include <cstddef>
#include <cstdint>

// Plain data only: this header is compiled with different instruction sets.

namespace perfmodel {

enum class InstructionSet : std::uint8_t;

}  // namespace perfmodel

namespace perfmodel::matern {

/// The correlation over distances of a number: w + (1 - w) Matern 5/2, see Kernel.
struct Correlation {
  double inverse_length;
  double share;  ///< w
};

/// Some values of a number, and one that they are apart from.
struct Places {
  std::size_t count;
  const double* values;
  double from;
};

/// Of each value with the one.
using Correlate = void (*)(const Correlation& of, const Places& places, double* correlations);
/// d ln k / d ln(1 / l) and d ln k / d ln(w / (1 - w)), k being the correlation.
using Slopes = void (*)(const Correlation& of, const Places& places, double* by_length,
                        double* by_share);

/// Compiled for one instruction set. All give the same bits.
struct Functions {
  Correlate correlations;
  Correlate distances;  ///< -ln of the correlations
  Slopes slopes;
};

extern const Functions baseline;
extern const Functions avx2;
extern const Functions avx512;

const Functions& functions_for(InstructionSet instructions);

}  // namespace perfmodel::matern
