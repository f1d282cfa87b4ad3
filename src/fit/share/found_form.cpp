#include "fit/share/found_form.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "fit/sum/choose/candidate_judge.hpp"
#include "fit/sum/descent/robust_loss.hpp"
#include "fit/sum/shared_sum.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kIterationsWithout = 20;

/// Of the levels of the column, their typical factor: a group that is none of them has it.
void forget_levels(const ModelSpec& spec, std::size_t column, SharedForm& form) {
  const CategoricalInput& input = spec.categorical[column];
  for (std::size_t k = 1; k <= form.terms; ++k) {
    const std::string term = std::to_string(k);
    double sum = 0;
    for (const std::string& level : input.levels) {
      const auto factor = form.constants.find("g[" + term + "," + input.column + "=" + level + "]");
      sum += std::log(factor->second);
      form.constants.erase(factor);
    }
    form.constants["a[" + term + "]"] *= std::exp(sum / static_cast<double>(input.levels.size()));
  }
}

SharedForm form_of(const SelectionTask& task, std::size_t column, const SumShape& shape,
                   const VectorXd& theta) {
  SharedForm out = shared_form_of(task, shape, theta);
  forget_levels(task.spec, column, out);
  return out;
}

}  // namespace

std::vector<FoundForm> forms_of(const SelectionTask& task, std::size_t column,
                                const Candidate& chosen) {
  std::vector<FoundForm> out;
  SumShape shape = chosen.shape;
  shape.caps.clear();
  shape.shared.clear();
  std::vector<SumFit> paths[2];
  for (const bool intercept : {false, true}) {
    shape.intercept = intercept;
    extend_path(task.coordinates.data(shape), shape, fold_search(task.options, chosen.ridge),
                paths[intercept ? 1 : 0]);
  }
  for (Index terms = 1; terms <= shape.terms; ++terms) {
    for (const bool intercept : {false, true}) {
      SumShape own = with_terms(shape, terms);
      own.intercept = intercept;
      VectorXd theta = paths[intercept ? 1 : 0][static_cast<std::size_t>(terms - 1)].theta;
      SharedForm form = form_of(task, column, own, theta);
      out.push_back({std::move(form), std::move(own), chosen.ridge, std::move(theta)});
    }
  }
  return out;
}

SharedForm form_without(const SelectionTask& task, std::size_t column, std::size_t level,
                        const FoundForm& found) {
  const TermData all = task.coordinates.data(found.shape);
  std::vector<Index> others;
  for (Index row = 0; row < all.rows(); ++row)
    if (task.training.categorical[column]
            .codes[task.coordinates.order()[static_cast<std::size_t>(row)]] != level)
      others.push_back(row);
  const TermData data = take_rows(all, others);
  const VectorXd theta =
      descend(data, found.shape, robust_loss(data, found.shape, found.ridge), found.theta,
              {.iterations = kIterationsWithout,
               .held = found.shape.held(),
               .instructions = task.options.instructions,
               .stop = task.options.stop})
          .theta;
  SharedForm out = form_of(task, column, found.shape, theta);
  out.pull = found.form.pull;
  out.size_pull = found.form.size_pull;
  return out;
}

}  // namespace perfmodel
