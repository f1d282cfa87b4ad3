#pragma once

#include <cstdint>
#include <string>

#include "perfmodel/export.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "support/paper_runs.hpp"

namespace perfmodel::test {

/// Runs that a known sum of two products timed:
///
///     t = 2e-5 filters^1.5 batch_size / gpus * {relu: 1, tanh: 1.5}
///         + 0.01 filters^0.5 [gpus > 1] gpus^0.5
///
/// `noise` is the standard deviation of ln(time).
struct SumRuns {
  Table table;
  ModelSpec spec;
  Design design;
  FittedModel truth;  ///< its constants, in the order of SumLayout
};

SumRuns sum_runs(std::size_t rows, double noise, std::uint64_t seed);

/// A fit of one product and a Gaussian process.
FitOptions product_and_gp();

/// The code of the known model.
std::string code_of(const SumRuns& runs, FormulaLanguage language);

}  // namespace perfmodel::test
