#include "analysis/ssgd/iteration.hpp"

#include <algorithm>
#include <utility>

namespace perfmodel::ssgd {
namespace {

constexpr std::pair<InputPipeline, std::string_view> kPipelineNames[] = {
    {InputPipeline::serial, "serial"},
    {InputPipeline::host_prefetch, "host-prefetch"},
    {InputPipeline::device_buffer, "device-buffer"},
    {InputPipeline::three_stages, "three-stages"},
};

/// A layer without a gradient, or whose message was measured to take no time, sends none.
std::vector<Gradient> gradients_of(const Profile& profile, const Compute& compute,
                                   const Exchange& exchange) {
  // What is not overlapped, and one message for all, waits for the end of the backward pass.
  const bool after_backward = !exchange.overlapped || exchange.merge.merge == Merge::single;
  std::vector<Gradient> gradients;
  for (std::size_t l = profile.layers.size(); l-- > 0;) {
    const Layer& layer = profile.layers[l];
    if (exchange.cost ? layer.gradient_bytes > 0 : layer.communication_us.value_or(0) > 0) {
      gradients.push_back({.layer = l,
                           .ready_us = after_backward ? compute.backward_us() : compute.ready_us[l],
                           .bytes = layer.gradient_bytes,
                           .measured_us = layer.communication_us});
    }
  }
  return gradients;
}

/// The compute with what follows it, and the input before or beside it.
double total(const Phases& phases, double compute_us) {
  const double on_host = phases.read_us + phases.split_us;
  switch (phases.pipeline) {
    case InputPipeline::serial:
      break;
    case InputPipeline::host_prefetch:
      return std::max(on_host, phases.copy_us + compute_us);
    case InputPipeline::device_buffer:
      return std::max(on_host + phases.copy_us, compute_us);
    case InputPipeline::three_stages:
      return std::max({on_host, phases.copy_us, compute_us});
  }
  return on_host + phases.copy_us + compute_us;
}

}  // namespace

std::string_view to_text(InputPipeline pipeline) {
  return std::find_if(
             std::begin(kPipelineNames), std::end(kPipelineNames),
             [&](const auto& entry) { return entry.first == pipeline; })
      ->second;
}

Iteration iterate(const Profile& profile, const Compute& compute, std::size_t workers,
                  const Phases& phases, const Exchange& exchange) {
  Iteration iteration;
  iteration.phases = phases;
  iteration.compute = compute;
  iteration.finish_us = compute.backward_us();
  if (workers > 1) {
    iteration.gradients = gradients_of(profile, compute, exchange);
    const MergePolicy policy = exchange.overlapped ? exchange.merge : MergePolicy{};
    const auto groups =
        exchange.groups ? *exchange.groups
                        : group(iteration.gradients, policy, exchange.cost.value_or(LinearCost{}));
    iteration.messages = send(iteration.gradients, groups, exchange.cost);
  }
  for (const Message& message : iteration.messages) {
    iteration.communication_us += message.end_us - message.start_us;
    iteration.finish_us = std::max(iteration.finish_us, message.end_us);
  }
  iteration.exposed_us = iteration.finish_us - compute.backward_us();
  iteration.total_us = total(phases, compute.forward_us + iteration.finish_us + phases.update_us);
  return iteration;
}

double lower_bound(const Iteration& iteration) {
  double finish = iteration.compute.backward_us();
  if (!iteration.messages.empty()) {
    const Message& last = iteration.messages.back();
    finish = std::max(iteration.gradients.back().ready_us + last.end_us - last.start_us,
                      iteration.gradients.front().ready_us + iteration.communication_us);
  }
  return total(iteration.phases,
               iteration.compute.forward_us + finish + iteration.phases.update_us);
}

}  // namespace perfmodel::ssgd
