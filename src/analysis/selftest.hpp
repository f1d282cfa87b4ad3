#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perfmodel {

/// A result with a known value, as computed on this machine.
struct SelftestFigure {
  std::string problem;   ///< "NIST StRD DanWood"
  std::string quantity;  ///< "b1"
  double certified = 0;
  double computed = 0;
  double digits = 0;    ///< matching_digits(computed, certified)
  double promised = 0;  ///< guaranteed on any machine
  bool passed() const { return digits >= promised; }
};

/// Log relative error -log10(|computed - certified| / |certified|): the number of matching digits,
/// limited to 0 .. 15, the precision of a double. `certified` is not 0.
double matching_digits(double computed, double certified);

/// Recomputes problems whose results are published or planted:
///
///   NIST StRD DanWood (Daniel and Wood 1980): y = b1 x^b2 by least squares
///   stack loss (Brownlee 1965) by least absolute deviations; its constants are fractions
///   runs without noise from the constants of Table 3 of Kavarakuntla et al. 2024 (TensorFlow)
///   the kernel for each instruction set, which must agree in every bit
///   a Gaussian process of two runs, which has a closed form
std::vector<SelftestFigure> run_selftest();

/// Recomputes the certified constants in a file of nonlinear regression of NIST's Statistical
/// Reference Datasets, as a formula of the user, from ranges around NIST's starting values. Throws
/// InputError for any other text.
std::vector<SelftestFigure> run_nist(const std::string& text, std::uint64_t seed = 1);

}  // namespace perfmodel
