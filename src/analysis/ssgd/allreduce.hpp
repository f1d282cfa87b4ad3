#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace perfmodel::ssgd {

/// The time of one message: start_us + per_byte_us * bytes; nothing is sent for 0 bytes.
struct LinearCost {
  double start_us = 0;
  double per_byte_us = 0;

  double operator()(double bytes) const { return bytes > 0 ? start_us + per_byte_us * bytes : 0; }
};

/// How the gradients of all workers are summed and handed back.
enum class Aggregation {
  ring,
  recursive_doubling,
  halving_doubling,  ///< Rabenseifner
  tree,              ///< binary tree: reduce, then broadcast
  double_tree,       ///< two pipelined trees
  parameter_server,
  hierarchical,         ///< reduce-scatter and all-gather inside a node, rings between the nodes
  hierarchical_leader,  ///< reduce and broadcast inside a node, one ring between the leaders
};

inline constexpr Aggregation kAllAggregations[] = {
    Aggregation::ring,         Aggregation::recursive_doubling,  Aggregation::halving_doubling,
    Aggregation::tree,         Aggregation::double_tree,         Aggregation::parameter_server,
    Aggregation::hierarchical, Aggregation::hierarchical_leader,
};

std::string_view to_text(Aggregation aggregation);
std::optional<Aggregation> aggregation_of(std::string_view text);

/// Whether the formula is common knowledge (or the authors' code), or a design choice of ours.
bool is_own_design(Aggregation aggregation);

/// One link: start-up of a message, and time per byte (the inverse of the bandwidth).
struct Link {
  double alpha_us = 0;
  double beta_us = 0;
};

struct Network {
  Aggregation aggregation = Aggregation::ring;
  Link link;            ///< between the workers, or between the nodes where these are told apart
  double gamma_us = 0;  ///< to add up one byte
  std::size_t servers = 1;           ///< of a parameter server
  std::size_t workers_per_node = 1;  ///< hierarchical only
  Link inside;                       ///< within a node, hierarchical only
  bool own_link_per_worker = false;  ///< between the nodes: a link per worker, not one per node
};

/// The cost of one aggregation over `workers` workers; zero for one worker. lg N is ceil(log2 N).
/// Throws UsageError where a hierarchy does not divide the workers into whole nodes.
LinearCost aggregation_cost(const Network& network, std::size_t workers);

/// The same network with messages that take no time; adding up still does.
Network ideal(Network network);

/// Ordinary least squares of measured latencies on message sizes.
struct LatencyFit {
  LinearCost cost;
  double r2 = 0;
  std::size_t points = 0;
};

struct Latency {
  double bytes = 0;
  double time_us = 0;
};

/// Over the points of at least `smallest_bytes`: small messages often use another protocol. Throws
/// InputError where fewer than three points or only one size remain.
LatencyFit fit_latencies(const std::vector<Latency>& latencies, double smallest_bytes);

/// alpha and beta of a ring with this cost (gamma is part of beta); `workers` > 1.
Link as_ring(const LinearCost& cost, std::size_t workers);

}  // namespace perfmodel::ssgd
