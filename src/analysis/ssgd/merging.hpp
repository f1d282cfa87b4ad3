#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/ssgd/allreduce.hpp"

namespace perfmodel::ssgd {

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

}  // namespace perfmodel::ssgd
