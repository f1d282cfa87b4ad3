#include "forms/beyond.hpp"

#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/spec.hpp"
#include "forms/form.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

std::pair<std::size_t, std::size_t> end_ranks(double level, std::size_t count) {
  const double places = static_cast<double>(count) + 1;
  const double tail = (1 - level) / 2;
  return {static_cast<std::size_t>(std::floor(places * tail + kRankSlack)),
          static_cast<std::size_t>(std::ceil(places * (1 - tail) - kRankSlack))};
}

VectorXd log_times_of_formula(const FittedModel& model, const Design& design) {
  // One by one: vectorised logarithms round the elements of the last, incomplete vector
  // differently.
  return model.form->predict(model.spec, model.constants, design).unaryExpr([](double time) {
    return std::log(time);
  });
}

namespace {

/// Index of a categorical input and of its level; nullopt for a part of numbers.
std::optional<std::pair<std::size_t, std::uint32_t>> place_of(const RegionPart& part,
                                                              const ModelSpec& spec) {
  const auto column = place_of_input(spec.categorical, part.column);
  if (!column || part.level.empty())
    return std::nullopt;
  const std::vector<std::string>& levels = spec.categorical[*column].levels;
  return std::pair(
      *column, static_cast<std::uint32_t>(std::ranges::find(levels, part.level) - levels.begin()));
}

}  // namespace

std::vector<UnmeasuredPair> unmeasured_pairs(const FittedModel& model) {
  std::vector<UnmeasuredPair> out;
  for (const UnmeasuredRegion& region : model.known.unmeasured)
    if (region.parts.size() == 2)
      if (const auto first = place_of(region.parts[0], model.spec))
        if (const auto second = place_of(region.parts[1], model.spec))
          out.push_back({first->first, first->second, second->first, second->second, 0});
  for (UnmeasuredPair& pair : out) {
    std::set<std::uint32_t> apart;  // levels of the second text that share no run with the first
    for (const UnmeasuredPair& other : out)
      if (other.first == pair.first && other.level == pair.level && other.second == pair.second)
        apart.insert(other.other);
    while (apart.contains(pair.measured))
      ++pair.measured;
  }
  return out;
}

namespace {

bool is_pair(const UnmeasuredPair& pair, const Design& design, std::size_t row) {
  return design.categorical[pair.first].codes[row] == pair.level &&
         design.categorical[pair.second].codes[row] == pair.other;
}

void move_to_measured(const std::vector<UnmeasuredPair>& pairs, Design& design) {
  for (const UnmeasuredPair& pair : pairs)
    for (std::size_t row = 0; row < design.rows; ++row)
      if (is_pair(pair, design, row))
        design.categorical[pair.second].codes[row] = pair.measured;
}

bool is_outside(const ModelSpec& spec, const std::vector<UnmeasuredPair>& pairs,
                const Design& design, std::size_t row) {
  if (std::ranges::any_of(pairs,
                          [&](const UnmeasuredPair& pair) { return is_pair(pair, design, row); }))
    return true;
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    const NumericInput& input = numeric_input(spec, n);
    const double value = numeric_factor(design, n).value(row);
    if (value < input.low || value > input.high)
      return true;
  }
  return false;
}

/// The rows in which the designs differ.
std::vector<std::size_t> moved_rows(const ModelSpec& spec, const Design& from, const Design& to) {
  std::vector<std::size_t> out;
  for (std::size_t row = 0; row < from.rows; ++row) {
    bool moved = false;
    for (std::size_t n = 0; n < numeric_count(spec); ++n)
      moved |= numeric_factor(from, n).value(row) != numeric_factor(to, n).value(row);
    for (std::size_t c = 0; c < spec.categorical.size(); ++c)
      moved |= from.categorical[c].codes[row] != to.categorical[c].codes[row];
    if (moved)
      out.push_back(row);
  }
  return out;
}

}  // namespace

BelievedTimes believed_times(const FittedModel& model, const Design& design, bool also_within) {
  const ModelSpec& spec = model.spec;
  BelievedTimes out{log_times_of_formula(model, design), VectorXd::Zero(index(design.rows)),
                    VectorXd::Zero(index(design.rows))};
  const std::vector<UnmeasuredPair> pairs = unmeasured_pairs(model);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < design.rows; ++row)
    if (also_within || is_outside(spec, pairs, design, row))
      rows.push_back(row);
  if (rows.empty())
    return out;
  const std::vector<Index> at(rows.begin(), rows.end());
  const Design some = take_rows(design, rows);
  Design within = within_ranges(spec, some);
  move_to_measured(pairs, within);
  VectorXd formula_within = out.mean(at);
  if (const std::vector<std::size_t> moved = moved_rows(spec, some, within); !moved.empty())
    formula_within(std::vector<Index>(moved.begin(), moved.end())) =
        log_times_of_formula(model, take_rows(within, moved));
  const BelievedTimes believed =
      model.belief->beside(spec, some, within, out.mean(at), formula_within);
  out.mean(at) = believed.mean;
  out.deviation(at) = believed.deviation;
  out.beyond(at) = believed.beyond;
  return out;
}

VectorXd bound_moves(const FittedModel& model, const Design& design) {
  return normal_quantile(model.bound.value().quantile) *
         believed_times(model, design, false).beyond;
}

}  // namespace perfmodel
