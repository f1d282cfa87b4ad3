#include "own/own_space.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "forms/fit_options.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

constexpr double kLargestExponent = 5;  // as in the box of Eq. (4)
constexpr double kDecades = 6;          // to either side of the size
constexpr double kLinearReach = 1e15;   // sizes, of constants that need no search
constexpr double kLogarithmicFrom = 8;  // ratio of bounds from which a range is logarithmic
constexpr std::size_t kRows = 32;

using Sizes = std::vector<std::optional<double>>;

/// Combines sizes bottom-up: an expression has a known size if it contains no constants, or if one
/// operand of a sum does, to which the others are comparable.
std::optional<double> joined_size(Operation operation, const std::optional<double>& a,
                                  const std::optional<double>& b) {
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
    case Operation::minimum:
    case Operation::maximum:
      return a && b ? std::max(*a, *b) : a ? a : b;
    case Operation::multiply:
      return a && b ? std::optional(*a * *b) : std::nullopt;
    case Operation::divide:
      return a && b ? std::optional(*a / *b) : std::nullopt;
    case Operation::negate:
    case Operation::abs:
      return a;
    case Operation::power:
      return a && b ? std::optional(std::pow(*a, *b)) : a ? std::optional(1.0) : std::nullopt;
    default:  // functions of unknown numbers are of order 1
      return 1;
  }
}

/// Per step, the size of its expression over some rows: the median of its absolute values.
Sizes known_sizes(const OwnProgram& program, const OwnRows& rows) {
  const FormulaProgram& formula = program.formula().program();
  const std::vector<std::size_t> begins = operand_begins(formula);
  const VectorXd zeros = VectorXd::Zero(index(program.constants().size()));
  Sizes out;
  std::vector<bool> has_constant;
  for (std::size_t i = 0; i < formula.steps.size(); ++i) {
    const FormulaStep& step = formula.steps[i];
    const std::size_t count = operands_of(step.operation);
    bool has = step.operation == Operation::name && program.places()[step.name].count > 0;
    for (std::size_t k = 0, last = i - 1; k < count; ++k, last = begins[last] - 1)
      has = has || has_constant[last];
    has_constant.push_back(has);
    if (!has) {
      const double size = median(rows.part(zeros, i).cwiseAbs());
      out.push_back(std::isfinite(size) && size > 0 ? size : 1);
    } else if (count == 0) {
      out.push_back(std::nullopt);
    } else {
      const std::size_t b = i - 1;
      const std::size_t a = count == 1 ? b : begins[b] - 1;
      out.push_back(joined_size(step.operation, out[a], count == 1 ? std::nullopt : out[b]));
    }
  }
  return out;
}

/// The sizes that the operands of a step should have so that its expression has the size `whole`.
/// Of a product, the operand of unknown size makes up for the other.
void share_size(Operation operation, double whole, std::optional<double>& a,
                std::optional<double>& b) {
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
    case Operation::minimum:
    case Operation::maximum:
      a = b = whole;
      break;
    case Operation::multiply:
      if (!a && b)
        a = whole / *b;
      else if (a && !b)
        b = whole / *a;
      else if (!a)
        a = whole, b = 1;
      break;
    case Operation::divide:
      if (!a)
        a = whole * b.value_or(1);
      if (!b)
        b = *a / whole;
      break;
    case Operation::negate:
    case Operation::abs:
      a = whole;
      break;
    case Operation::sqrt:
      a = whole * whole;
      break;
    case Operation::power:
      if (!a)
        a = std::pow(whole, 1 / b.value_or(1));
      b = 1;
      break;
    default:
      if (!a)
        a = b.value_or(1);
      if (!b)
        b = *a;
  }
}

/// The size at which each constant matters, by dimensional analysis: the formula has the size of
/// the times, operands of a sum are comparable, and arguments of functions are of order 1.
VectorXd sizes_of(const OwnProgram& program, const Design& runs) {
  const Design some = take_rows(runs, evenly_chosen(runs.rows, std::min(runs.rows, kRows)));
  Sizes sizes = known_sizes(program, OwnRows(program, some));
  const FormulaProgram& formula = program.formula().program();
  const std::vector<std::size_t> begins = operand_begins(formula);
  VectorXd out = VectorXd::Zero(index(program.constants().size()));
  sizes.back() = median(some.time);
  // Postfix: the user of an expression comes after it.
  for (std::size_t i = formula.steps.size(); i-- > 0;) {
    const FormulaStep& step = formula.steps[i];
    const std::size_t count = operands_of(step.operation);
    if (step.operation == Operation::name) {
      const OwnProgram::Place& place = program.places()[step.name];
      auto own = out.segment(index(place.first), index(place.count));
      own = own.cwiseMax(sizes[i].value_or(1));
    }
    if (count == 0)
      continue;
    const std::size_t b = i - 1;
    const std::size_t a = count == 1 ? b : begins[b] - 1;
    if (count == 3) {
      sizes[b] = sizes[a] = sizes[i].value_or(1);
      continue;
    }
    std::optional<double> none = 1;
    share_size(step.operation, sizes[i].value_or(1), sizes[a], count == 1 ? none : sizes[b]);
  }
  for (double& size : out)
    size = std::isfinite(size) && size > 0 ? size : 1;
  return out;
}

