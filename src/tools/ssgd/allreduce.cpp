#include <fmt/core.h>
#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "ssgd/ssgd.hpp"

namespace perfmodel::ssgd {
namespace {

/// ceil(log2 n): number of rounds if each round doubles the number of workers that have the data.
double rounds(std::size_t n) {
  return static_cast<double>(std::bit_width(n - 1));
}

struct Nodes {
  std::size_t workers;  ///< m, per node
  std::size_t count;    ///< K
};

Nodes nodes_of(const Network& network, std::size_t workers) {
  const std::size_t per_node = network.workers_per_node;
  if (per_node == 0 || workers % per_node != 0)
    throw UsageError(
        fmt::format("{} workers cannot be divided into nodes of {}", workers, per_node));
  return {per_node, workers / per_node};
}

/// Within a node: reduce-scatter and all-gather, 2(m-1)/m of the bytes. Between nodes: m parallel
/// rings, one per shard of n/m bytes. With one link per node they share it and cost as much as a
/// single ring of n bytes.
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

/// Within a node: reduce and broadcast along a binary tree. Between leaders: one ring of all bytes.
LinearCost hierarchical_leader(const Network& network, std::size_t workers) {
  const Nodes nodes = nodes_of(network, workers);
  const auto k = static_cast<double>(nodes.count);
  const double deep = rounds(nodes.workers);
  return {2 * deep * network.inside.alpha_us + 2 * (k - 1) * network.link.alpha_us,
          deep * (2 * network.inside.beta_us + network.gamma_us) +
              2 * (k - 1) / k * network.link.beta_us + (k - 1) / k * network.gamma_us};
}

}  // namespace

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
      // With more workers than servers, the links of the servers are the bottleneck.
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
  std::ranges::copy_if(latencies, std::back_inserter(used),
                       [&](const Latency& point) { return point.bytes >= smallest_bytes; });
  if (used.size() < 3)
    throw InputError(fmt::format(
        "only {} latencies are of large enough messages; a line needs at least 3", used.size()));
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

namespace {

/// Groups of consecutive gradients: one ends with gradient i, and its bytes, if `ends` says so, and
/// with the last gradient.
std::vector<Group> groups_ending(const std::vector<Gradient>& gradients,
                                 const std::function<bool(std::size_t i, double bytes)>& ends) {
  std::vector<Group> groups;
  Group open;
  double bytes = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    bytes += gradients[i].bytes;
    open.last = i;
    if (ends(i, bytes) || i + 1 == gradients.size()) {
      groups.push_back(open);
      open = {i + 1, i + 1};
      bytes = 0;
    }
  }
  return groups;
}

/// The rule of MG-WFBP's released code, from the last layer down: a message waits for the next
/// gradient if it would still be in transit when that is ready, and if waiting costs less than the
/// start-up of another message. Since it only compares neighbours, it can miss the optimum.
std::vector<Group> by_pairs(const std::vector<Gradient>& gradients, const LinearCost& cost) {
  double channel_free = 0;
  return groups_ending(gradients, [&](std::size_t i, double bytes) {
    const double start = std::max(channel_free, gradients[i].ready_us);
    const double end = start + cost(bytes);
    if (i + 1 < gradients.size()) {
      const double next_ready = gradients[i + 1].ready_us;
      if (end > next_ready && (start > next_ready || next_ready - start < cost.start_us))
        return false;
    }
    channel_free = end;
    return true;
  });
}

/// Dynamic programming over the gradients in the order in which they become ready, from 0:
///
///     F(0) = 0,  F(i + 1) = min over j <= i of max(F(j), ready(i)) + a + c * bytes(j..i)
///
/// F(i + 1) is the earliest end of messages with the gradients 0 .. i. This is optimal since an
/// earlier end of the first messages never delays later ones.
std::vector<Group> optimal_groups(const std::vector<Gradient>& gradients, const LinearCost& cost) {
  const std::size_t n = gradients.size();
  std::vector<double> earliest(n + 1, 0);
  std::vector<std::size_t> first(n);
  for (std::size_t i = 0; i < n; ++i) {
    earliest[i + 1] = std::numeric_limits<double>::infinity();
    double bytes = 0;
    for (std::size_t j = i + 1; j-- > 0;) {
      bytes += gradients[j].bytes;
      const double end = std::max(earliest[j], gradients[i].ready_us) + cost(bytes);
      if (end < earliest[i + 1]) {
        earliest[i + 1] = end;
        first[i] = j;
      }
    }
  }
  std::vector<Group> groups;
  for (std::size_t end = n; end > 0; end = groups.back().first)
    groups.push_back({first[end - 1], end - 1});
  std::ranges::reverse(groups);
  return groups;
}

/// Builds a lane of consecutive spans, without those of no duration.
class LaneBuilder {
 public:
  LaneBuilder(std::string name, double start_us) : lane_{std::move(name), {}}, now_us_(start_us) {}

  void add(SpanKind kind, double duration_us) {
    if (duration_us > 0)
      lane_.spans.push_back({kind, now_us_, now_us_ + duration_us});
    now_us_ += duration_us;
  }
  void wait_until(double time_us) { now_us_ = time_us; }
  double now() const { return now_us_; }
  const Lane& lane() const { return lane_; }

 private:
  Lane lane_;
  double now_us_;
};

}  // namespace

std::string to_text(const MergePolicy& policy) {
  const std::string name(to_text(policy.merge));
  return policy.merge == Merge::threshold ? name + ":" + perfmodel::to_text(policy.threshold_bytes)
                                          : name;
}

