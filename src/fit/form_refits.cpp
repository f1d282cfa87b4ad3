#include "forms/generic_form.hpp"
#include "perfmodel/model.hpp"
#include "search/global_search.hpp"
#include "search/scaled_model.hpp"
#include "search/search_space.hpp"

// Not with the form, since refits need the search, which itself creates forms.

namespace perfmodel {
namespace {

using Eigen::VectorXd;

/// Relative gap of refits with many powers, which would take hundreds of steps to an exact optimum.
constexpr double kGapOfManyPowers = 1e-2;

/// Refits Eq. (4) by local refinement.
class GenericRefit final : public Refit {
 public:
  GenericRefit(const FittedModel& model, const Design& training, const FitOptions& options)
      : form_(model.form),
        options_(options),
        space_(model.spec, training, options),
        penalty_(space_, training, options),
        start_(space_.scaled_from_raw(model.constants)) {}

  Refitted operator()(const Design& runs) const override {
    const double gap = has_many_powers(space_) ? kGapOfManyPowers : kExactGap;
    const WeightedRows rows = WeightedRows::merged(runs, options_.loss);
    return {form_,
            space_.raw_from_scaled(polish(rows, space_, penalty_, options_, start_, gap).at)};
  }

  std::size_t free_constants() const override { return space_.layout().size(); }

 private:
  std::shared_ptr<const Form> form_;
  const FitOptions& options_;
  SearchSpace space_;
  Regulariser penalty_;
  VectorXd start_;
};

}  // namespace

std::unique_ptr<Refit> GenericForm::refit(const FittedModel& model, const Design& training,
                                          const FitOptions& options) const {
  return std::make_unique<GenericRefit>(model, training, options);
}

}  // namespace perfmodel
