#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "fit/sum/descent/sum_fit.hpp"

namespace perfmodel {

/// How hard to look for the constants of one shape.
struct TermSearchOptions {
  std::uint64_t seed = 1;
  std::size_t starts = 8;        ///< short descents beside the one from the smaller model
  std::size_t kept = 2;          ///< of them that are run to the end
  bool laggards_stop = false;    ///< the worse half of the short descents, early
  std::size_t iterations = 150;  ///< of a descent that is run to the end
  double tolerance = 1e-7;       ///< of each descent
  double ridge = 1e-4;
  std::size_t threads = 1;
  InstructionSet instructions = best_instruction_set();
  std::stop_token stop;
};

/// Constants of 1, 2, ..., shape.terms terms under a robust loss of ln(time), each number of terms
/// starting from the one before with a further term, from terms scattered around the log-linear
/// solution, and the best of these. Entry k of the path belongs to k + 1 terms; the entries that it
/// has stay.
void extend_path(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                 std::vector<SumFit>& path);

/// The same, each from the one of a path that differs little, by its ridge.
void refit_path(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                const std::vector<SumFit>& like, std::vector<SumFit>& path);

/// The shape with another number of terms; the logarithms stay with the first ones.
SumShape with_terms(const SumShape& shape, Eigen::Index terms);

}  // namespace perfmodel
