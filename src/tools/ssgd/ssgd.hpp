#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/table.hpp"

namespace perfmodel::ssgd {

/// The time of a message: start_us + per_byte_us * bytes. 0 bytes are not sent.
struct LinearCost {
  double start_us = 0;
  double per_byte_us = 0;

  double operator()(double bytes) const { return bytes > 0 ? start_us + per_byte_us * bytes : 0; }
};

/// How the gradients of all workers are summed and distributed (all-reduce).
enum class Aggregation {
  ring,
  recursive_doubling,
  halving_doubling,  ///< Rabenseifner's algorithm
  tree,              ///< binary tree: reduce, then broadcast
  double_tree,       ///< two pipelined trees
  parameter_server,
  hierarchical,         ///< reduce-scatter and all-gather within a node, rings between nodes
  hierarchical_leader,  ///< reduce and broadcast within a node, one ring between the leaders
};

using perfmodel::to_text;
constexpr auto texts_of(Aggregation) {
  using enum Aggregation;
  return std::to_array<EnumText<Aggregation>>({{ring, "ring"},
                                               {recursive_doubling, "recursive-doubling"},
                                               {halving_doubling, "halving-doubling"},
                                               {tree, "tree"},
                                               {double_tree, "double-tree"},
                                               {parameter_server, "parameter-server"},
                                               {hierarchical, "hierarchical"},
                                               {hierarchical_leader, "hierarchical-leader"}});
}

/// Whether the formula was derived for this program, rather than published.
bool is_own_design(Aggregation aggregation);

/// A link: start-up time of a message, and time per byte (the inverse of the bandwidth).
struct Link {
  double alpha_us = 0;
  double beta_us = 0;
};

struct Network {
  Aggregation aggregation = Aggregation::ring;
  Link link;                ///< between workers or, for hierarchical aggregation, between nodes
  double gamma_us = 0;      ///< to add up one byte
  std::size_t servers = 1;  ///< parameter server only
  std::size_t workers_per_node = 1;  ///< hierarchical only
  Link inside;                       ///< within a node, hierarchical only
  bool own_link_per_worker = false;  ///< between nodes: a link per worker instead of one per node
};

/// The cost of one aggregation over `workers` workers; 0 for one worker. lg N is ceil(log2 N).
/// Throws UsageError if a hierarchical aggregation cannot divide the workers into whole nodes.
LinearCost aggregation_cost(const Network& network, std::size_t workers);

/// The network with transfers that take no time; summation still does.
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

/// Fits the points of at least `smallest_bytes`, since small messages often use another protocol.
/// Throws InputError if fewer than three points or only one size remain.
LatencyFit fit_latencies(const std::vector<Latency>& latencies, double smallest_bytes);

/// alpha and beta of a ring all-reduce with this cost (gamma is part of beta); `workers` > 1.
Link as_ring(const LinearCost& cost, std::size_t workers);

/// Compute times of one layer for one mini-batch, in microseconds.
struct LayerTimes {
  double forward_us = 0;
  double backward_us = 0;
};

struct Layer {
  std::string name;
  double gradient_bytes = 0;
  std::optional<double> communication_us;  ///< measured time of the aggregation of this layer alone
  std::vector<LayerTimes> times;           ///< one per worker, or a single one for all workers
};

/// The measured layers of a network in forward order.
struct Profile {
  std::vector<Layer> layers;
  std::optional<double> update_us;  ///< sum over the layers, if in the file

  /// All layers have the times of as many workers.
  std::size_t workers_measured() const { return layers.front().times.size(); }
  /// Whether every layer has a measured aggregation time; if not, none has.
  bool has_communication() const { return layers.front().communication_us.has_value(); }
  double gradient_bytes() const;
};

struct ProfileOptions {
  double bytes_per_element = 4;  ///< if the file has numbers of elements
  /// Ratio t_f / t_b for files without forward times; the authors' script uses 0.5.
  std::optional<double> forward_share;
};

/// Columns: layer (1 .. L, forward order), t_b_us, grad_bytes or grad_elems; optional name, t_f_us,
/// t_c_us, t_u_us, and worker if the layers of every worker were measured (L rows each; the bytes
/// of a layer are equal on all workers, its t_c_us and t_u_us are those of the slowest).
///
/// Throws InputError with file, line and column for cells that cannot be used.
Profile profile_of(const Table& table, const ProfileOptions& options);

/// Reads the columns bytes and latency_us.
std::vector<Latency> latencies_of(const Table& table);

/// The compute of one iteration.
struct Compute {
  double forward_us = 0;         ///< until the backward pass starts
  std::vector<double> ready_us;  ///< per layer: when its gradient is ready, since that start

