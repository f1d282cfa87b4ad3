#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ssgd/allreduce.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel::ssgd {

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

}  // namespace perfmodel::ssgd
