#include "perfmodel/fit/bootstrap.hpp"

#include <mutex>
#include <vector>

#include "fit/multi/refit.hpp"
#include "fit/polish.hpp"
#include "fit/resampling.hpp"
#include "fit/search_space.hpp"
#include "perfmodel/base/index.hpp"
#include "perfmodel/base/parallel.hpp"
#include "perfmodel/base/random.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

constexpr std::size_t kRowsPerConstant = 3;  // below that, residuals are resampled

/// The constants of the model as other runs would have given them.
using Refit = std::function<VectorXd(const Design& runs)>;

/// Eq. (4), by the exact finish.
class GenericRefit {
 public:
  GenericRefit(const FittedModel& model, const Design& training, const FitOptions& options)
      : options_(options),
        space_(model.spec, training, options),
        penalty_(space_, training, options),
        start_(space_.scaled_from_raw(model.constants)) {}

  VectorXd operator()(const Design& runs) const {
    return space_.raw_from_scaled(
        polish(WeightedRows::merged(runs, options_.loss), space_, penalty_, options_, start_)
            .scaled);
  }

  std::size_t constants() const { return space_.layout().size(); }

 private:
  const FitOptions& options_;
  SearchSpace space_;
  Regulariser penalty_;
  VectorXd start_;
};

Resampling resampling_of(const Design& training, std::size_t constants) {
  return training.rows < kRowsPerConstant * constants ? Resampling::residuals : Resampling::rows;
}

/// Nothing where the search was stopped before the sample had its optimum.
std::vector<VectorXd> refit_samples(const Refit& refit, const Resampler& resampler,
                                    const FitOptions& options, std::size_t samples,
                                    const std::function<void(std::size_t)>& sample_done) {
  std::vector<VectorXd> out(samples);
  std::mutex reporting;
  std::size_t done = 0;
  parallel_for(samples, options.threads, [&](std::size_t b) {
    if (options.stop.stop_requested())
      return;
    RandomStream random(options.seed, "bootstrap", b);
    VectorXd found = refit(resampler.draw(random));
    if (options.stop.stop_requested())
      return;  // perhaps not at its optimum
    out[b] = std::move(found);
    const std::lock_guard lock(reporting);
    ++done;
    if (sample_done)
      sample_done(done);
  });
  std::erase_if(out, [](const VectorXd& constants) { return constants.size() == 0; });
  return out;
}

}  // namespace

std::string_view to_text(Resampling resampling) {
  return resampling == Resampling::rows ? "rows" : "residuals";
}

BootstrapSamples bootstrap(const FittedModel& model, const Design& training,
                           const FitOptions& fit_options, std::size_t samples,
                           const std::function<void(std::size_t)>& sample_done) {
  FitOptions options = fit_options;
  options.loss = model.search.loss;  // what its constants minimise
  BootstrapSamples out;
  const auto sample_with = [&](const Refit& refit, std::size_t constants) {
    out.resampling = resampling_of(training, constants);
    return refit_samples(refit, Resampler(model, training, out.resampling), options, samples,
                         sample_done);
  };
  std::vector<VectorXd> found;
  if (model.multi) {
    const SumRefit refit(model, options);
    found = sample_with(std::cref(refit), refit.free_constants());
  } else {
    const GenericRefit refit(model, training, options);
    found = sample_with(std::cref(refit), refit.constants());
  }
  out.constants.resize(model.constants.size(), index(found.size()));
  for (std::size_t b = 0; b < found.size(); ++b)
    out.constants.col(index(b)) = found[b];
  return out;
}

}  // namespace perfmodel
