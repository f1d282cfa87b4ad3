#include "analysis/ssgd/timeline.hpp"

namespace perfmodel::ssgd {
namespace {

/// Spans one after another; those that take no time are left out.
class LaneBuilder {
 public:
  LaneBuilder(std::vector<Span>& spans, double start_us) : spans_(spans), now_us_(start_us) {}

  void add(SpanKind kind, std::string label, double duration_us) {
    if (duration_us > 0)
      spans_.push_back({kind, std::move(label), now_us_, now_us_ + duration_us});
    now_us_ += duration_us;
  }
  void wait_until(double time_us) { now_us_ = time_us; }
  double now() const { return now_us_; }

 private:
  std::vector<Span>& spans_;
  double now_us_;
};

std::string message_label(const Profile& profile, const Iteration& iteration,
                          const Message& message) {
  const std::string& first =
      profile.layers[iteration.gradients[message.gradients.first].layer].name;
  const std::string& last = profile.layers[iteration.gradients[message.gradients.last].layer].name;
  return "gradients of " + (first == last ? first : first + " .. " + last);
}

}  // namespace

Timeline timeline_of(const Profile& profile, const Iteration& iteration) {
  const Phases& phases = iteration.phases;
  const bool serial = phases.pipeline == InputPipeline::serial;
  const bool copy_first = serial || phases.pipeline == InputPipeline::host_prefetch;
  const bool copy_after_read = serial || phases.pipeline == InputPipeline::device_buffer;

  Timeline timeline;
  timeline.total_us = iteration.total_us;
  LaneBuilder host(timeline.host, 0);
  host.add(SpanKind::read, "read", phases.read_us);
  host.add(SpanKind::split, "split", phases.split_us);
  LaneBuilder copy(timeline.copy, copy_after_read ? host.now() : 0);
  copy.add(SpanKind::copy, "copy to the device", phases.copy_us);

  LaneBuilder compute(timeline.compute, copy_first ? copy.now() : 0);
  compute.add(SpanKind::forward, "forward", iteration.compute.forward_us);
  const double backward_start = compute.now();
  double ready = 0;
  for (std::size_t l = profile.layers.size(); l-- > 0;) {
    compute.add(SpanKind::backward, "backward of " + profile.layers[l].name,
                iteration.compute.ready_us[l] - ready);
    ready = iteration.compute.ready_us[l];
  }
  compute.wait_until(backward_start + iteration.finish_us);
  compute.add(SpanKind::update, "update", phases.update_us);

  for (const Message& message : iteration.messages) {
    timeline.communication.push_back({SpanKind::message, message_label(profile, iteration, message),
                                      backward_start + message.start_us,
                                      backward_start + message.end_us});
  }
  return timeline;
}

std::vector<std::pair<std::string, const std::vector<Span>*>> lanes(const Timeline& timeline) {
  std::vector<std::pair<std::string, const std::vector<Span>*>> lanes;
  for (const auto& [name, spans] :
       {std::pair{"read", &timeline.host}, std::pair{"copy", &timeline.copy},
        std::pair{"compute", &timeline.compute}, std::pair{"communicate", &timeline.communication}})
    if (!spans->empty())
      lanes.emplace_back(name, spans);
  return lanes;
}

}  // namespace perfmodel::ssgd
