#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/ssgd/layers.hpp"
#include "analysis/ssgd/merging.hpp"

namespace perfmodel::ssgd {

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

}  // namespace perfmodel::ssgd
