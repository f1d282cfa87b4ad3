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
  if (space.is_listed()) {
    std::ranges::for_each(space.rows, visit);
    return;
  }
  const auto all = static_cast<std::size_t>(space.size(true).value_or(0));
  Configuration configuration(space.columns.size());
  for (std::size_t k = 0; k < all; ++k) {
    for (std::size_t c = space.columns.size(), rest = k; c-- > 0;) {
      const SpaceColumn& column = space.columns[c];
      configuration[c] = column.choice(rest % column.choices());
      rest /= column.choices();
    }
    visit(configuration);
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
  for_each_configuration(space, [&](const Configuration& configuration) {
    if (conditions(configuration))
      all.push_back(configuration);
  });
  return all;
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
  RandomStream random(seed, "plan repair");
  const auto swap = [&](std::size_t i, std::size_t j, std::size_t c) {
    known.erase(known.find(points[i]));
    known.erase(known.find(points[j]));
    std::swap(points[i][c], points[j][c]);
    known.insert(points[i]);
    known.insert(points[j]);
  };
  std::vector<std::size_t> hopeless;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool repaired = is_good(points[i]);  // no swap makes a good one invalid
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

bool is_small(const Space& space, std::size_t most, bool counts_ranges) {
  const auto size = space.size(counts_ranges);
  return size && *size <= static_cast<double>(most);
}

Plan random_plan(const Space& space, std::size_t n, std::uint64_t seed,
                 const std::vector<Configuration>& existing) {
  const Conditions conditions = conditions_of(space);
  Plan plan{existing, 0};
  std::set<Configuration> known(existing.begin(), existing.end());
  const auto is_added = [&](const Configuration& configuration) {
    const bool is_new = known.insert(configuration).second;
    if (is_new)
      plan.configurations.push_back(configuration);
    return is_new;
  };
  RandomStream random(seed, "plan random");
  if (space.is_listed() || is_small(space, kMostEnumerated)) {
    auto candidates = all_of(space, conditions);
    random.shuffle(std::span(candidates));
    for (std::size_t k = 0; k < candidates.size() && plan.configurations.size() < n; ++k)
      is_added(candidates[k]);
    if (plan.configurations.size() < n)
      too_few(space, n, fmt::format("only {} configurations", candidates.size()));
    return plan;
  }
  const std::size_t most_draws = space.rows.empty() ? kMostDraws : kMostDrawsOfRuns;
  for (std::size_t draws = 0; plan.configurations.size() < n;) {
    const Configuration configuration = draw(space, random);
    if (conditions(configuration) && is_added(configuration))
      draws = 0;
    else if (++draws == most_draws)
      too_few(space, n,
              fmt::format("hardly more than {} configurations to be found",
                          plan.configurations.size()));
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
