#include "ssgd/ssgd.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"
#include "columns/spec.hpp"
#include "table/table.hpp"

namespace perfmodel::ssgd {
namespace {

/// The compute of one worker; `times_of(layer)` returns the times of a layer.
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
  const auto workers = mapped(indices(profile.workers_measured()),
                              [&](std::size_t g) { return compute_of_worker(profile, g); });
  Compute slowest = workers.front();
  for (const Compute& worker : workers)
    slowest.forward_us = std::max(slowest.forward_us, worker.forward_us);
  // A worker that starts its backward pass earlier is ahead by the difference.
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

namespace {

/// The compute with all times multiplied by 1 + lambda.
Compute stretched(Compute compute, double lambda) {
  compute.forward_us *= 1 + lambda;
  for (double& ready : compute.ready_us)
    ready *= 1 + lambda;
  return compute;
}

/// Sum of forward and backward time of each worker.
std::vector<double> compute_per_worker(const Profile& profile) {
  std::vector<double> times;
  for (std::size_t g = 0; g < profile.workers_measured(); ++g) {
    const Compute compute = compute_of_worker(profile, g);
    times.push_back(compute.forward_us + compute.backward_us());
  }
  return times;
}

using perfmodel::to_text;

constexpr double kMostLayers = 1e6;

/// The numbers of a column; adds the cells that are not > 0 or, if they may be 0, not >= 0.
std::vector<double> numbers_in(const Column& column, CellProblems& problems,
                               bool may_be_zero = true) {
  std::vector<double> values = numbers_of(column);
  if (!column.unit.empty())
    problems.add(0, column, [] { return "cells have units; the unit is that in the name"; });
  for (std::size_t row = 0; row < values.size(); ++row)
    problems.check(row, column, values[row], may_be_zero);
  return values;
}

/// nullopt if there is no such column.
std::optional<std::vector<double>> optional_numbers(const Table& table, const std::string& name,
                                                    CellProblems& problems) {
  const Column* const column = table.find(name);
  return column == nullptr ? std::nullopt : std::optional(numbers_in(*column, problems));
}

/// Row of each layer and worker: rows[layer][worker].
using RowsByLayer = std::vector<std::vector<std::size_t>>;

/// Worker -> its rows in the order of the file; a single worker "" if the file has no such column.
std::map<std::string, std::vector<std::size_t>> rows_by_worker(const Table& table) {
  const Column* worker = table.find("worker");
  std::map<std::string, std::vector<std::size_t>> rows;
  for (std::size_t row = 0; row < table.rows(); ++row)
    rows[worker == nullptr ? "" : worker->text(row)].push_back(row);
  return rows;
}

RowsByLayer order_rows(const Table& table, const std::vector<double>& layer_numbers) {
  const double largest = *std::ranges::max_element(layer_numbers);
  if (largest > kMostLayers)
    throw InputError(fmt::format(
        "{}: column 'layer': {} is no number of a layer; they run from 1 in forward order",
        table.source, to_text(largest)));
  const auto layers = static_cast<std::size_t>(largest);
  RowsByLayer ordered(layers);
  for (const auto& [worker, rows] : rows_by_worker(table)) {
    const std::string of_worker = worker.empty() ? "" : fmt::format(" of worker '{}'", worker);
    std::vector<std::optional<std::size_t>> row_of(layers);
    for (const std::size_t row : rows) {
      const double number = layer_numbers[row];
      const auto index = static_cast<std::size_t>(number) - 1;
      if (number != static_cast<double>(index + 1))
        throw InputError(fmt::format(
            "{}: column 'layer': {} is not a whole number; layers are numbered from 1 in forward "
            "order",
            table.where(row), to_text(number)));
      if (row_of[index])
        throw InputError(fmt::format("{}: layer {}{} stands twice, first in line {}",
                                     table.where(row), to_text(number), of_worker,
                                     table.lines[*row_of[index]]));
      row_of[index] = row;
    }
    for (std::size_t l = 0; l < layers; ++l) {
      if (!row_of[l])
        throw InputError(
            fmt::format("{}: layer {}{} is missing; layers are numbered from 1 in forward order",
                        table.source, l + 1, of_worker));
      ordered[l].push_back(*row_of[l]);
    }
  }
  return ordered;
}

/// The largest of the values, measured once per layer or by every worker: all wait for the slowest.
double slowest(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
  double largest = 0;
  for (const std::size_t row : rows)
    largest = std::max(largest, values[row]);
  return largest;
}

std::vector<double> gradient_bytes(const Table& table, CellProblems& problems,
                                   const ProfileOptions& options) {
  if (auto bytes = optional_numbers(table, "grad_bytes", problems))
    return *bytes;
  auto bytes = optional_numbers(table, "grad_elems", problems);
  if (!bytes) {
    throw InputError(table.source +
                     ": neither a column 'grad_bytes' nor 'grad_elems' states how large the "
                     "gradients are");
  }
  for (double& value : *bytes)
    value *= options.bytes_per_element;
  return *bytes;
}

std::vector<double> forward_times(const Table& table, CellProblems& problems,
                                  const std::vector<double>& backward,
                                  const ProfileOptions& options) {
  auto forward = optional_numbers(table, "t_f_us", problems);
  if (forward && options.forward_share)
    throw UsageError(
        fmt::format("--forward-share has no use: {} has a column 't_f_us'", table.source));
  if (forward)
    return *forward;
  if (!options.forward_share)
    throw InputError(
        fmt::format("{}: no column 't_f_us'; if forward times were not measured, --forward-share "
                    "0.5 takes half of the backward time, as the authors of the model did",
                    table.source));
  std::vector<double> assumed = backward;
  for (double& value : assumed)
    value *= *options.forward_share;
  return assumed;
}

}  // namespace

Profile profile_of(const Table& table, const ProfileOptions& options) {
  CellProblems problems(table);
  const auto layer_numbers = numbers_in(table.at("layer"), problems, false);
  const auto backward = numbers_in(table.at("t_b_us"), problems);
  const auto bytes = gradient_bytes(table, problems, options);
  const auto forward = forward_times(table, problems, backward, options);
  const auto communication = optional_numbers(table, "t_c_us", problems);
  const auto update = optional_numbers(table, "t_u_us", problems);
  if (!problems.empty())
    throw InputError(problems.text());

  Profile profile;
  if (update)
    profile.update_us = 0;
  const Column* name = table.find("name");
  for (const auto& rows : order_rows(table, layer_numbers)) {
    Layer layer;
    const std::size_t first = rows.front();
    layer.name = name == nullptr ? "layer " + to_text(layer_numbers[first]) : name->text(first);
    layer.gradient_bytes = bytes[first];
    for (const std::size_t row : rows) {
      if (bytes[row] != bytes[first])
        throw InputError(
            fmt::format("{}: the gradient of layer {} has another size than in line {}",
                        table.where(row), to_text(layer_numbers[row]), table.lines[first]));
      layer.times.push_back({forward[row], backward[row]});
    }
    if (communication)
      layer.communication_us = slowest(*communication, rows);
    if (update)
      *profile.update_us += slowest(*update, rows);
    profile.layers.push_back(std::move(layer));
  }
  if (profile.layers.empty() || balanced_compute(profile).backward_us() <= 0)
    throw InputError(table.source + ": all backward times are 0; there is nothing to model");
  return profile;
}

std::vector<Latency> latencies_of(const Table& table) {
  CellProblems problems(table);
  const auto bytes = numbers_in(table.at("bytes"), problems, false);
  const auto latency = numbers_in(table.at("latency_us"), problems, false);
  if (!problems.empty())
    throw InputError(problems.text());
  std::vector<Latency> latencies;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    latencies.push_back({bytes[i], latency[i]});
  return latencies;
}

namespace {

/// The gradients to send: none for a layer without a gradient or with a message that takes no time.
std::vector<Gradient> gradients_of(const Profile& profile, const Compute& compute,
                                   const Exchange& exchange) {
  // Without overlap, and with a single message, gradients wait for the end of the backward pass.
  const bool after_backward =
      exchange.merge.merge == Merge::naive || exchange.merge.merge == Merge::single;
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

/// Time of compute with all that follows it, and of the input that precedes or overlaps it.
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

///     T = T_f + finish + t_u, and the input before or in parallel
///
/// A single worker (`workers` = 1) sends nothing.
Iteration iterate(const Profile& profile, const Compute& compute, std::size_t workers,
                  const Phases& phases, const Exchange& exchange) {
  Iteration iteration;
  iteration.phases = phases;
  iteration.compute = compute;
  iteration.finish_us = compute.backward_us();
  if (workers > 1) {
    iteration.gradients = gradients_of(profile, compute, exchange);
    const auto groups = exchange.groups ? *exchange.groups
                                        : group(iteration.gradients, exchange.merge,
                                                exchange.cost.value_or(LinearCost{}));
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

/// Lower bound of the time of schedules with a message per layer:
///
///     T_f + max(T_b + t_c(1), t_b(L) + T_c) + t_u, and the input before or in parallel
///
/// The last message follows the backward pass, and no message precedes the backward pass of the
/// last layer. `iteration` must have a message per layer.
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

class StudyMaker {
 public:
  StudyMaker(const Profile& profile, const StudyRequest& request)
      : profile_(profile),
        request_(request),
        workers_(static_cast<double>(request.workers)),
        imbalance_(imbalance()),
        balanced_(balanced_compute(profile)),
        compute_(profile.workers_measured() > 1
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
    if (!exchange)
      throw UsageError(
          "how long does a message take? Pass a cost model (--allreduce, --fit-allreduce or "
          "--message-start-us), or, without merging, a file with a column t_c_us");
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
    if (profile_.workers_measured() == 1)
      return request_.imbalance.value_or(imbalance_of_factor(0, request_.workers));
    if (request_.imbalance)
      throw UsageError("the file has the times of every worker; their imbalance is in them");
    if (profile_.workers_measured() != request_.workers)
      throw UsageError(fmt::format("the file has the times of {} workers, not of {}",
                                   profile_.workers_measured(), request_.workers));
    return imbalance_of_times(compute_per_worker(profile_));
  }

  /// nullopt if message times are neither measured nor modelled.
  std::optional<Exchange> exchange_of(const MergePolicy& merge, bool measured) const {
    // Only messages of single layers have a measured time, merged ones do not.
    const bool is_single = merge.merge == Merge::naive || merge.merge == Merge::none;
    if (measured ? !profile_.has_communication() || !is_single : !request_.cost)
      return std::nullopt;
    return Exchange{.merge = merge, .cost = measured ? std::nullopt : request_.cost, .groups = {}};
  }

  std::optional<Exchange> chosen_exchange() const {
    const auto measured = exchange_of(request_.merge, true);
    return measured ? measured : exchange_of(request_.merge, false);
  }

  Iteration run(const Compute& compute, const Exchange& exchange) const {
    return iterate(profile_, compute, request_.workers, phases_, exchange);
  }

  /// One worker, without a split. With strong scaling, it reads and copies all samples.
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

  /// With weak scaling, G workers do G times the samples in an iteration.
  double speedup(double total_us, double single_us) const {
    return (request_.reference ? 1 : workers_) * single_us / total_us;
  }

  void add_schedules(Study& study, const Exchange& chosen) const {
    const auto add = [&](const MergePolicy& merge, bool measured) {
      const auto exchange = exchange_of(merge, measured);
      if (!exchange)
        return;
      const Iteration iteration = run(compute_, *exchange);
      const double gain = speedup(iteration.total_us, study.single.total_us);
      const bool is_chosen =
          measured == !chosen.cost.has_value() && to_text(merge) == to_text(chosen.merge);
      study.schedules.push_back(
          {to_text(merge), measured, is_chosen, iteration, gain, gain / workers_});
      if (merge.merge == Merge::none && study.bound_us == 0)
        study.bound_us = lower_bound(iteration);
    };
    for (const bool measured : {true, false}) {
      for (const Merge merge :
           {Merge::naive, Merge::none, Merge::single, Merge::mgwfbp, Merge::optimal})
        add({merge, 0}, measured);
      if (request_.merge.merge == Merge::threshold)
        add(request_.merge, measured);
    }
  }

  void lose(Study& study, const Exchange& exchange) const {
    const Iteration silent = iterate(profile_, compute_, 1, phases_, {});
    study.lost_to_communication_us = study.chosen.total_us - silent.total_us;
    study.lost_to_imbalance_us = study.chosen.total_us - run(balanced_, exchange).total_us;
  }

  PopFactors pop(const Study& study, Exchange exchange) const {
    // Messages keep their grouping; only their times change.
    std::vector<Group> groups = mapped(study.chosen.messages, &Message::gradients);
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
