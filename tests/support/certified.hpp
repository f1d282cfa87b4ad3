#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perfmodel::test {

/// Log relative error -log10(|computed - certified| / |certified|): the number of matching digits,
/// limited to 0 .. 15, the precision of a double; 0 for NaN. `certified` is not 0.
double matching_digits(double computed, double certified);

/// A result with a published value.
struct CertifiedFigure {
  std::string problem;   ///< "NIST StRD DanWood, y = b1*x^b2"
  std::string quantity;  ///< "b1"
  double certified = 0;
  double computed = 0;
};

/// Recomputes the certified constants in a file of nonlinear regression of NIST's Statistical
/// Reference Datasets, as a formula of the user, from ranges around NIST's starting values. Throws
/// InputError for any other text.
std::vector<CertifiedFigure> nist_figures(const std::string& text, std::uint64_t seed = 1);

}  // namespace perfmodel::test
