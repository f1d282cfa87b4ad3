#include "fit/sum/terms/regimes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

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

bool has_two_values(const NumericFactor& factor, std::size_t rows) {
  std::optional<double> other;
  for (std::size_t row = 1; row < rows; ++row) {
    const double value = factor.value(row);
    if (value == factor.value(0) || value == other)
      continue;
    if (other)
      return false;
    other = value;
  }
  return other.has_value();
}

std::vector<Regime> zero_regimes(const ModelSpec& spec) {
  std::vector<Regime> out;
  for (std::size_t n = 0; n < numeric_count(spec); ++n)
    if (const auto& zero = numeric_input(spec, n).zero; zero && zero->apart)
      out.push_back({n, 0});
  return out;
}

std::vector<Regime> possible_regimes(const ModelSpec& spec, const Design& training) {
  std::vector<Regime> out = zero_regimes(spec);
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

}  // namespace perfmodel
