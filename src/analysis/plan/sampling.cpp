#include "analysis/plan/sampling.hpp"

#include <set>
#include <string>
#include <utility>

#include "analysis/plan/enumeration.hpp"
#include "base/random.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::plan {
namespace {

constexpr std::size_t kMostEnumerated = 200000;
/// Draws for one new configuration, before the conditions are taken to be hopeless.
constexpr std::size_t kMostDraws = 100000;
constexpr std::size_t kMostDrawsOfRuns = 2000;  // which are more often something new

[[noreturn]] void too_few(const Space& space, std::size_t n, const std::string& found) {
  throw InputError(space.source + ": there are " + found +
                   (space.where.empty() ? "" : " that fulfil its conditions") + ", not " +
                   std::to_string(n));
}

/// All configurations of a space of lists that fulfil its conditions.
std::vector<Configuration> all_of(const Space& space, const Conditions& conditions) {
  std::vector<Configuration> all;
  for_each_configuration(space, [&](const Configuration& configuration) {
    if (conditions.hold(configuration))
      all.push_back(configuration);
  });
  return all;
}

/// Adds what is new in `candidates`, in their order, until the plan has n.
void add_new(Plan& plan, const std::vector<Configuration>& candidates, std::size_t n) {
  std::set<Configuration> known(plan.configurations.begin(), plan.configurations.end());
  for (const Configuration& candidate : candidates) {
    if (plan.configurations.size() >= n)
      return;
    if (known.insert(candidate).second)
      plan.configurations.push_back(candidate);
  }
}

bool is_small(const Space& space) {
  const auto size = space.size();
  return size && *size <= static_cast<double>(kMostEnumerated);
}

/// Of runs: a random one, whose columns take values of others where the result can exist.
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
    if (is_known_to_exist(space, moved))
      drawn = std::move(moved);
  }
  return drawn;
}

/// Draws for the columns of a Latin hypercube: column by column, the strata in random order.
std::vector<Configuration> strata(const Space& space, std::size_t n, std::uint64_t seed) {
  std::vector<Configuration> points(n, Configuration(space.columns.size()));
  std::vector<std::size_t> order(n);
  for (std::size_t c = 0; c < space.columns.size(); ++c) {
    RandomStream random(seed, "plan latin hypercube", c);
    for (std::size_t i = 0; i < n; ++i)
      order[i] = i;
    random.shuffle(std::span(order));
    const SpaceColumn& column = space.columns[c];
    // Which values of a list get one more than the others is random too.
    std::vector<double> choices;
    if (!column.is_range()) {
      for (std::size_t k = 0; k < column.choices(); ++k)
        choices.push_back(column.is_text() ? static_cast<double>(k) : column.values[k]);
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

/// Swaps values between configurations until all fulfil the conditions and none stands twice, as
/// far as that succeeds. Returns the rows that remain bad.
std::vector<std::size_t> repair(const Conditions& conditions, std::uint64_t seed,
                                const std::vector<Configuration>& existing,
                                std::vector<Configuration>& points) {
  std::multiset<Configuration> known(existing.begin(), existing.end());
  known.insert(points.begin(), points.end());
  const auto is_good = [&](const Configuration& point) {
    return known.count(point) == 1 && conditions.hold(point);
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
    bool repaired = is_good(points[i]);  // a swap for another may have done it
    for (std::size_t attempt = 0; attempt < 2000 && !repaired; ++attempt) {
      const std::size_t j = random.below(points.size());
      const std::size_t c = random.below(points[i].size());
      if (points[i][c] == points[j][c])
        continue;
      const bool other_was_good = is_good(points[j]);
      swap(i, j, c);
      // The other may be bad as before, but not the double of a third, which would then be bad too.
      const bool other_does_no_harm =
          is_good(points[j]) || (!other_was_good && !conditions.hold(points[j]));
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

Plan random_plan(const Space& space, std::size_t n, std::uint64_t seed,
                 const std::vector<Configuration>& existing) {
  const Conditions conditions(space);
  Plan plan{existing, 0};
  RandomStream random(seed, "plan random");
  if (is_small(space)) {
    auto candidates = all_of(space, conditions);
    const std::size_t found = candidates.size();
    random.shuffle(std::span(candidates));
    add_new(plan, candidates, n);
    if (plan.configurations.size() < n)
      too_few(space, n, "only " + std::to_string(found) + " configurations");
    return plan;
  }
  std::set<Configuration> known(existing.begin(), existing.end());
  const std::size_t most_draws = space.rows.empty() ? kMostDraws : kMostDrawsOfRuns;
  for (std::size_t draws = 0; plan.configurations.size() < n;) {
    const Configuration configuration = draw(space, random);
    if (conditions.hold(configuration) && known.insert(configuration).second) {
      plan.configurations.push_back(configuration);
      draws = 0;
    } else if (++draws == most_draws) {
      too_few(space, n,
              "hardly more than " + std::to_string(plan.configurations.size()) +
                  " configurations to be found");
    }
  }
  return plan;
}

Plan latin_hypercube_plan(const Space& space, std::size_t n, std::uint64_t seed,
                          const std::vector<Configuration>& existing) {
  if (existing.size() >= n)
    return {existing, 0};
  const Conditions conditions(space);
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
