#include <fmt/core.h>
#include <algorithm>
#include <span>

#include "base/random.hpp"
#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "suggest/plan.hpp"

namespace perfmodel::plan {

void for_each_configuration(const Space& space,
                            const std::function<void(const Configuration&)>& visit) {
  const std::size_t columns = space.columns.size();
  std::vector<std::size_t> digits(columns, 0);
  Configuration configuration(columns);
  while (true) {
    for (std::size_t c = 0; c < columns; ++c)
      configuration[c] = space.columns[c].choice(digits[c]);
    visit(configuration);
    std::size_t c = columns;
    while (c > 0 && ++digits[c - 1] == space.columns[c - 1].choices())
      digits[--c] = 0;
    if (c == 0)
      return;
  }
}

namespace {

constexpr std::size_t kMostEnumerated = 200000;
/// Draws for a new configuration until the conditions count as impossible to fulfil.
constexpr std::size_t kMostDraws = 100000;
constexpr std::size_t kMostDrawsOfRuns = 2000;  // since these are more often new and valid

[[noreturn]] void too_few(const Space& space, std::size_t n, const std::string& found) {
  throw InputError(fmt::format("{}: there are {}{}, not {}", space.source, found,
                               space.where.empty() ? "" : " that fulfil its conditions", n));
}

/// All configurations of a space of rows or lists that fulfil its conditions.
std::vector<Configuration> all_of(const Space& space, const Conditions& conditions) {
  std::vector<Configuration> all;
  const auto add = [&](const Configuration& configuration) {
    if (conditions(configuration))
      all.push_back(configuration);
  };
  if (space.is_listed())
    std::ranges::for_each(space.rows, add);
  else
    for_each_configuration(space, add);
  return all;
}

/// Adds those of the candidates that are new, in their order, until the plan has n configurations.
void add_new(Plan& plan, const std::vector<Configuration>& candidates, std::size_t n) {
  std::set<Configuration> known(plan.configurations.begin(), plan.configurations.end());
  for (const Configuration& candidate : candidates) {
    if (plan.configurations.size() >= n)
      return;
    if (known.insert(candidate).second)
      plan.configurations.push_back(candidate);
  }
}

/// A random configuration. In a space of runs: a random run, in which bound columns take the values
/// of other runs, if the result can exist.
Configuration draw(const Space& space, RandomStream& random) {
  Configuration drawn(space.columns.size());
  if (space.rows.empty()) {
    for (std::size_t c = 0; c < drawn.size(); ++c)
      drawn[c] = space.columns[c].value_at(random.uniform());
    return drawn;
  }
  drawn = space.rows[random.below(space.rows.size())];
  for (std::size_t i = 0; i < 2 * space.bonds.size(); ++i) {
    Configuration moved = drawn;
    const Configuration& other = space.rows[random.below(space.rows.size())];
    for (const std::size_t c : space.bonds[random.below(space.bonds.size())].columns)
      moved[c] = other[c];
    if (can_exist(space, moved))
      drawn = std::move(moved);
  }
  return drawn;
}

/// Draws for a Latin hypercube: column by column, the strata in random order.
std::vector<Configuration> strata(const Space& space, std::size_t n, std::uint64_t seed) {
  std::vector<Configuration> points(n, Configuration(space.columns.size()));
  for (std::size_t c = 0; c < space.columns.size(); ++c) {
    RandomStream random(seed, "plan latin hypercube", c);
    std::vector<std::size_t> order = indices(n);
    random.shuffle(std::span(order));
    const SpaceColumn& column = space.columns[c];
    // It is random, too, which values of a list occur once more than others.
    std::vector<double> choices;
    if (!column.is_range()) {
      choices = mapped(indices(column.choices()), [&](std::size_t k) { return column.choice(k); });
      random.shuffle(std::span(choices));
    }
    for (std::size_t i = 0; i < n; ++i) {
      points[order[i]][c] = column.is_range()
                                ? column.value_at((static_cast<double>(i) + random.uniform()) /
                                                  static_cast<double>(n))
                                : choices[i % choices.size()];
    }
  }
  return points;
}

/// Swaps values between configurations until all fulfil the conditions and are distinct, if
/// possible. Returns the indices of those for which it is not.
std::vector<std::size_t> repair(const Conditions& conditions, std::uint64_t seed,
                                const std::vector<Configuration>& existing,
                                std::vector<Configuration>& points) {
  std::multiset<Configuration> known(existing.begin(), existing.end());
  known.insert(points.begin(), points.end());
  const auto is_good = [&](const Configuration& point) {
    return known.count(point) == 1 && conditions(point);
  };
  std::vector<std::size_t> bad;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!is_good(points[i]))
      bad.push_back(i);
  RandomStream random(seed, "plan repair");
  const auto swap = [&](std::size_t i, std::size_t j, std::size_t c) {
    known.erase(known.find(points[i]));
    known.erase(known.find(points[j]));
    std::swap(points[i][c], points[j][c]);
    known.insert(points[i]);
    known.insert(points[j]);
  };
  std::vector<std::size_t> hopeless;
  for (const std::size_t i : bad) {
    bool repaired = is_good(points[i]);  // a swap for another one may have repaired it
    for (std::size_t attempt = 0; attempt < 2000 && !repaired; ++attempt) {
      const std::size_t j = random.below(points.size());
      const std::size_t c = random.below(points[i].size());
      if (points[i][c] == points[j][c])
        continue;
      const bool other_was_good = is_good(points[j]);
      swap(i, j, c);
      // The other one may stay invalid, but must not duplicate a third one, making it invalid, too.
      const bool other_does_no_harm =
          is_good(points[j]) || (!other_was_good && !conditions(points[j]));
      repaired = is_good(points[i]) && other_does_no_harm;
      if (!repaired)
        swap(i, j, c);
    }
    if (!repaired)
      hopeless.push_back(i);
  }
  return hopeless;
}

}  // namespace