/// As many constants as possible in which the formula is linear together, the first ones first.
std::vector<bool> linear_constants(const OwnProgram& program) {
  std::vector<bool> names(program.places().size(), false);
  std::vector<bool> out;
  for (const OwnProgram::Constant& constant : program.constants()) {
    names[constant.place] = true;
    out.push_back(program.formula().is_affine_in(names));
    names[constant.place] = out.back();
  }
  return out;
}

/// The name in the formula, without a level.
std::string name_of(const OwnProgram& program, std::size_t constant) {
  return program.formula().program().names[program.constants()[constant].place];
}

void check_bounds(const OwnProgram& program, const std::vector<BoundOverride>& bounds) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < program.constants().size(); ++k)
    if (std::ranges::find(names, name_of(program, k)) == names.end())
      names.push_back(name_of(program, k));
  for (const BoundOverride& bound : bounds) {
    if (bound.column)
      throw UsageError(fmt::format("{} {}.{}: the constants of a formula belong to no column",
                                   spelled("bounds"), bound.constant, *bound.column));
    if (std::ranges::find(names, bound.constant) == names.end())
      throw UsageError(fmt::format("{}: the formula has no constant '{}'{}", spelled("bounds"),
                                   bound.constant, did_you_mean_one_of(bound.constant, names)));
  }
}

}  // namespace

OwnSpace::OwnSpace(const OwnProgram& program, const Design& runs, const FitOptions& options)
    : sizes_(sizes_of(program, runs)), linear_(linear_constants(program)) {
  const std::vector<BoundOverride>& bounds = search_settings(options).bounds;
  const auto* const own = options.as<OwnOptions>();
  check_bounds(program, bounds);
  const Index size = sizes_.size();
  box_ = {VectorXd(size), VectorXd(size)};
  std::vector<double> lows;
  std::vector<double> highs;
  for (std::size_t k = 0; k < program.constants().size(); ++k) {
    const Index i = index(k);
    const BoundOverride* bound = nullptr;
    for (const BoundOverride& each : bounds)
      if (each.constant == name_of(program, k))
        bound = &each;
    const bool is_exponent = program.constants()[k].is_exponent;
    const double reach = is_exponent  ? kLargestExponent
                         : linear_[k] ? kLinearReach * sizes_[i]
                                      : std::pow(10, kDecades) * sizes_[i];
    const bool is_positive = own != nullptr && own->positive && bound == nullptr && !is_exponent;
    box_.lower[i] = bound != nullptr ? bound->low : is_positive ? 0 : -reach;
    box_.upper[i] = bound != nullptr ? bound->high : reach;
    if (linear_[k])
      continue;
    searched_.push_back(i);
    add_coordinate(i, bound != nullptr || is_exponent, lows.emplace_back(), highs.emplace_back());
    if (is_positive) {
      scales_.back() = Scale::logarithmic;
      lows.back() = std::log(sizes_[i]) - kDecades * std::numbers::ln10;
      highs.back() = std::log(sizes_[i]) + kDecades * std::numbers::ln10;
    }
  }
  coordinates_ = {Eigen::Map<const VectorXd>(lows.data(), index(lows.size())),
                  Eigen::Map<const VectorXd>(highs.data(), index(highs.size()))};
}

void OwnSpace::add_coordinate(Index constant, bool in_box, double& low, double& high) {
  low = box_.lower[constant];
  high = box_.upper[constant];
  Scale& scale = scales_.emplace_back(Scale::linear);
  if (!in_box) {
    scale = Scale::symmetric;
    high = std::asinh(std::pow(10, 2 * kDecades));
    low = -high;
  } else if (low * high > 0) {  // of one sign
    const auto [least, most] = std::minmax({std::abs(low), std::abs(high)});
    if (most < kLogarithmicFrom * least)
      return;
    scale = Scale::logarithmic;
    low = std::log(least);
    high = std::log(most);
  }
}

void OwnSpace::put(const VectorXd& coordinates, VectorXd& constants) const {
  for (std::size_t s = 0; s < searched_.size(); ++s) {
    const Index k = searched_[s];
    const double x = coordinates[index(s)];
    const double value = scales_[s] == Scale::linear ? x
                         : scales_[s] == Scale::logarithmic
                             ? std::copysign(std::exp(x), box_.lower[k])
                             : std::pow(10, -kDecades) * sizes_[k] * std::sinh(x);
    constants[k] = std::clamp(value, box_.lower[k], box_.upper[k]);
  }
}

}  // namespace perfmodel
