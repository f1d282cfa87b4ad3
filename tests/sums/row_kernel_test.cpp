#include "sums/row_kernel.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "perfmodel/progress.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

namespace {

/// In units of the last place of the expected value.
double largest_error(const std::vector<double>& values, const std::vector<double>& expected) {
  double out = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double unit =
        std::nextafter(std::abs(expected[i]), std::numeric_limits<double>::infinity()) -
        std::abs(expected[i]);
    out = std::max(out, std::abs(values[i] - expected[i]) / unit);
  }
  return out;
}

}  // namespace

TEST_CASE(
    "exponentials and logarithms are those of the standard library, with the same bits for "
    "every instruction set",
    "[fit][multi]") {
  RandomStream random(1, "elementary functions");
  // Numbers that fill no vector, and none.
  for (const std::size_t count : {0U, 1U, 7U, 1003U}) {
    std::vector<double> exponents(count);
    for (double& x : exponents)
      x = random.uniform(-700, 700);
    std::vector<double> exponentials;
    for (const double x : exponents)
      exponentials.push_back(std::exp(x));
    std::vector<double> logarithms;
    for (const double y : exponentials)
      logarithms.push_back(std::log(y));
    for (const InstructionSet instructions : available_instruction_sets()) {
      CAPTURE(count, to_text(instructions));
      const row_kernel::Functions& kernel = row_kernel::functions_for(instructions);
      std::vector<double> values = exponents;
      kernel.exponentials(count, values.data());
      CHECK(largest_error(values, exponentials) <= 2);
      std::vector<double> same = exponents;
      row_kernel::baseline.exponentials(count, same.data());
      CHECK(values == same);

      values = exponentials;
      kernel.logarithms(count, values.data());
      CHECK(largest_error(values, logarithms) <= 4);
      same = exponentials;
      row_kernel::baseline.logarithms(count, same.data());
      CHECK(values == same);
    }
  }
}

TEST_CASE("exponents beyond what a number holds are held at its ends", "[fit][multi]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const InstructionSet instructions : available_instruction_sets()) {
    std::vector<double> values = {-infinity, -1e6, 0, 1e6};
    row_kernel::functions_for(instructions).exponentials(values.size(), values.data());
    CHECK(values[0] == values[1]);
    CHECK(values[0] > 0);
    CHECK(values[0] < 1e-300);
    CHECK(values[2] == 1);
    CHECK(values[3] > 1e300);
    CHECK(std::isfinite(values[3]));
  }
}
