#include "trust/bootstrap.hpp"

#include <memory>
#include <optional>
#include <vector>

#include "base/index.hpp"
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

/// Of each sample that was asked for here and was not stopped before it had its optimum.
std::vector<std::optional<VectorXd>> refit_samples(
    const Refit& refit, const Resampler& resampler, const FitOptions& options, std::size_t samples,
    const std::function<void(std::size_t)>& sample_done, const TaskHooks<VectorXd>& hooks) {
  return run_tasks<VectorXd>(
      samples, options.threads, hooks,
      [&](std::size_t b) -> std::optional<VectorXd> {
        if (options.stop.stop_requested())
          return std::nullopt;
        RandomStream random(options.seed, "bootstrap", b);
        VectorXd found = refit(resampler.draw(random));
        if (options.stop.stop_requested())
          return std::nullopt;  // perhaps not at its optimum
        return found;
      },
      sample_done);
}

}  // namespace

std::string_view to_text(Resampling resampling) {
  return resampling == Resampling::rows ? "rows" : "residuals";
}

BootstrapSamples bootstrap(const FittedModel& model, const Design& training,
                           const FitOptions& fit_options, std::size_t samples,
                           const std::function<void(std::size_t)>& sample_done,
                           const TaskHooks<VectorXd>& hooks) {
  FitOptions options = fit_options;
  options.loss = model.search.loss;  // what its constants minimise
  const std::unique_ptr<Refit> refit = model.form->refit(model, training, options);
  BootstrapSamples out;
  out.resampling = resampling_of(training, refit->free_constants());
  auto found = refit_samples(*refit, Resampler(model, training, out.resampling), options, samples,
                             sample_done, hooks);
  std::erase_if(found, [](const auto& constants) { return !constants; });
  out.constants.resize(model.constants.size(), index(found.size()));
  for (std::size_t b = 0; b < found.size(); ++b)
    out.constants.col(index(b)) = *found[b];
  return out;
}

}  // namespace perfmodel