bool is_small(const Space& space, std::size_t most) {
  const auto size = space.size();
  return size && *size <= static_cast<double>(most);
}

Plan random_plan(const Space& space, std::size_t n, std::uint64_t seed,
                 const std::vector<Configuration>& existing) {
  const Conditions conditions = conditions_of(space);
  Plan plan{existing, 0};
  RandomStream random(seed, "plan random");
  if (space.is_listed() || is_small(space, kMostEnumerated)) {
    auto candidates = all_of(space, conditions);
    const std::size_t found = candidates.size();
    random.shuffle(std::span(candidates));
    add_new(plan, candidates, n);
    if (plan.configurations.size() < n)
      too_few(space, n, fmt::format("only {} configurations", found));
    return plan;
  }
  std::set<Configuration> known(existing.begin(), existing.end());
  const std::size_t most_draws = space.rows.empty() ? kMostDraws : kMostDrawsOfRuns;
  for (std::size_t draws = 0; plan.configurations.size() < n;) {
    const Configuration configuration = draw(space, random);
    if (conditions(configuration) && known.insert(configuration).second) {
      plan.configurations.push_back(configuration);
      draws = 0;
    } else if (++draws == most_draws) {
      too_few(space, n,
              fmt::format("hardly more than {} configurations to be found",
                          plan.configurations.size()));
    }
  }
  return plan;
}

std::vector<Configuration> random_configurations(const Space& space, std::size_t least,
                                                 std::size_t most, std::uint64_t seed,
                                                 const std::vector<Configuration>& existing) {
  for (std::size_t wanted = most;; wanted = std::max(least, wanted / 2)) {
    try {
      return random_plan(space, existing.size() + wanted, seed, existing).configurations;
    } catch (const InputError&) {  // its conditions permit fewer
      if (wanted <= least)
        throw;
    }
  }
}

std::vector<Configuration> sample(const Space& space, std::size_t most, std::uint64_t seed) {
  const std::size_t n = is_small(space, most)
                            ? std::max<std::size_t>(1, all_of(space, conditions_of(space)).size())
                            : most;
  return random_configurations(space, 1, n, seed, {});
}

Plan latin_hypercube_plan(const Space& space, std::size_t n, std::uint64_t seed,
                          const std::vector<Configuration>& existing) {
  if (existing.size() >= n)
    return {existing, 0};
  const Conditions conditions = conditions_of(space);
  auto points = strata(space, n - existing.size(), seed);
  const auto hopeless = repair(conditions, seed, existing, points);
  Plan plan{existing, hopeless.size()};
  const std::set<std::size_t> left_out(hopeless.begin(), hopeless.end());
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!left_out.contains(i))
      plan.configurations.push_back(points[i]);
  return {random_plan(space, n, seed, plan.configurations).configurations, plan.off_balance};
}

}  // namespace perfmodel::plan
