#include "fit/eq4/determined/flat_directions.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/index.hpp"
#include "base/text.hpp"
#include "model/form/generic_expression.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

constexpr double kSameEffect = 1e-6;  // of unit effects
constexpr double kPlaysAPart = 1e-3;  // of the largest entry of a direction

/// A part of the sum that can carry a constant share of it: a column's levels together, a term
/// whose power is 0, the a of a model of scales alone, or C where nothing scales.
struct OffsetPart {
  enum class Kind { levels, term, lone, intercept };
  Kind kind;
  std::string column;    ///< empty for a and C
  VectorXd direction;    ///< its constants, 1 each
  std::size_t held = 0;  ///< the constant whose holding takes the freedom away
};

std::vector<OffsetPart> offset_parts(const Sensitivity& sensitivity, const ModelSpec& spec) {
  const GenericLayout layout(spec);
  const std::vector<Standing>& standings = sensitivity.standings();
  const auto moves = [&](std::size_t k) {
    return standings[k] != Standing::fixed && standings[k] != Standing::untrained;
  };
  std::vector<OffsetPart> out;
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    OffsetPart part{OffsetPart::Kind::levels, spec.categorical[c].column,
                    VectorXd::Zero(index(layout.size())), layout.size()};
    bool all_move = true;
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l) {
      const std::size_t k = layout.level(c, l);
      all_move = all_move && standings[k] != Standing::fixed;
      if (!moves(k))
        continue;
      part.direction[index(k)] = 1;
      part.held = std::min(part.held, k);
    }
    if (all_move && part.held < layout.size())
      out.push_back(part);
  }
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    const std::size_t k = layout.coefficient(i);
    if (moves(k) && standings[k] != Standing::at_zero)
      out.push_back({OffsetPart::Kind::term, spec.intrinsic[i].column,
                     VectorXd::Unit(index(layout.size()), index(k)), k});
  }
  const auto lone = layout.lone_coefficient();
  if (lone && moves(*lone) && standings[*lone] != Standing::at_zero)
    out.push_back(
        {OffsetPart::Kind::lone, "", VectorXd::Unit(index(layout.size()), index(*lone)), *lone});
  if (moves(layout.intercept()))
    out.push_back({OffsetPart::Kind::intercept, "",
                   VectorXd::Unit(index(layout.size()), index(layout.intercept())),
                   layout.intercept()});
  return out;
}

/// Parts between which a constant can be moved: groups of two or more.
std::vector<std::vector<OffsetPart>> exchangeable(const Sensitivity& sensitivity,
                                                  std::vector<OffsetPart> parts) {
  std::vector<std::vector<OffsetPart>> groups;
  while (!parts.empty()) {
    std::vector<OffsetPart> group = {parts.front()};
    std::vector<OffsetPart> others;
    const auto unit = [&](const OffsetPart& part) -> VectorXd {
      return part.direction / sensitivity.effect(part.direction);
    };
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const bool same = sensitivity.effect(unit(parts[0]) - unit(parts[i])) < kSameEffect;
      (same ? group : others).push_back(parts[i]);
    }
    if (group.size() > 1)
      groups.push_back(group);
    parts = others;
  }
  return groups;
}

std::string exchange_sentence(const std::vector<OffsetPart>& group) {
  std::vector<std::string> level_columns;
  std::vector<std::string> others;
  for (const OffsetPart& part : group)
    if (part.kind == OffsetPart::Kind::levels)
      level_columns.push_back(part.column);
    else if (part.kind == OffsetPart::Kind::term)
      others.push_back("the term of '" + part.column + "', whose power is 0");
    else
      others.emplace_back(part.kind == OffsetPart::Kind::lone ? "a" : "C");
  if (level_columns.empty()) {
    const std::string last = others.back();
    others.pop_back();
    return joined(others, " and ") + " cannot be told from " + last +
           ": only the sum is determined";
  }
  std::string from = joined(others, " or from ");
  if (level_columns.size() > 1)
    from = others.empty() ? "another's" : "another's or from " + from;
  return "only differences between the levels of " + sorted_list(level_columns) +
         " are determined: a constant added to one column's levels can be taken from " + from;
}

std::string direction_sentence(const VectorXd& direction, const ModelSpec& spec,
                               const Design& training) {
  const GenericLayout layout(spec);
  const double least = kPlaysAPart * direction.cwiseAbs().maxCoeff();
  const auto in = [&](std::size_t k) { return std::abs(direction[index(k)]) > least; };
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    if (!in(layout.coefficient(i)) && !in(layout.intrinsic_power(i)))
      continue;
    if (few_values(training.intrinsic[i], training.rows) == 2) {
      if (spec.intrinsic[i].zero)
        return lone_value_sentence(spec.intrinsic[i]);
      return "'" + spec.intrinsic[i].column +
             "' has two values only: its coefficient and its power cannot be told from a constant";
    }
    columns.push_back(spec.intrinsic[i].column);
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    bool any = false;
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
      any = any || in(layout.level(c, l));
    if (any)
      columns.push_back(spec.categorical[c].column);
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    if (in(layout.extrinsic_power(j)))
      columns.push_back(spec.extrinsic[j].column);
  if (columns.empty())
    return "a cannot be told from C: only the sum is determined";
  if (columns.size() == 1)
    return "the constants of '" + columns[0] + "' are not determined one by one, only together" +
           (in(layout.intercept()) ? " with C" : "");
  return sorted_list(columns) + " move together: only their joint effect is determined";
}

}  // namespace

std::size_t few_values(const NumericFactor& factor, std::size_t rows) {
  std::set<double> values;
  for (std::size_t r = 0; r < rows && values.size() < 3; ++r)
    values.insert(factor.value(r));
  return values.size();
}

std::string lone_value_sentence(const NumericInput& input) {
  return "'" + input.column +
         "' has one value beside 0: its coefficient and its power are only determined together";
}

std::vector<std::string> describe_flat_directions(const Sensitivity& sensitivity,
                                                  const ModelSpec& spec, const Design& training) {
  std::vector<std::string> out;
  std::vector<bool> held(GenericLayout(spec).size(), false);
  for (const auto& group : exchangeable(sensitivity, offset_parts(sensitivity, spec))) {
    out.push_back(exchange_sentence(group));
    for (std::size_t i = 1; i < group.size(); ++i)
      held[group[i].held] = true;
  }
  const Eigen::MatrixXd others = sensitivity.flat_directions(held);
  for (Eigen::Index d = 0; d < others.cols(); ++d) {
    const std::string sentence = direction_sentence(others.col(d), spec, training);
    if (std::find(out.begin(), out.end(), sentence) == out.end())
      out.push_back(sentence);
  }
  return out;
}

}  // namespace perfmodel
