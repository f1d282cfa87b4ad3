#pragma once

#include <memory>
#include <optional>

#include "base/tasks/processes.hpp"
#include "fit/spread_fit.hpp"
#include "io/large/spread_lines.hpp"
#include "perfmodel/pipeline/fit_runs.hpp"
#include "pipeline/large/large_runs.hpp"

namespace perfmodel {

/// Runs of which no process of a job has all distinct rows: each has some blocks of them, and all
/// have the same sample. All processes make theirs together.
class SpreadRuns {
 public:
  SpreadRuns(const LargeRuns& runs, Processes& processes, const ReadProgress& progress = {});
  SpreadRuns(const SpreadRuns&) = delete;
  SpreadRuns& operator=(const SpreadRuns&) = delete;
  /// Where this process came to no rows, no other waits for them.
  ~SpreadRuns();

  /// The sample as what a fit takes.
  LabelledRuns labelled() const { return runs_.labelled(lines_); }

  /// Where a fit of the sample has all rows from (FitOptions::spread), of process 0; the others
  /// serve it. Once, by all processes together. Throws the InputError of any of them.
  std::unique_ptr<SpreadRows> rows(const PreparedFit& sample, const FitOptions& options);

 private:
  const LargeRuns& runs_;
  Processes& processes_;
  SpreadLines lines_;
  bool agreed_ = false;

  std::vector<Design> take_designs(const ModelSpec& spec, std::size_t threads);
};

/// The runs of a fit by the processes of a job, of process 0: together, or, where they are too many
/// for that or it is asked for, spread.
struct JobRuns {
  std::optional<LabelledRuns> labelled;
  std::unique_ptr<SpreadRuns> spread;
};

/// Of process 0. The others do their part in serve_job_runs().
JobRuns read_job_runs(const LargeRuns& runs, Processes& processes,
                      const ReadProgress& progress = {});
void serve_job_runs(const LargeRuns& runs, Processes& processes, FitRequest request);

}  // namespace perfmodel
