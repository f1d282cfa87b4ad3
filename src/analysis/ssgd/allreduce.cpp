#include "analysis/ssgd/allreduce.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "perfmodel/base/error.hpp"

namespace perfmodel::ssgd {
namespace {

constexpr std::pair<Aggregation, std::string_view> kAggregationNames[] = {
    {Aggregation::ring, "ring"},
    {Aggregation::recursive_doubling, "recursive-doubling"},
    {Aggregation::halving_doubling, "halving-doubling"},
    {Aggregation::tree, "tree"},
    {Aggregation::double_tree, "double-tree"},
    {Aggregation::parameter_server, "parameter-server"},
    {Aggregation::hierarchical, "hierarchical"},
    {Aggregation::hierarchical_leader, "hierarchical-leader"},
};

/// ceil(log2 n): the rounds that n workers need where each round doubles how many know.
double rounds(std::size_t n) {
  return static_cast<double>(std::bit_width(n - 1));
}

struct Nodes {
  std::size_t workers;  ///< m, in each node
  std::size_t count;    ///< K
};

Nodes nodes_of(const Network& network, std::size_t workers) {
  const std::size_t per_node = network.workers_per_node;
  if (per_node == 0 || workers % per_node != 0) {
    throw UsageError(std::to_string(workers) + " workers cannot be divided into nodes of " +
                     std::to_string(per_node));
  }
  return {per_node, workers / per_node};
}

/// Inside: reduce-scatter and all-gather, 2(m-1)/m of the bytes. Between the nodes m rings, one per
/// shard of n/m bytes, side by side: on one link per node they share it, so together they cost what
/// one ring of n bytes costs.
LinearCost hierarchical(const Network& network, std::size_t workers) {
  const Nodes nodes = nodes_of(network, workers);
  const auto m = static_cast<double>(nodes.workers);
  const auto k = static_cast<double>(nodes.count);
  const double shards_in_turn = network.own_link_per_worker ? 1 / m : 1;
  return {2 * (m - 1) * network.inside.alpha_us + 2 * (k - 1) * network.link.alpha_us,
          2 * (m - 1) / m * network.inside.beta_us +
              shards_in_turn * 2 * (k - 1) / k * network.link.beta_us +
              ((m - 1) / m + (k - 1) / k / m) * network.gamma_us};
}

/// Inside: a binary tree of reduce and broadcast. Between the leaders: one ring of all bytes.
LinearCost hierarchical_leader(const Network& network, std::size_t workers) {
  const Nodes nodes = nodes_of(network, workers);
  const auto k = static_cast<double>(nodes.count);
  const double deep = rounds(nodes.workers);
  return {2 * deep * network.inside.alpha_us + 2 * (k - 1) * network.link.alpha_us,
          deep * (2 * network.inside.beta_us + network.gamma_us) +
              2 * (k - 1) / k * network.link.beta_us + (k - 1) / k * network.gamma_us};
}

}  // namespace

std::string_view to_text(Aggregation aggregation) {
  return std::find_if(
             std::begin(kAggregationNames), std::end(kAggregationNames),
             [&](const auto& entry) { return entry.first == aggregation; })
      ->second;
}

std::optional<Aggregation> aggregation_of(std::string_view text) {
  for (const auto& [aggregation, name] : kAggregationNames)
    if (name == text)
      return aggregation;
  return std::nullopt;
}

bool is_own_design(Aggregation aggregation) {
  return aggregation == Aggregation::parameter_server || aggregation == Aggregation::hierarchical ||
         aggregation == Aggregation::hierarchical_leader;
}

LinearCost aggregation_cost(const Network& network, std::size_t workers) {
  if (workers <= 1)
    return {};
  const auto n = static_cast<double>(workers);
  const double lg = rounds(workers);
  const double alpha = network.link.alpha_us;
  const double beta = network.link.beta_us;
  const double gamma = network.gamma_us;
  switch (network.aggregation) {
    case Aggregation::ring:
      return {2 * (n - 1) * alpha, 2 * (n - 1) / n * beta + (n - 1) / n * gamma};
    case Aggregation::recursive_doubling:
      return {lg * alpha, lg * (beta + gamma)};
    case Aggregation::halving_doubling:
      return {2 * lg * alpha, 2 * (n - 1) / n * beta + (n - 1) / n * gamma};
    case Aggregation::tree:
      return {2 * lg * alpha, lg * (2 * beta + gamma)};
    case Aggregation::double_tree:
      return {2 * lg * alpha, beta + gamma};
    case Aggregation::parameter_server: {
      // The servers' links are what is short where there are more workers than servers.
      const double share = n / static_cast<double>(network.servers);
      return {2 * alpha, 2 * std::max(1.0, share) * beta + share * gamma};
    }
    case Aggregation::hierarchical:
      return hierarchical(network, workers);
    case Aggregation::hierarchical_leader:
      return hierarchical_leader(network, workers);
  }
  return {};
}

Network ideal(Network network) {
  network.link = {};
  network.inside = {};
  return network;
}

LatencyFit fit_latencies(const std::vector<Latency>& latencies, double smallest_bytes) {
  std::vector<Latency> used;
  std::copy_if(latencies.begin(), latencies.end(), std::back_inserter(used),
               [&](const Latency& point) { return point.bytes >= smallest_bytes; });
  if (used.size() < 3) {
    throw InputError("only " + std::to_string(used.size()) +
                     " latencies are of large enough messages; a line needs at least 3");
  }
  const auto n = static_cast<double>(used.size());
  double mean_bytes = 0;
  double mean_time = 0;
  for (const Latency& point : used) {
    mean_bytes += point.bytes / n;
    mean_time += point.time_us / n;
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (const Latency& point : used) {
    const double dx = point.bytes - mean_bytes;
    const double dy = point.time_us - mean_time;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  if (xx == 0)
    throw InputError("all latencies are of messages of one size; a line needs at least 2 sizes");
  LatencyFit fit;
  fit.points = used.size();
  fit.cost.per_byte_us = xy / xx;
  fit.cost.start_us = mean_time - fit.cost.per_byte_us * mean_bytes;
  fit.r2 = yy == 0 ? 1 : xy * xy / (xx * yy);
  return fit;
}

Link as_ring(const LinearCost& cost, std::size_t workers) {
  const auto n = static_cast<double>(workers);
  return {cost.start_us / (2 * (n - 1)), cost.per_byte_us * n / (2 * (n - 1))};
}

}  // namespace perfmodel::ssgd
