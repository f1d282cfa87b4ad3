#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "forms/sum_form.hpp"
#include "sums/sum_terms.hpp"

namespace perfmodel {
namespace {

constexpr double kLeastShareAboveOne = 0.2;
constexpr std::size_t kMostValuesOfSteps = 12;

}  // namespace

std::set<double> distinct_values(const NumericFactor& factor, std::size_t rows) {
  std::set<double> out;
  for (std::size_t row = 0; row < rows; ++row)
    out.insert(factor.value(row));
  return out;
}

bool are_counts(const std::set<double>& values) {
  return std::all_of(
      values.begin(), values.end(),
      [](double value) { return value >= 1 && value == std::floor(value); });
}

bool is_count(const NumericFactor& factor, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) {
    const double value = factor.value(row);
    if (!(value >= 1) || value != std::floor(value))
      return false;
  }
  return true;
}

bool may_have_logarithm(const NumericFactor& factor, std::size_t rows) {
  if (!is_count(factor, rows) || distinct_values(factor, rows).size() < 3)
    return false;
  std::size_t above_one = 0;
  for (std::size_t row = 0; row < rows; ++row)
    above_one += factor.value(row) > 1 ? 1U : 0U;
  return static_cast<double>(above_one) >= kLeastShareAboveOne * static_cast<double>(rows);
}

std::vector<StepFactor> zero_step_factors(const ModelSpec& spec) {
  std::vector<StepFactor> out;
  for (std::size_t n = 0; n < numeric_count(spec); ++n)
    if (const auto& zero = numeric_input(spec, n).zero; zero && zero->apart)
      out.push_back({n, 0});
  return out;
}

std::vector<StepFactor> possible_step_factors(const ModelSpec& spec, const Design& training) {
  std::vector<StepFactor> out = zero_step_factors(spec);
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    const std::set<double> values = distinct_values(numeric_factor(training, n), training.rows);
    if (are_counts(values) && values.size() >= 3 && *values.begin() == 1)
      out.push_back({n, 1});
  }
  for (std::size_t n = 0; n < spec.extrinsic.size(); ++n) {
    const std::set<double> values = distinct_values(numeric_factor(training, n), training.rows);
    if (values.size() < 3 || values.size() > kMostValuesOfSteps)
      continue;
    for (auto value = std::next(values.begin()); std::next(value) != values.end(); ++value)
      out.push_back({n, *value});
  }
  return out;
}

using Eigen::VectorXd;

FittedSum fitted_sum(const FittedModel& model) {
  const SumForm& form = sum_form(model);
  return {model.spec, form.structure, model.constants, form.estimate.value()};
}

std::vector<SumConstant> sum_constants(const FittedSum& sum) {
  const MultiLayout layout(sum.spec, sum.structure);
  std::vector<SumConstant> out(layout.size(), SumConstant::free);
  const auto value = [&](std::size_t i) { return sum.constants[index(i)]; };
  const auto power = [&](std::size_t i) {
    if (value(i) == 0)
      out[i] = SumConstant::unused;
  };
  const auto factors = [&](std::size_t first, std::size_t count, const CategoricalInput& input) {
    const VectorXd values = sum.constants.segment(index(first), index(count));
    const bool play_a_part = (values.array() != 1).any();
    bool has_reference = false;
    for (std::size_t place = 0; place < count; ++place) {
      const std::size_t l = first + input.shown_level(place);
      if (value(l) == 0)
        out[l] = SumConstant::absent;
      else if (!has_reference)
        out[l] = SumConstant::reference;
      else if (!play_a_part)
        out[l] = SumConstant::unused;
      has_reference = has_reference || value(l) != 0;
    }
  };
  for (std::size_t k = 0; k < sum.structure.terms; ++k) {
    for (std::size_t i = 0; i < sum.spec.intrinsic.size(); ++i)
      power(layout.intrinsic_power(k, i));
    for (std::size_t c = 0; c < sum.spec.categorical.size(); ++c)
      factors(layout.level(k, c, 0), sum.spec.categorical[c].levels.size(),
              sum.spec.categorical[c]);
    for (std::size_t j = 0; j < sum.spec.extrinsic.size(); ++j)
      power(layout.extrinsic_power(k, j));
    for (std::size_t g = 0; g < sum.structure.step_factors.size(); ++g)
      factors(layout.step_factor(k, g, 0), 2, {});
  }
  if (value(layout.intercept()) == 0)
    out[layout.intercept()] = SumConstant::absent;
  return out;
}

std::size_t free_constants(const FittedSum& sum) {
  const std::vector<SumConstant> all = sum_constants(sum);
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), SumConstant::free));
}

}  // namespace perfmodel
