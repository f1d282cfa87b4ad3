#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/table.hpp"

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

/// Compute times of one layer for one mini-batch, in microseconds.
struct LayerTimes {
  double forward_us = 0;
  double backward_us = 0;
};

struct Layer {
  std::string name;
  double gradient_bytes = 0;
  std::optional<double> communication_us;  ///< measured time of its own aggregation
  std::vector<LayerTimes> times;  ///< one per worker, or a single one where all are taken as alike
};

/// The layers of a network in forward order, as they were measured.
struct Profile {
  std::vector<Layer> layers;
  std::size_t workers_measured = 1;  ///< entries of every Layer::times
  std::optional<double> update_us;   ///< sum over the layers, where the file has it
  bool has_communication = false;    ///< every layer has its measured aggregation

  double gradient_bytes() const;
};

struct ProfileOptions {
  double bytes_per_element = 4;  ///< where the file counts elements
  /// t_f = this * t_b where the file has no forward times; the authors' script has 0.5.
  std::optional<double> forward_share;
};

/// Columns: layer (1 .. L, forward order), t_b_us, grad_bytes or grad_elems; optional name, t_f_us,
/// t_c_us, t_u_us, and worker where every worker's layers were measured (L rows each; the bytes of
/// a layer are the same on all, its t_c_us and t_u_us are those of its slowest worker).
///
/// Throws InputError with file, line and column for what cannot be used.
Profile profile_of(const Table& table, const ProfileOptions& options);

/// Columns bytes and latency_us.
std::vector<Latency> latencies_of(const Table& table);

/// When the compute of one iteration is where.
struct Compute {
  double forward_us = 0;         ///< until the backward pass starts
  std::vector<double> ready_us;  ///< per layer, since then: its gradient is there

  double backward_us() const { return ready_us.front(); }
};

/// ready(l) = sum of t_b over the layers l .. L. Of several workers the slowest decides, layer by
/// layer: all workers have to have a gradient before it can be summed.
Compute slowest_compute(const Profile& profile);

/// With the mean over the workers of each layer's times: what perfect balance would give.
Compute balanced_compute(const Profile& profile);

/// All compute takes (1 + lambda) times as long.
Compute stretched(Compute compute, double lambda);

/// Forward and backward time of each worker.
std::vector<double> compute_per_worker(const Profile& profile);

/// The gradient of one layer that has to be sent. Lists of them run in backward order, the order in
/// which they become ready: `ready_us` never falls.
struct Gradient {
  std::size_t layer = 0;  ///< index of the layer in forward order, from 0
  double ready_us = 0;    ///< since the start of the backward pass
  double bytes = 0;
  std::optional<double> measured_us;  ///< time of its own message, where that was measured
};

