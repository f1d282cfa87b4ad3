#include "table/expressions.hpp"

#include <cmath>
#include <string>

#include "codegen/formula_code.hpp"
#include "perfmodel/export.hpp"
#include "perfmodel/spec.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;

namespace {

ModelSpec seen_spec() {
  ModelSpec spec;
  spec.target = "time_s";
  spec.intrinsic = {{"width", 10, 1000}, {"depth", 2, 20}};
  spec.extrinsic = {{"gpus", 1, 64}};
  return spec;
}

/// One or two terms: a | p[width], p[depth] | q[gpus].
SumStructure seen_structure(std::size_t terms) {
  SumStructure structure;
  structure.terms = terms;
  return structure;
}

std::string text_of(const SumStructure& structure, const Eigen::VectorXd& constants,
                    FormulaLanguage language = FormulaLanguage::text) {
  return readable_terms({seen_spec(), structure}, constants, language);
}

}  // namespace

TEST_CASE("a constant that no measured time shows is not printed", "[show]") {
  const SumStructure one = seen_structure(1);
  Eigen::VectorXd constants(5);
  constants << 1e-6, 1, 2, -1, 7.21e-128;
  CHECK(text_of(one, constants) == "t = 1e-06 * width * depth^2 * gpus^-1\n");
  CHECK_THAT(text_of(one, constants, FormulaLanguage::latex), !ContainsSubstring("10^{-128}"));
  // The shortest time is 1e-6 * 10 * 4 / 64: a C of a millionth of it is seen, half of that is not.
  const double shortest = 1e-6 * 10 * 4 / 64;
  constants[4] = 1.1e-6 * shortest;
  CHECK_THAT(text_of(one, constants), ContainsSubstring("+ 6.87e-13"));
  constants[4] = 0.5e-6 * shortest;
  CHECK_THAT(text_of(one, constants), !ContainsSubstring("+"));
  // Where a part is taken away, nothing is known of what is left.
  constants[0] = -1e-6;
  CHECK_THAT(text_of(one, constants), ContainsSubstring("+ 3.12e-13"));
}

TEST_CASE("a term that no measured time shows is not printed, and one that some do is", "[show]") {
  const SumStructure two = seen_structure(2);
  Eigen::VectorXd constants(9);
  constants << 1e-6, 1, 2, -1, 1e-30, 0, 0, 5, 0.001;
  CHECK(text_of(two, constants) == "t = 1e-06 * width * depth^2 * gpus^-1\n  + 0.001\n");
  // At 64 GPUs it is more than a millionth of C.
  constants[4] = 1.1e-9 / std::pow(64, 5);
  CHECK_THAT(text_of(two, constants), ContainsSubstring("gpus^5"));
}

TEST_CASE("Eq. (4) is printed without what no measured time shows", "[show]") {
  const ModelSpec spec = seen_spec();
  const Eq4Layout layout(spec);
  Eigen::VectorXd constants(Eigen::Index(6));
  const auto set = [&](std::size_t i, double value) {
    constants[static_cast<Eigen::Index>(i)] = value;
  };
  set(layout.coefficient(0), 1e-6);
  set(layout.intrinsic_power(0), 1);
  set(layout.coefficient(1), 0);
  set(layout.intrinsic_power(1), 0);
  set(layout.extrinsic_power(0), -1);
  set(layout.intercept(), 7.21e-128);
  CHECK(readable_terms(spec, constants, FormulaLanguage::text) ==
        "t = (1e-06 * width^1) * gpus^-1\n");
  set(layout.coefficient(1), 1e-9);
  CHECK(readable_terms(spec, constants, FormulaLanguage::text) ==
        "t = (1e-06 * width^1 + 1e-09) * gpus^-1\n");
  set(layout.coefficient(0), 0);
  set(layout.coefficient(1), 0);
  set(layout.intercept(), 0.5);
  CHECK(readable_terms(spec, constants, FormulaLanguage::text) == "t = 0.5\n");
}
