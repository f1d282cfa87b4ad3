#pragma once

#include <cstdint>
#include <string>

#include "perfmodel/model.hpp"
#include "support/paper_runs.hpp"

namespace perfmodel::test {

/// Runs that a known sum of two products timed:
///
///     t = 2e-5 filters^1.5 batch_size / gpus * {relu: 1, tanh: 1.5}
///         + 0.01 filters^0.5 [gpus > 1] gpus^0.5
///
/// `noise` is the standard deviation of ln(time).
struct MultiRuns {
  Table table;
  ModelSpec spec;
  Design design;
  FittedModel truth;  ///< its constants, in the order of MultiLayout
};

MultiRuns multi_runs(std::size_t rows, double noise, std::uint64_t seed);

/// Runs of two jobs that scale in their own ways:
///
///     [job = dense] (3e-6 width^2 batch_size / gpus + 0.004)
///         + [job = lookup] 0.0005 width^0.3 batch_size^0.5 gpus^0.2
MultiRuns two_jobs(std::size_t rows, double noise, std::uint64_t seed);

/// 280 runs of four jobs on two hosts, each of which runs two of them, so that terms per host
/// predict better than one set of terms for all, and terms per job better still. Inputs: job and
/// host in the order of the header, width, batch_size.
PaperRuns four_jobs(const std::string& header, std::uint64_t seed);

}  // namespace perfmodel::test