  double backward_us() const { return ready_us.front(); }
};

/// ready(l) = sum of t_b over the layers l .. L. With several workers, the slowest one counts for
/// each layer: a gradient is summed only when all workers have it.
Compute slowest_compute(const Profile& profile);

/// The compute with the mean over the workers of each layer's times: perfect balance.
Compute balanced_compute(const Profile& profile);

/// The gradient of one layer that has to be sent. Lists of gradients are in backward order, in
/// which they become ready: `ready_us` never decreases.
struct Gradient {
  std::size_t layer = 0;  ///< index of the layer in forward order, from 0
  double ready_us = 0;    ///< since the start of the backward pass
  double bytes = 0;
  std::optional<double> measured_us;  ///< time of a message with this gradient alone, if measured
};

/// Gradients first .. last (indices into the list) that are sent in one message.
struct Group {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// A message in transit; times since the start of the backward pass.
struct Message {
  Group gradients;
  double bytes = 0;
  double start_us = 0;
  double end_us = 0;
};

enum class Merge {
  naive,      ///< a message per layer, all after the backward pass; the others overlap with it
  none,       ///< a message per layer
  single,     ///< one message after the backward pass
  threshold,  ///< a message as soon as `threshold_bytes` are ready
  mgwfbp,     ///< the pairwise rule of the released MG-WFBP code
  optimal,    ///< the consecutive groups that finish earliest
};

constexpr auto texts_of(Merge) {
  using enum Merge;
  return std::to_array<EnumText<Merge>>({{naive, "naive"},
                                         {none, "none"},
                                         {single, "single"},
                                         {threshold, "threshold"},
                                         {mgwfbp, "mgwfbp"},
                                         {optimal, "optimal"}});
}

struct MergePolicy {
  Merge merge = Merge::none;
  double threshold_bytes = 0;  ///< for Merge::threshold
};

/// "none", "threshold:26214400"
std::string to_text(const MergePolicy& policy);
/// The inverse of to_text(), for policies other than `naive`. Throws UsageError.
MergePolicy parse_merge(std::string_view text);

/// Groups the gradients, in their order. Only `mgwfbp` and `optimal` use `cost`.
std::vector<Group> group(const std::vector<Gradient>& gradients, const MergePolicy& policy,
                         const LinearCost& cost);

/// Wait-free back-propagation: messages are sent one after another over one channel, each as soon
/// as its gradients are ready and the channel is free.
///
///     start = max(end of the previous message, ready time of its last gradient)
///
/// Without a cost, each gradient must be a group and takes its own measured time.
std::vector<Message> send(const std::vector<Gradient>& gradients, const std::vector<Group>& groups,
                          const std::optional<LinearCost>& cost);

/// The imbalance of a phase on G workers, by the five definitions in use; m is the mean and M the
/// maximum of the workers' times.
///
/// The literature on S-SGD does not say which of them it means by "load imbalance factor", or where
/// it enters the time. Here, `load_imbalance_factor` stretches the compute phases.
struct Imbalance {
  std::size_t workers = 1;
  double imbalance_ratio = 1;        ///< M / m, in [1, G]
  double load_imbalance_factor = 0;  ///< lambda = M / m - 1, in [0, G - 1]
  double pop_load_balance = 1;       ///< m / M, in [1 / G, 1] (POP, Cube)
  double relative_imbalance = 0;     ///< 1 - m / M, in [0, 1 - 1 / G] (Sakellariou)
  /// (M - m) / M * G / (G - 1) * 100, in [0, 100] (DeRose); 0 for one worker
  double imbalance_percentage = 0;
};

/// Throws UsageError unless 0 <= lambda <= G - 1.
Imbalance imbalance_of_factor(double lambda, std::size_t workers);

/// The imbalance of measured times, one per worker, all >= 0 and not all 0.
Imbalance imbalance_of_times(const std::vector<double>& times);

/// The imbalance of a batch of `samples` divided into G parts as equal as whole samples allow:
/// lambda = ceil(B/G) * G / B - 1. Throws UsageError if a worker would get no sample.
Imbalance imbalance_of_even_split(std::size_t samples, std::size_t workers);

/// Which part of loading the next input overlaps the compute of an iteration. The choice of stages
/// is specific to this program.
enum class InputPipeline {
  serial,         ///< none: read, split, copy, then compute
  host_prefetch,  ///< read and split; the copy to the device waits for the compute
  device_buffer,  ///< read, split and copy, one after another
  three_stages,   ///< read and split, copy, and compute, all three in parallel
};

constexpr auto texts_of(InputPipeline) {
  using enum InputPipeline;
  return std::to_array<EnumText<InputPipeline>>({{serial, "serial"},
                                                 {host_prefetch, "host-prefetch"},
                                                 {device_buffer, "device-buffer"},
                                                 {three_stages, "three-stages"}});
}

/// Times of one iteration other than those of layers, in microseconds.
struct Phases {
  double read_us = 0;   ///< t_io: reading and decoding the mini-batch of one worker
  double split_us = 0;  ///< t_split: dividing the mini-batch of all workers, on the host
  double copy_us = 0;   ///< t_h2d: copying to the device
  double update_us = 0;
  InputPipeline pipeline = InputPipeline::serial;
};

/// How gradients are exchanged.
struct Exchange {
  MergePolicy merge;
  std::optional<LinearCost> cost;  ///< nullopt: each layer's message takes its measured time
  /// Overrides the groups of the policy.
  std::optional<std::vector<Group>> groups;
};

/// An iteration in its steady state, as modelled.
struct Iteration {
  Phases phases;
  Compute compute;
  std::vector<Gradient> gradients;  ///< backward order; empty for one worker
  std::vector<Message> messages;
  double communication_us = 0;  ///< T_c: all messages, overlapped or not
  double finish_us = 0;         ///< since the start of the backward pass: all gradients are summed
  double exposed_us = 0;        ///< X_c: communication that is not overlapped
  double total_us = 0;
};

enum class SpanKind { read, split, copy, forward, backward, update, message };

/// An activity with its start and end.
struct Span {
  SpanKind kind = SpanKind::forward;
  double start_us = 0;
  double end_us = 0;
};

/// Activities of one resource, one after another.
struct Lane {
  std::string name;
  std::vector<Span> spans;
};

/// An iteration in its steady state. Input that overlaps the compute is for the next one.
struct Timeline {
  double total_us = 0;
  std::vector<Lane> lanes;  ///< from top to bottom; none is empty
};

Timeline timeline_of(const Profile& profile, const Iteration& iteration);

/// A network on `workers` workers, for study().
struct StudyRequest {
  std::size_t workers = 1;
  Phases phases;             ///< of one worker, before disk or bus are shared
  bool shared_disk = false;  ///< all workers read from one disk, one after another
  bool shared_bus = false;   ///< all workers' copies share one bus, one after another
  /// Stretches the compute of a profile of one worker; a profile of several workers has its own.
  std::optional<Imbalance> imbalance;
  /// Cost of a message; required if none was measured. Measured times take precedence, but merged
  /// messages have none, so that schedules are compared by the cost model as well.
  std::optional<LinearCost> cost;
  LinearCost ideal_cost;  ///< of the same message on a network without alpha and beta
  MergePolicy merge;
  /// The same network with the whole mini-batch on one worker, for strong scaling. Without it, the
  /// batch per worker is fixed: weak scaling.
  std::optional<Profile> reference;
};

/// One schedule of the exchange, for comparison with others.
struct Schedule {
  std::string name;       ///< "naive" or a merge policy
  bool measured = false;  ///< message times are measured, not from the cost model
  bool chosen = false;
  Iteration iteration;
  double speedup = 0;
  double efficiency = 0;
};

/// Parallel efficiency and its factors as defined by the POP Centre of Excellence; "useful" is the
/// time of forward, backward and update.
struct PopFactors {
  double load_balance = 1;              ///< mean / max useful
  double serialisation_efficiency = 1;  ///< max useful / runtime on the ideal network
  double transfer_efficiency = 1;       ///< runtime on the ideal network / runtime
  double communication_efficiency = 1;  ///< max useful / runtime
  double parallel_efficiency = 1;       ///< mean useful / runtime
  double computation_scaling = 1;       ///< useful on one worker / on all, for the same samples
  double global_efficiency = 1;         ///< parallel_efficiency * computation_scaling
};

struct Study {
  std::size_t workers = 1;
  bool strong_scaling = false;
  Imbalance imbalance;
  Iteration single;  ///< T(1), with the batch per worker or, for strong scaling, the whole batch
  Iteration chosen;
  std::vector<Schedule> schedules;
  double speedup = 1;
  double efficiency = 1;
  double lost_to_communication_us = 0;  ///< time that an iteration without communication would save
  double lost_to_imbalance_us = 0;      ///< time that perfect balance would save
  double bound_us = 0;  ///< lower bound for a message per layer, by measured times if there are any
  PopFactors pop;
};

/// Throws UsageError if messages of the chosen schedule have neither a measured time nor a cost.
Study study(const Profile& profile, const StudyRequest& request);

}  // namespace perfmodel::ssgd
