#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "forms/sum_form.hpp"
#include "sums/sum_terms.hpp"

namespace perfmodel {
namespace {

constexpr double kLeastShareAboveOne = 0.2;
constexpr std::size_t kMostValuesOfSteps = 12;

}  // namespace

std::set<double> distinct_values(const Design& runs, std::size_t numeric) {
  const NumericFactor& factor = numeric_factor(runs, numeric);
  std::set<double> out;
  for (std::size_t row = 0; row < runs.rows; ++row)
    out.insert(factor.value(row));
  return out;
}

bool is_count(const Design& runs, std::size_t numeric) {
  const NumericFactor& factor = numeric_factor(runs, numeric);
  for (std::size_t row = 0; row < runs.rows; ++row) {
    const double value = factor.value(row);
    if (!(value >= 1) || value != std::floor(value))
      return false;
  }
  return true;
}

bool may_have_logarithm(const Design& runs, std::size_t numeric) {
  if (!is_count(runs, numeric) || distinct_values(runs, numeric).size() < 3)
    return false;
  std::size_t above_one = 0;
  for (std::size_t row = 0; row < runs.rows; ++row)
    above_one += numeric_factor(runs, numeric).value(row) > 1 ? 1U : 0U;
  return static_cast<double>(above_one) >= kLeastShareAboveOne * static_cast<double>(runs.rows);
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
  for (std::size_t n = 0; n < spec.extrinsic.size(); ++n) {
    const std::set<double> values = distinct_values(training, n);
    if (values.size() >= 3 && *values.begin() == 1 && is_count(training, n))
      out.push_back({n, 1});
  }
  for (std::size_t n = 0; n < spec.extrinsic.size(); ++n) {
    const std::set<double> values = distinct_values(training, n);
    if (values.size() < 3 || values.size() > kMostValuesOfSteps)
      continue;
    for (auto value = std::next(values.begin()); std::next(value) != values.end(); ++value)
      out.push_back({n, *value});
  }
  return out;
}

std::vector<TermInput> term_inputs(const ModelSpec& spec, const SumStructure& structure) {
  using enum TermInput::Kind;
  const SumLayout layout(spec, structure);
  std::vector<TermInput> out;
  const auto add_power = [&](std::size_t numeric) {
    out.push_back(
        {power, numeric, layout.numeric_power(0, numeric), 1, numeric_input(spec, numeric).column});
  };
  const std::size_t scales = spec.extrinsic.size();
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    add_power(scales + i);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    out.push_back(
        {levels, c, layout.level(0, c, 0), input.levels.size(), input.column, input.shown});
  }
  for (std::size_t j = 0; j < scales; ++j)
    add_power(j);
  for (std::size_t g = 0; g < structure.step_factors.size(); ++g)
    out.push_back({step, g, layout.step_factor(0, g, 0), 2,
                   numeric_input(spec, structure.step_factors[g].numeric).column});
  return out;
}

std::vector<std::uint32_t> factor_codes(const TermInput& input, const SumStructure& structure,
                                        const Design& runs) {
  if (input.kind == TermInput::Kind::levels)
    return runs.categorical[input.index].codes;
  const auto [numeric, above] = structure.step_factors[input.index];
  std::vector<std::uint32_t> out(runs.rows);
  for (std::size_t row = 0; row < runs.rows; ++row)
    out[row] = numeric_factor(runs, numeric).value(row) > above ? 1 : 0;
  return out;
}

FittedSum fitted_sum(const FittedModel& model) {
  const SumForm& form = sum_form(model);
  return {model.spec,
          form.structure,
          model.constants,
          form.estimate.value(),
          SumLayout(model.spec, form.structure),
          term_inputs(model.spec, form.structure)};
}

std::vector<SumConstant> sum_constants(const FittedSum& sum) {
  std::vector<SumConstant> out(sum.layout.size(), SumConstant::free);
  const auto value = [&](std::size_t i) { return sum.constants[index(i)]; };
  const auto set_factors = [&](std::size_t first, const TermInput& input) {
    const VectorXd values = sum.constants.segment(index(first), index(input.count));
    const bool affects_fit = (values.array() != 1).any();
    bool has_reference = false;
    for (std::size_t place = 0; place < input.count; ++place) {
      const std::size_t l = first + input.shown_factor(place);
      if (value(l) == 0)
        out[l] = SumConstant::absent;
      else if (!has_reference)
        out[l] = SumConstant::reference;
      else if (!affects_fit)
        out[l] = SumConstant::unused;
      has_reference = has_reference || value(l) != 0;
    }
  };
  for (std::size_t k = 0; k < sum.structure.terms; ++k) {
    for (const TermInput& input : sum.inputs) {
      const std::size_t first = sum.layout.coefficient(k) + input.first;
      if (input.has_factors())
        set_factors(first, input);
      else if (value(first) == 0)
        out[first] = SumConstant::unused;
    }
  }
  if (value(sum.layout.intercept()) == 0)
    out[sum.layout.intercept()] = SumConstant::absent;
  return out;
}

std::size_t free_constants(const FittedSum& sum) {
  const std::vector<SumConstant> all = sum_constants(sum);
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), SumConstant::free));
}

}  // namespace perfmodel
