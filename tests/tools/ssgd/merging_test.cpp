#include "ssgd/ssgd.hpp"

#include <algorithm>
#include <limits>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::ssgd;

namespace {

/// Gradients in backward order from times and bytes in forward order.
std::vector<Gradient> gradients_of(const std::vector<double>& backward_us,
                                   const std::vector<double>& bytes) {
  std::vector<Gradient> gradients;
  double ready = 0;
  for (std::size_t l = backward_us.size(); l-- > 0;) {
    ready += backward_us[l];
    gradients.push_back({l, ready, bytes[l], {}});
  }
  return gradients;
}

double finish(const std::vector<Gradient>& gradients, const MergePolicy& policy,
              const LinearCost& cost) {
  return send(gradients, group(gradients, policy, cost), cost).back().end_us;
}

/// Every way to cut the list into neighbours.
double brute_force(const std::vector<Gradient>& gradients, const LinearCost& cost) {
  const std::size_t n = gradients.size();
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t cuts = 0; cuts < (std::size_t{1} << (n - 1)); ++cuts) {
    std::vector<Group> groups = {{0, 0}};
    for (std::size_t i = 1; i < n; ++i) {
      if (((cuts >> (i - 1)) & 1U) != 0)
        groups.push_back({i, i});
      groups.back().last = i;
    }
    best = std::min(best, send(gradients, groups, cost).back().end_us);
  }
  return best;
}

std::vector<Gradient> random_gradients(RandomStream& random, std::size_t most) {
  const std::size_t n = 1 + random.below(most);
  std::vector<double> backward;
  std::vector<double> bytes;
  for (std::size_t l = 0; l < n; ++l) {
    backward.push_back(random.uniform(0, 10));
    bytes.push_back(1 + static_cast<double>(random.below(1000)));
  }
  return gradients_of(backward, bytes);
}

LinearCost random_cost(RandomStream& random) {
  return {random.uniform(0, 10), random.uniform(0, 0.02)};
}

}  // namespace

TEST_CASE("the dynamic programme equals brute force in 1000 random cases", "[ssgd]") {
  RandomStream random(1, "ssgd brute force");
  std::size_t rule_is_worse = 0;
  for (int repetition = 0; repetition < 1000; ++repetition) {
    const auto gradients = random_gradients(random, 10);
    const LinearCost cost = random_cost(random);
    CAPTURE(repetition);
    const double optimum = finish(gradients, {Merge::optimal, 0}, cost);
    REQUIRE(optimum == Catch::Approx(brute_force(gradients, cost)).epsilon(1e-12));
    rule_is_worse += finish(gradients, {Merge::mgwfbp, 0}, cost) > optimum * (1 + 1e-9) ? 1U : 0U;
  }
  // The finding that makes 'optimal' worth having.
  CHECK(rule_is_worse > 100);
}

TEST_CASE("the released code's rule is never worse than a message per layer", "[ssgd]") {
  RandomStream random(2, "ssgd rule");
  for (int repetition = 0; repetition < 2000; ++repetition) {
    const auto gradients = random_gradients(random, 30);
    const LinearCost cost = random_cost(random);
    CAPTURE(repetition);
    const double none = finish(gradients, {Merge::none, 0}, cost);
    REQUIRE(finish(gradients, {Merge::mgwfbp, 0}, cost) <= none * (1 + 1e-12));
    REQUIRE(finish(gradients, {Merge::optimal, 0}, cost) <=
            finish(gradients, {Merge::mgwfbp, 0}, cost) * (1 + 1e-12));
  }
}

TEST_CASE("a message starts when its gradients are ready and the channel is free", "[ssgd]") {
  RandomStream random(3, "ssgd channel");
  for (int repetition = 0; repetition < 200; ++repetition) {
    const auto gradients = random_gradients(random, 20);
    const LinearCost cost = random_cost(random);
    double free = 0;
    for (const auto& message : send(gradients, group(gradients, {Merge::mgwfbp, 0}, cost), cost)) {
      REQUIRE(message.start_us >= free);
      REQUIRE(message.start_us >= gradients[message.gradients.last].ready_us);
      free = message.end_us;
    }
  }
}