/// Gradients first .. last (indices into the list) that travel in one message.
struct Group {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// One message on the way; times since the start of the backward pass.
struct Message {
  Group gradients;
  double bytes = 0;
  double start_us = 0;
  double end_us = 0;
};

enum class Merge {
  none,       ///< a message per layer
  single,     ///< one message after the backward pass
  threshold,  ///< a message as soon as so many bytes are ready
  mgwfbp,     ///< the pairwise rule of the released MG-WFBP code
  optimal,    ///< no grouping of neighbours finishes earlier
};

struct MergePolicy {
  Merge merge = Merge::none;
  double threshold_bytes = 0;  ///< of Merge::threshold
};

/// "none", "threshold:26214400"; the inverse of parse_merge.
std::string to_text(const MergePolicy& policy);
/// Throws UsageError.
MergePolicy parse_merge(std::string_view text);

/// The groups of a policy, in the order of the gradients. `cost` is not looked at by `none`,
/// `single` and `threshold`.
std::vector<Group> group(const std::vector<Gradient>& gradients, const MergePolicy& policy,
                         const LinearCost& cost);

/// Wait-free back-propagation: messages go one after another over one channel, each as soon as its
/// gradients are ready and the channel is free.
///
///     tau_c = max(end of the message before, ready of its last gradient)
///
/// Without a cost the measured time of each gradient's own message is used, so no group may have
/// two gradients.
std::vector<Message> send(const std::vector<Gradient>& gradients, const std::vector<Group>& groups,
                          const std::optional<LinearCost>& cost);

/// How unevenly the same phase ran on G workers, by the five definitions in use; mean m, maximum M
/// of the workers' times.
///
/// Which of them the literature on S-SGD means by "load imbalance factor", and where it enters the
/// time, is not published; that `load_imbalance_factor` stretches the compute phases is our choice.
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

/// Of measured times, one per worker, none negative and not all 0.
Imbalance imbalance_of_times(const std::vector<double>& times);

/// Of a batch of `samples` cut into G parts as equal as whole samples allow:
/// lambda = ceil(B/G) * G / B - 1. Throws UsageError where a worker would get no sample.
Imbalance imbalance_of_even_split(std::size_t samples, std::size_t workers);

/// What of the input of the next iteration runs while this one computes.
///
/// That input can be loaded ahead is common knowledge; this choice of stages is our design.
enum class InputPipeline {
  serial,         ///< nothing: read, split, copy, then compute
  host_prefetch,  ///< reading and splitting; the copy to the device waits for the compute
  device_buffer,  ///< reading, splitting and copying, one after another
  three_stages,   ///< reading with splitting, copying, and computing, all three side by side
};

inline constexpr InputPipeline kAllPipelines[] = {
    InputPipeline::serial,
    InputPipeline::host_prefetch,
    InputPipeline::device_buffer,
    InputPipeline::three_stages,
};

std::string_view to_text(InputPipeline pipeline);

/// Times of one iteration besides the layers, in microseconds.
struct Phases {
  double read_us = 0;   ///< t_io: the mini-batch of one worker is read and decoded
  double split_us = 0;  ///< t_split: the host cuts the mini-batch of all into parts
  double copy_us = 0;   ///< t_h2d: to the device
  double update_us = 0;
  InputPipeline pipeline = InputPipeline::serial;
};

/// How gradients travel.
struct Exchange {
  bool overlapped = true;          ///< with the backward pass; otherwise all of it comes after
  MergePolicy merge;               ///< of an overlapped exchange
  std::optional<LinearCost> cost;  ///< nothing: each layer's message takes its measured time
  /// Instead of what the policy would group.
  std::optional<std::vector<Group>> groups;
};

/// One iteration in its steady state, as the model has it.
struct Iteration {
  Phases phases;
  Compute compute;
  std::vector<Gradient> gradients;  ///< backward order; none for one worker
  std::vector<Message> messages;
  double communication_us = 0;  ///< T_c: all messages, overlapped or not
  double finish_us = 0;         ///< since the start of the backward pass: all is summed
  double exposed_us = 0;        ///< X_c: what of the communication is not hidden
  double total_us = 0;
};

///     T = T_f + finish + t_u, and the input before or beside it
///
/// Nothing is sent by a single worker (`workers` = 1).
Iteration iterate(const Profile& profile, const Compute& compute, std::size_t workers,
                  const Phases& phases, const Exchange& exchange);

/// No schedule with a message per layer is faster:
///
///     T_f + max(T_b + t_c(1), t_b(L) + T_c) + t_u, and the input before or beside it
///
/// The last message comes after the backward pass, and no message before its first layer.
/// `iteration` has a message per layer.
double lower_bound(const Iteration& iteration);

enum class SpanKind { read, split, copy, forward, backward, update, message };

/// Something that runs from start to end.
struct Span {
  SpanKind kind = SpanKind::forward;
  std::string label;
  double start_us = 0;
  double end_us = 0;
};

/// One iteration in its steady state, lane by lane. Input that overlaps the compute is that of the
/// next iteration.
struct Timeline {
  double total_us = 0;
  std::vector<Span> host;  ///< reading and splitting
  std::vector<Span> copy;
  std::vector<Span> compute;
  std::vector<Span> communication;
};

Timeline timeline_of(const Profile& profile, const Iteration& iteration);

/// Name and spans of each lane, from top to bottom; lanes without spans are left out.
std::vector<std::pair<std::string, const std::vector<Span>*>> lanes(const Timeline& timeline);

/// What is asked about a network on `workers` workers.
struct StudyRequest {
  std::size_t workers = 1;
  Phases phases;             ///< of one worker, before its disk or bus is shared
  bool shared_disk = false;  ///< all workers read from one disk, one after another
  bool shared_bus = false;   ///< all workers' copies go over one bus, one after another
  /// Stretches the compute of a profile of one worker; a profile of several has its own.
  std::optional<Imbalance> imbalance;
  /// Of a message; needed where none was measured. A measured time goes first, but merged messages
  /// have none, so that schedules are compared by the cost model as well.
  std::optional<LinearCost> cost;
  LinearCost ideal_cost;  ///< of the same message on a network without alpha and beta
  bool overlapped = true;
  MergePolicy merge;
  /// The same network with the whole mini-batch on one worker: strong scaling. Without it the
  /// batch per worker stays as it is: weak scaling.
  std::optional<Profile> reference;
};

/// One way to exchange the gradients, beside the others.
struct ScheduleFigures {
  std::string name;       ///< "naive" or a merge policy
  bool measured = false;  ///< times of messages: measured, or those of the cost model
  bool chosen = false;
  std::size_t messages = 0;
  double communication_us = 0;
  double exposed_us = 0;
  double finish_us = 0;
  double total_us = 0;
  double speedup = 0;
  double efficiency = 0;
};

/// Parallel efficiency and its factors as the POP centre of excellence defines them; "useful" is
/// forward, backward and update.
struct PopFactors {
  double load_balance = 1;              ///< mean / max useful
  double serialisation_efficiency = 1;  ///< max useful / runtime on the ideal network
  double transfer_efficiency = 1;       ///< runtime on the ideal network / runtime
  double communication_efficiency = 1;  ///< max useful / runtime
  double parallel_efficiency = 1;       ///< mean useful / runtime
  double computation_scaling = 1;       ///< useful on one worker / on all, for the same samples
  double global_efficiency = 1;         ///< the product of the two before
};

struct Study {
  std::size_t workers = 1;
  bool strong_scaling = false;
  Imbalance imbalance;
  Iteration single;  ///< T(1): of the same batch per worker, or of the whole (strong scaling)
  Iteration chosen;
  std::vector<ScheduleFigures> schedules;
  double speedup = 1;
  double efficiency = 1;
  double lost_to_communication_us = 0;  ///< the iteration without communication is this shorter
  double lost_to_imbalance_us = 0;      ///< and this with perfect balance
  double bound_us = 0;  ///< of schedules with a message per layer, by its measured time if any
  PopFactors pop;
};

/// Throws UsageError where the chosen schedule has no times: neither measured nor a cost.
Study study(const Profile& profile, const StudyRequest& request);

}  // namespace perfmodel::ssgd
