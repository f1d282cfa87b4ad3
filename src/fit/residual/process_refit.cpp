#include <memory>
#include <utility>
#include <vector>

#include "fit/residual/process_form.hpp"
#include "fit/residual/trend_of_form.hpp"
#include "fit/sum/form/sum_form.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

/// The trend's constants for other runs, under the same process.
class ProcessRefit final : public Refit {
 public:
  ProcessRefit(const FittedModel& model, std::shared_ptr<const Form> trend, ProcessColumns columns,
               const ProcessPrior& prior, const KnownProcess& known, const FitOptions& options)
      : model_(model),
        trend_(std::move(trend)),
        columns_(std::move(columns)),
        from_nothing_(prior.from_nothing),
        hyper_{.coordinates = known.process.coordinates,
               .kernel = known.process.kernel,
               .group_deviations = prior.group_deviations,
               .level_deviation = prior.level_deviation,
               .heavy_tails = prior.heavy_tails,
               .position = {}},
        centre_(known.centre) {
    how_.seed = options.seed;
    how_.stop = options.stop;
  }

  VectorXd operator()(const Design& runs) const override {
    const process::Inputs inputs = columns_.inputs(runs);
    const TrendOfForm trend =
        from_nothing_ ? product_trend_of(model_.spec, columns_, inputs, hyper_.coordinates, caps())
                      : trend_around(trend_, model_.spec, model_.constants, runs);
    const VectorXd y = runs.time.array().log();
    const process::ProcessFit found = process::fit_process(inputs, y, trend.trend, hyper_, how_);
    return trend.constants(found.constants, found.level + centre_);
  }

  std::size_t free_constants() const override {
    return static_cast<std::size_t>(model_.constants.size());
  }

 private:
  const FittedModel& model_;
  std::shared_ptr<const Form> trend_;
  ProcessColumns columns_;
  bool from_nothing_;
  process::HyperParameters hyper_;
  double centre_;
  process::ProcessOptions how_;

  /// Those of the one product.
  std::vector<Cap> caps() const {
    const MultiStructure& structure = dynamic_cast<const SumForm&>(*trend_).structure;
    return structure.caps.empty() ? std::vector<Cap>{} : structure.caps.front();
  }
};

}  // namespace

std::unique_ptr<Refit> ProcessForm::refit(const FittedModel& model, const Design&,
                                          const FitOptions& options) const {
  if (prior_.group_deviations.size() == 0)
    throw UsageError(
        "a model with a residual process that was read from a file cannot be fitted "
        "to other runs: the file has no priors of its trend; fit it anew");
  return std::make_unique<ProcessRefit>(model, trend_, columns_, prior_, *known_, options);
}

}  // namespace perfmodel
