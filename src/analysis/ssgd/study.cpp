#include "analysis/ssgd/study.hpp"

#include "perfmodel/base/error.hpp"

namespace perfmodel::ssgd {
namespace {

/// The message of one layer may have a measured time; what is merged has none.
bool can_be_measured(const Profile& profile, bool overlapped, const MergePolicy& merge) {
  return profile.has_communication && (!overlapped || merge.merge == Merge::none);
}

class StudyMaker {
 public:
  StudyMaker(const Profile& profile, const StudyRequest& request)
      : profile_(profile),
        request_(request),
        workers_(static_cast<double>(request.workers)),
        imbalance_(imbalance()),
        balanced_(balanced_compute(profile)),
        compute_(profile.workers_measured > 1
                     ? slowest_compute(profile)
                     : stretched(balanced_, imbalance_.load_imbalance_factor)),
        phases_(request.phases) {
    if (request.shared_disk)
      phases_.read_us *= workers_;
    if (request.shared_bus)
      phases_.copy_us *= workers_;
  }

  Study make() const {
    auto exchange = chosen_exchange();
    if (!exchange && request_.workers == 1)
      exchange = Exchange{};  // nothing is sent
    if (!exchange) {
      throw UsageError("how long does a message take? Pass a cost model (" + Field{"allreduce"} +
                       ", " + Field{"fit_allreduce"} + " or " + Field{"message_start_us"} +
                       "), or, without merging, a file with a column t_c_us");
    }
    Study study;
    study.workers = request_.workers;
    study.strong_scaling = request_.reference.has_value();
    study.imbalance = imbalance_;
    study.single = single();
    study.chosen = run(compute_, *exchange);
    study.speedup = speedup(study.chosen.total_us, study.single.total_us);
    study.efficiency = study.speedup / workers_;
    add_schedules(study, *exchange);
    lose(study, *exchange);
    study.pop = pop(study, *exchange);
    return study;
  }

 private:
  const Profile& profile_;
  const StudyRequest& request_;
  double workers_;
  Imbalance imbalance_;
  Compute balanced_;
  Compute compute_;
  Phases phases_;

  Imbalance imbalance() const {
    if (profile_.workers_measured == 1)
      return request_.imbalance.value_or(imbalance_of_factor(0, request_.workers));
    if (request_.imbalance)
      throw UsageError("the file has the times of every worker; their imbalance is in them");
    if (profile_.workers_measured != request_.workers) {
      throw UsageError("the file has the times of " + std::to_string(profile_.workers_measured) +
                       " workers, not of " + std::to_string(request_.workers));
    }
    return imbalance_of_times(compute_per_worker(profile_));
  }

  /// Nothing where there are no times for it.
  std::optional<Exchange> exchange_of(bool overlapped, const MergePolicy& merge,
                                      bool measured) const {
    if (measured ? !can_be_measured(profile_, overlapped, merge) : !request_.cost)
      return std::nullopt;
    return Exchange{.overlapped = overlapped,
                    .merge = merge,
                    .cost = measured ? std::nullopt : request_.cost,
                    .groups = {}};
  }

  std::optional<Exchange> chosen_exchange() const {
    const auto measured = exchange_of(request_.overlapped, request_.merge, true);
    return measured ? measured : exchange_of(request_.overlapped, request_.merge, false);
  }

  Iteration run(const Compute& compute, const Exchange& exchange) const {
    return iterate(profile_, compute, request_.workers, phases_, exchange);
  }

  /// One worker, to which nothing is split. With strong scaling it reads and copies the samples of
  /// all.
  Iteration single() const {
    Phases phases = request_.phases;
    phases.split_us = 0;
    if (!request_.reference)
      return iterate(profile_, balanced_, 1, phases, {});
    phases.read_us *= workers_;
    phases.copy_us *= workers_;
    phases.update_us = request_.reference->update_us.value_or(phases.update_us);
    return iterate(*request_.reference, balanced_compute(*request_.reference), 1, phases, {});
  }

  /// Weak: G workers do G times the samples in an iteration.
  double speedup(double total_us, double single_us) const {
    return (request_.reference ? 1 : workers_) * single_us / total_us;
  }

  void add_schedules(Study& study, const Exchange& chosen) const {
    const auto add = [&](const std::string& name, bool overlapped, const MergePolicy& merge,
                         bool measured) {
      const auto exchange = exchange_of(overlapped, merge, measured);
      if (!exchange)
        return;
      const Iteration iteration = run(compute_, *exchange);
      const double gain = speedup(iteration.total_us, study.single.total_us);
      const bool is_chosen = overlapped == chosen.overlapped &&
                             measured == !chosen.cost.has_value() &&
                             (!overlapped || to_text(merge) == to_text(chosen.merge));
      study.schedules.push_back({name, measured, is_chosen, iteration.messages.size(),
                                 iteration.communication_us, iteration.exposed_us,
                                 iteration.finish_us, iteration.total_us, gain, gain / workers_});
      if (overlapped && merge.merge == Merge::none && study.bound_us == 0)
        study.bound_us = lower_bound(iteration);
    };
    for (const bool measured : {true, false}) {
      add("naive", false, {}, measured);
      for (const Merge merge : {Merge::none, Merge::single, Merge::mgwfbp, Merge::optimal})
        add(to_text(MergePolicy{merge, 0}), true, {merge, 0}, measured);
      if (request_.merge.merge == Merge::threshold)
        add(to_text(request_.merge), true, request_.merge, measured);
    }
  }

  void lose(Study& study, const Exchange& exchange) const {
    const Iteration silent = iterate(profile_, compute_, 1, phases_, {});
    study.lost_to_communication_us = study.chosen.total_us - silent.total_us;
    study.lost_to_imbalance_us = study.chosen.total_us - run(balanced_, exchange).total_us;
  }

  PopFactors pop(const Study& study, Exchange exchange) const {
    // The messages stay as they are grouped; only their times change.
    std::vector<Group> groups;
    for (const Message& message : study.chosen.messages)
      groups.push_back(message.gradients);
    const bool measured = !exchange.cost.has_value();
    exchange.groups = measured ? std::nullopt : std::optional(groups);
    exchange.cost = measured ? LinearCost{} : request_.ideal_cost;
    const double ideal_us = run(compute_, exchange).total_us;

    const double update_us = phases_.update_us;
    const double mean_useful = balanced_.forward_us + balanced_.backward_us() + update_us;
    const double max_useful =
        (1 + imbalance_.load_imbalance_factor) * (mean_useful - update_us) + update_us;
    PopFactors pop;
    pop.load_balance = mean_useful / max_useful;
    pop.serialisation_efficiency = max_useful / ideal_us;
    pop.transfer_efficiency = ideal_us / study.chosen.total_us;
    pop.communication_efficiency = max_useful / study.chosen.total_us;
    pop.parallel_efficiency = mean_useful / study.chosen.total_us;
    if (request_.reference) {
      const Iteration& single = study.single;
      pop.computation_scaling =
          (single.compute.forward_us + single.compute.backward_us() + single.phases.update_us) /
          (workers_ * mean_useful);
    }
    pop.global_efficiency = pop.parallel_efficiency * pop.computation_scaling;
    return pop;
  }
};

}  // namespace

Study study(const Profile& profile, const StudyRequest& request) {
  return StudyMaker(profile, request).make();
}

}  // namespace perfmodel::ssgd