MergePolicy parse_merge(std::string_view text) {
  for (const Merge merge : {Merge::none, Merge::single, Merge::mgwfbp, Merge::optimal})
    if (to_text({merge, 0}) == text)
      return {merge, 0};
  constexpr std::string_view prefix = "threshold:";
  if (text.starts_with(prefix)) {
    const auto bytes = parse_number(text.substr(prefix.size()));
    if (bytes && *bytes > 0)
      return {Merge::threshold, *bytes};
  }
  throw UsageError(fmt::format(
      "'{}' is not one of 'none', 'single', 'threshold:BYTES', 'mgwfbp' and 'optimal'", text));
}

std::vector<Group> group(const std::vector<Gradient>& gradients, const MergePolicy& policy,
                         const LinearCost& cost) {
  if (gradients.empty())
    return {};
  switch (policy.merge) {
    case Merge::naive:
    case Merge::none:
      break;
    case Merge::single:
      return {{0, gradients.size() - 1}};
    case Merge::threshold:  // as the gradient buckets of PyTorch's DistributedDataParallel
      return groups_ending(
          gradients, [&](std::size_t, double bytes) { return bytes >= policy.threshold_bytes; });
    case Merge::mgwfbp:
      return by_pairs(gradients, cost);
    case Merge::optimal:
      return optimal_groups(gradients, cost);
  }
  return groups_ending(gradients, [](std::size_t, double) { return true; });
}

std::vector<Message> send(const std::vector<Gradient>& gradients, const std::vector<Group>& groups,
                          const std::optional<LinearCost>& cost) {
  std::vector<Message> messages;
  double channel_free = 0;
  for (const Group& group : groups) {
    Message message{.gradients = group};
    for (std::size_t i = group.first; i <= group.last; ++i)
      message.bytes += gradients[i].bytes;
    if (!cost && (group.first != group.last || !gradients[group.first].measured_us))
      throw std::logic_error("only the time of a layer's own message can be measured");
    message.start_us = std::max(channel_free, gradients[group.last].ready_us);
    message.end_us =
        message.start_us + (cost ? (*cost)(message.bytes) : *gradients[group.first].measured_us);
    channel_free = message.end_us;
    messages.push_back(message);
  }
  return messages;
}

Imbalance imbalance_of_factor(double lambda, std::size_t workers) {
  const auto n = static_cast<double>(workers);
  if (!(lambda >= 0 && lambda <= n - 1))
    throw UsageError(fmt::format(
        "a load imbalance factor of {} is impossible with {} workers: it lies between 0 and {}, "
        "if one worker does everything",
        perfmodel::to_text(lambda), workers, perfmodel::to_text(n - 1)));
  Imbalance imbalance;
  imbalance.workers = workers;
  imbalance.imbalance_ratio = 1 + lambda;
  imbalance.load_imbalance_factor = lambda;
  imbalance.pop_load_balance = 1 / (1 + lambda);
  imbalance.relative_imbalance = lambda / (1 + lambda);
  imbalance.imbalance_percentage =
      workers > 1 ? 100 * imbalance.relative_imbalance * n / (n - 1) : 0;
  return imbalance;
}

Imbalance imbalance_of_times(const std::vector<double>& times) {
  const double sum = std::accumulate(times.begin(), times.end(), 0.0);
  const double largest = *std::ranges::max_element(times);
  const auto n = static_cast<double>(times.size());
  // Rounding must not move the factor out of its range.
  return imbalance_of_factor(std::clamp(largest * n / sum - 1, 0.0, n - 1), times.size());
}

Imbalance imbalance_of_even_split(std::size_t samples, std::size_t workers) {
  if (samples < workers)
    throw UsageError(fmt::format("a batch of {} samples leaves some of the {} workers without any",
                                 samples, workers));
  const std::size_t largest = (samples + workers - 1) / workers;
  return imbalance_of_factor(
      static_cast<double>(largest * workers) / static_cast<double>(samples) - 1, workers);
}

Timeline timeline_of(const Profile& profile, const Iteration& iteration) {
  const Phases& phases = iteration.phases;
  const bool serial = phases.pipeline == InputPipeline::serial;
  const bool copy_first = serial || phases.pipeline == InputPipeline::host_prefetch;
  const bool copy_after_read = serial || phases.pipeline == InputPipeline::device_buffer;

  LaneBuilder host("read", 0);
  host.add(SpanKind::read, phases.read_us);
  host.add(SpanKind::split, phases.split_us);
  LaneBuilder copy("copy", copy_after_read ? host.now() : 0);
  copy.add(SpanKind::copy, phases.copy_us);

  LaneBuilder compute("compute", copy_first ? copy.now() : 0);
  compute.add(SpanKind::forward, iteration.compute.forward_us);
  const double backward_start = compute.now();
  double ready = 0;
  for (std::size_t l = profile.layers.size(); l-- > 0;) {
    compute.add(SpanKind::backward, iteration.compute.ready_us[l] - ready);
    ready = iteration.compute.ready_us[l];
  }
  compute.wait_until(backward_start + iteration.finish_us);
  compute.add(SpanKind::update, phases.update_us);

  Lane messages{"communicate", {}};
  for (const Message& message : iteration.messages) {
    messages.spans.push_back(
        {SpanKind::message, backward_start + message.start_us, backward_start + message.end_us});
  }
  Timeline timeline{iteration.total_us, {host.lane(), copy.lane(), compute.lane(), messages}};
  std::erase_if(timeline.lanes, [](const Lane& lane) { return lane.spans.empty(); });
  return timeline;
}

}  // namespace perfmodel::ssgd
