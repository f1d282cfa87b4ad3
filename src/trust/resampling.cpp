#include "trust/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "fit/result/form.hpp"

namespace perfmodel {

double widening(const FittedModel& model, const Design& training) {
  const double n = static_cast<double>(training.rows);
  const double k = static_cast<double>(model.form->constants_in_use(model));
  return std::sqrt(n / std::max(n - k, 0.5 * n));
}

Resampler::Resampler(const FittedModel& model, const Design& training, Resampling resampling)
    : training_(training), resampling_(resampling) {
  if (resampling == Resampling::rows)
    return;
  predicted_ = predict(model, training);
  log_residuals_ = training.time.array().log() - predicted_.array().log();
  log_residuals_.array() -= log_residuals_.mean();
  log_residuals_ *= widening(model, training);
}

Design Resampler::draw(RandomStream& random) const {
  return resampling_ == Resampling::rows ? resampled_rows(random) : resampled_residuals(random);
}

Design Resampler::resampled_rows(RandomStream& random) const {
  std::vector<std::size_t> rows(training_.rows);
  for (std::size_t& row : rows)
    row = random.below(training_.rows);
  std::sort(rows.begin(), rows.end());
  return take_rows(training_, rows);
}

Design Resampler::resampled_residuals(RandomStream& random) const {
  Design out = training_;
  for (std::size_t r = 0; r < training_.rows; ++r) {
    const std::size_t drawn = random.below(training_.rows);
    out.time[index(r)] = predicted_[index(r)] * std::exp(log_residuals_[index(drawn)]);
  }
  return out;
}

}  // namespace perfmodel
