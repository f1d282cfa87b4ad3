#include "analysis/ssgd/merging.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::ssgd {
namespace {

std::vector<Group> one_each(std::size_t n) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < n; ++i)
    groups.push_back({i, i});
  return groups;
}

/// As the gradient buckets of PyTorch's DistributedDataParallel: full as soon as the threshold is
/// reached.
std::vector<Group> by_threshold(const std::vector<Gradient>& gradients, double threshold) {
  std::vector<Group> groups;
  Group open;
  double bytes = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    bytes += gradients[i].bytes;
    open.last = i;
    if (bytes >= threshold || i + 1 == gradients.size()) {
      groups.push_back(open);
      open = {i + 1, i + 1};
      bytes = 0;
    }
  }
  return groups;
}

/// The rule of MG-WFBP's released code, from the last layer down: a message waits for the next
/// gradient where it would still be under way when that one is ready and the wait costs less than
/// the start-up of a further message. It looks at neighbours only, so it can miss the optimum.
std::vector<Group> by_pairs(const std::vector<Gradient>& gradients, const LinearCost& cost) {
  std::vector<Group> groups;
  Group open;
  double bytes = 0;
  double channel_free = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    bytes += gradients[i].bytes;
    open.last = i;
    const double start = std::max(channel_free, gradients[i].ready_us);
    const double end = start + cost(bytes);
    if (i + 1 < gradients.size()) {
      const double next_ready = gradients[i + 1].ready_us;
      if (end > next_ready && (start > next_ready || next_ready - start < cost.start_us))
        continue;
    }
    groups.push_back(open);
    channel_free = end;
    open = {i + 1, i + 1};
    bytes = 0;
  }
  return groups;
}

/// Dynamic programme over the gradients in the order they are ready (0 is the first):
///
///     F(0) = 0,  F(i + 1) = min over j <= i of max(F(j), ready(i)) + a + c * bytes(j..i)
///
/// where F(i + 1) is the earliest end of messages that carry the gradients 0 .. i. Right since an
/// earlier end of what goes before never makes the rest later.
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
  std::reverse(groups.begin(), groups.end());
  return groups;
}

}  // namespace

std::string to_text(const MergePolicy& policy) {
  switch (policy.merge) {
    case Merge::none:
      return "none";
    case Merge::single:
      return "single";
    case Merge::threshold:
      return "threshold:" + perfmodel::to_text(policy.threshold_bytes);
    case Merge::mgwfbp:
      return "mgwfbp";
    case Merge::optimal:
      return "optimal";
  }
  return {};
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
  throw UsageError("'" + std::string(text) +
                   "' is not one of 'none', 'single', 'threshold:BYTES', 'mgwfbp' and 'optimal'");
}

std::vector<Group> group(const std::vector<Gradient>& gradients, const MergePolicy& policy,
                         const LinearCost& cost) {
  if (gradients.empty())
    return {};
  switch (policy.merge) {
    case Merge::none:
      break;
    case Merge::single:
      return {{0, gradients.size() - 1}};
    case Merge::threshold:
      return by_threshold(gradients, policy.threshold_bytes);
    case Merge::mgwfbp:
      return by_pairs(gradients, cost);
    case Merge::optimal:
      return optimal_groups(gradients, cost);
  }
  return one_each(gradients.size());
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

}  // namespace perfmodel::ssgd
