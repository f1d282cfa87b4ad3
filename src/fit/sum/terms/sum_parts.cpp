#include "fit/sum/terms/sum_parts.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"
#include "fit/sum/form/sum_form.hpp"
#include "fit/sum/terms/join_levels.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

SumPart whole(const FittedModel& model) {
  SumPart out;
  out.spec = model.spec;
  out.structure = sum_form(model).structure;
  out.constants = model.constants;
  out.origin.resize(static_cast<std::size_t>(model.constants.size()));
  std::iota(out.origin.begin(), out.origin.end(), std::size_t{0});
  out.terms.resize(out.structure.terms);
  std::iota(out.terms.begin(), out.terms.end(), std::size_t{0});
  out.estimate = sum_form(model).estimates.sums.at(0);
  return out;
}

/// The terms that exist at the level.
SumPart part_of_level(const FittedModel& model, std::size_t column, std::size_t level) {
  const MultiStructure& structure = sum_form(model).structure;
  const MultiLayout layout(model.spec, structure);
  SumPart out;
  out.level = level;
  out.parted = column;
  out.spec = model.spec;
  out.spec.categorical.erase(out.spec.categorical.begin() + index(column));
  out.structure.regimes = structure.regimes;
  for (std::size_t k = 0; k < structure.terms; ++k) {
    if (model.constants[index(layout.level(k, column, level))] == 0)
      continue;
    out.terms.push_back(k);
    out.structure.log_powers.push_back(structure.log_powers[k]);
    const std::size_t own = out.structure.log_powers.size();
    if (k < structure.rings.size()) {
      out.structure.rings.resize(own);
      out.structure.rings.back() = structure.rings[k];
    }
    if (k < structure.caps.size()) {
      out.structure.caps.resize(own);
      out.structure.caps.back() = structure.caps[k];
    }
    out.origin.push_back(layout.coefficient(k));
    for (std::size_t i = 0; i < model.spec.intrinsic.size(); ++i)
      out.origin.push_back(layout.intrinsic_power(k, i));
    for (std::size_t c = 0; c < model.spec.categorical.size(); ++c)
      for (std::size_t l = 0; c != column && l < model.spec.categorical[c].levels.size(); ++l)
        out.origin.push_back(layout.level(k, c, l));
    for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j)
      out.origin.push_back(layout.extrinsic_power(k, j));
    for (std::size_t g = 0; g < structure.regimes.size(); ++g)
      for (const std::size_t side : {0U, 1U})
        out.origin.push_back(layout.regime(k, g, side));
  }
  out.origin.push_back(layout.intercept());
  out.structure.terms = out.terms.size();
  out.constants.resize(index(out.origin.size()));
  for (std::size_t i = 0; i < out.origin.size(); ++i)
    out.constants[index(i)] = model.constants[index(out.origin[i])];
  out.estimate = sum_form(model).estimates.sums.at(level);
  out.estimate.intercept = false;  // it is a term of the level
  return out;
}

}  // namespace

Design SumPart::runs(const Design& all) const {
  return level ? runs_of_level(all, parted, *level) : all;
}

std::vector<SumPart> sum_parts(const FittedModel& model) {
  const SumEstimates& estimates = sum_form(model).estimates;
  if (!estimates.parted)
    return {whole(model)};
  std::vector<SumPart> out;
  for (std::size_t level = 0; level < estimates.sums.size(); ++level)
    out.push_back(part_of_level(model, *estimates.parted, level));
  return out;
}

std::vector<SumConstant> sum_constants(const SumPart& part) {
  const MultiLayout layout(part.spec, part.structure);
  std::vector<SumConstant> out(layout.size(), SumConstant::free);
  const auto value = [&](std::size_t i) { return part.constants[index(i)]; };
  const auto power = [&](std::size_t i) {
    if (value(i) == 0)
      out[i] = SumConstant::unused;
  };
  const auto factors = [&](std::size_t first, std::size_t count, const CategoricalInput& input) {
    const VectorXd values = part.constants.segment(index(first), index(count));
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
  for (std::size_t k = 0; k < part.structure.terms; ++k) {
    for (std::size_t i = 0; i < part.spec.intrinsic.size(); ++i)
      power(layout.intrinsic_power(k, i));
    for (std::size_t c = 0; c < part.spec.categorical.size(); ++c)
      factors(layout.level(k, c, 0), part.spec.categorical[c].levels.size(),
              part.spec.categorical[c]);
    for (std::size_t j = 0; j < part.spec.extrinsic.size(); ++j)
      power(layout.extrinsic_power(k, j));
    for (std::size_t g = 0; g < part.structure.regimes.size(); ++g)
      factors(layout.regime(k, g, 0), 2, {});
  }
  if (value(layout.intercept()) == 0)
    out[layout.intercept()] = SumConstant::absent;
  return out;
}

std::size_t free_constants(const std::vector<SumPart>& parts) {
  std::size_t out = 0;
  for (const SumPart& part : parts) {
    const std::vector<SumConstant> all = sum_constants(part);
    out += static_cast<std::size_t>(std::count(all.begin(), all.end(), SumConstant::free));
  }
  return out;
}

}  // namespace perfmodel
