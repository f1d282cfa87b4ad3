#include "cli/runs/spread_runs.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/tasks/parallel.hpp"
#include "fit/task/number_range.hpp"
#include "model/columns/facts/truth_values.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/large/read_large_runs.hpp"

namespace perfmodel {
namespace {

/// What process 0 says of rows that were to be together.
const std::string kTogether = "together";
const std::string kSpread = "spread";

void tell_others(Processes& processes, const std::string& what) {
  for (std::size_t to = 1; to < processes.count(); ++to)
    processes.send(to, what);
}

}  // namespace

SpreadRuns::SpreadRuns(const LargeRuns& runs, Processes& processes, const ReadProgress& progress)
    : runs_(runs), processes_(processes), lines_(runs.read_spread(processes, progress)) {}

SpreadRuns::~SpreadRuns() {
  if (agreed_)
    return;
  try {
    agree(processes_, "given up");
  } catch (const InputError&) {  // as was said
  }
}

/// The rows of the own blocks, which are gone from the lines then.
std::vector<Design> SpreadRuns::take_designs(const ModelSpec& spec, std::size_t threads) {
  std::vector<MergedLines> blocks = std::move(lines_.blocks);
  std::vector<Design> out(blocks.size());
  parallel_for(blocks.size(), threads, [&](std::size_t i) {
    std::optional<MergedLines> block(std::move(blocks[i]));
    if (block->configurations() == 0)
      return;
    Table table = runs_.table_of_block(*block);
    block.reset();
    unify_truth_values(table);
    out[i] = make_design(table, spec, Target::required);
    require_fitted_range(out[i]);
  });
  return out;
}

std::unique_ptr<SpreadRows> SpreadRuns::rows(const PreparedFit& sample, const FitOptions& options) {
  std::vector<Design> designs;
  std::string failure;
  try {
    designs = take_designs(sample.spec, options.threads);
  } catch (const InputError& error) {
    failure = error.what();
  }
  agreed_ = true;
  agree(processes_, failure);
  return spread_rows(processes_, sample.spec, sample.training, std::move(designs), options);
}

JobRuns read_job_runs(const LargeRuns& runs, Processes& processes, const ReadProgress& progress) {
  JobRuns out;
  if (runs.spread() != RowSpread::always) {
    const bool may_spread = runs.spread() == RowSpread::where_too_many;
    try {
      out.labelled = read_large_runs(runs, processes, progress);
    } catch (const TooManyRows&) {
      if (!may_spread)
        throw;
    } catch (const Error&) {
      if (may_spread)
        tell_others(processes, kTogether);
      throw;
    }
    if (may_spread)
      tell_others(processes, out.labelled ? kTogether : kSpread);
    if (out.labelled)
      return out;
  }
  out.spread = std::make_unique<SpreadRuns>(runs, processes, progress);
  out.labelled = out.spread->labelled();
  return out;
}

void serve_job_runs(const LargeRuns& runs, Processes& processes, FitRequest request) {
  if (runs.spread() != RowSpread::always) {
    read_large_runs(runs, processes);
    if (runs.spread() == RowSpread::never || processes.receive(0) == kTogether)
      return;
  }
  request.test_runs = nullptr;
  request.held_out = {};
  try {
    SpreadRuns spread(runs, processes);
    const PreparedFit sample = prepare_fit(spread.labelled(), request);
    spread.rows(sample, request.options)->serve();
  } catch (const Error&) {  // process 0 says it
  }
}

}  // namespace perfmodel
