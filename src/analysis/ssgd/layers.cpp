#include "analysis/ssgd/layers.hpp"

#include <algorithm>

namespace perfmodel::ssgd {
namespace {

/// The compute of one worker, whose times of a layer `times_of(layer)` gives.
template <class TimesOf>
Compute compute_of(const Profile& profile, const TimesOf& times_of) {
  Compute compute;
  compute.ready_us.resize(profile.layers.size());
  double backward = 0;
  for (std::size_t l = profile.layers.size(); l-- > 0;) {
    backward += times_of(profile.layers[l]).backward_us;
    compute.ready_us[l] = backward;
  }
  for (const Layer& layer : profile.layers)
    compute.forward_us += times_of(layer).forward_us;
  return compute;
}

Compute compute_of_worker(const Profile& profile, std::size_t worker) {
  return compute_of(
      profile, [worker](const Layer& layer) { return layer.times[worker]; });
}

}  // namespace

double Profile::gradient_bytes() const {
  double sum = 0;
  for (const Layer& layer : layers)
    sum += layer.gradient_bytes;
  return sum;
}

Compute slowest_compute(const Profile& profile) {
  std::vector<Compute> workers;
  for (std::size_t g = 0; g < profile.workers_measured; ++g)
    workers.push_back(compute_of_worker(profile, g));
  Compute slowest = workers.front();
  for (const Compute& worker : workers)
    slowest.forward_us = std::max(slowest.forward_us, worker.forward_us);
  // A worker that starts its backward pass early is ahead by the difference.
  for (std::size_t l = 0; l < slowest.ready_us.size(); ++l) {
    slowest.ready_us[l] = 0;
    for (const Compute& worker : workers) {
      const double head_start = slowest.forward_us - worker.forward_us;
      slowest.ready_us[l] = std::max(slowest.ready_us[l], worker.ready_us[l] - head_start);
    }
  }
  return slowest;
}

Compute balanced_compute(const Profile& profile) {
  return compute_of(
      profile,
      [](const Layer& layer) {
        const auto n = static_cast<double>(layer.times.size());
        LayerTimes mean;
        for (const LayerTimes& times : layer.times) {
          mean.forward_us += times.forward_us;
          mean.backward_us += times.backward_us;
        }
        return LayerTimes{mean.forward_us / n, mean.backward_us / n};
      });
}

Compute stretched(Compute compute, double lambda) {
  compute.forward_us *= 1 + lambda;
  for (double& ready : compute.ready_us)
    ready *= 1 + lambda;
  return compute;
}

std::vector<double> compute_per_worker(const Profile& profile) {
  std::vector<double> times;
  for (std::size_t g = 0; g < profile.workers_measured; ++g) {
    const Compute compute = compute_of_worker(profile, g);
    times.push_back(compute.forward_us + compute.backward_us());
  }
  return times;
}

}  // namespace perfmodel::ssgd
