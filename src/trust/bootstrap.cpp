#include "trust/bootstrap.hpp"

#include <memory>
#include <mutex>
#include <vector>

#include "base/index.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "fit/result/form.hpp"
#include "trust/resampling.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

constexpr std::size_t kRowsPerConstant = 3;  // below that, residuals are resampled

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
  parallel_for(
      samples, options.threads,
      [&](std::size_t b) {
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
  const std::unique_ptr<Refit> refit = model.form->refit(model, training, options);
  BootstrapSamples out;
  out.resampling = resampling_of(training, refit->free_constants());
  const std::vector<VectorXd> found = refit_samples(
      *refit, Resampler(model, training, out.resampling), options, samples, sample_done);
  out.constants.resize(model.constants.size(), index(found.size()));
  for (std::size_t b = 0; b < found.size(); ++b)
    out.constants.col(index(b)) = found[b];
  return out;
}

}  // namespace perfmodel
