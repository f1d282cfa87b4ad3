#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ssgd/imbalance.hpp"
#include "analysis/ssgd/iteration.hpp"

namespace perfmodel::ssgd {

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
