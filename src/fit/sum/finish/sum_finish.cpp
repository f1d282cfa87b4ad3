#include "fit/sum/finish/sum_finish.hpp"

#include <limits>

#include "fit/task/loss_value.hpp"

namespace perfmodel {

double goal_cost(const TermData& data, const SumShape& shape, const SumGoal& goal,
                 const Eigen::VectorXd& theta) {
  const Eigen::VectorXd total = evaluate_sum(data, shape, theta).total;
  if (!total.allFinite() || !(total.minCoeff() > 0))
    return std::numeric_limits<double>::infinity();
  return loss_value(goal.loss(), data.time, total) +
         goal.penalty(finish_coordinates(shape, goal, theta));
}

SumFit finish(const TermData& data, const SumShape& shape, const SumGoal& goal, const SumFit& start,
              const DescentOptions& options, double gap_to_stop) {
  SumFit out = is_absolute(goal.loss())
                   ? finish_absolute(data, shape, goal, start, options, gap_to_stop)
                   : finish_smooth(data, shape, goal, start, options, gap_to_stop);
  out.evaluations += start.evaluations;
  SumFit tidied = out;
  tidied.theta =
      search_coordinates(shape, goal.without_traces(finish_coordinates(shape, goal, out.theta)));
  tidied.cost = goal_cost(data, shape, goal, tidied.theta);
  return tidied.cost <= (1 + kSumGap) * out.cost ? tidied : out;
}

}  // namespace perfmodel
