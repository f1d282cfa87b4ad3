#include "io/documents/ssgd_json.hpp"

#include "json/json_layout.hpp"

namespace perfmodel {
namespace {

Json to_json(const ssgd::Imbalance& imbalance) {
  return {{"imbalance_ratio", number(imbalance.imbalance_ratio)},
          {"load_imbalance_factor", number(imbalance.load_imbalance_factor)},
          {"pop_load_balance", number(imbalance.pop_load_balance)},
          {"relative_imbalance", number(imbalance.relative_imbalance)},
          {"imbalance_percentage", number(imbalance.imbalance_percentage)}};
}

Json to_json(const ssgd::PopFactors& pop) {
  return {{"load_balance", number(pop.load_balance)},
          {"serialisation_efficiency", number(pop.serialisation_efficiency)},
          {"transfer_efficiency", number(pop.transfer_efficiency)},
          {"communication_efficiency", number(pop.communication_efficiency)},
          {"parallel_efficiency", number(pop.parallel_efficiency)},
          {"computation_scaling", number(pop.computation_scaling)},
          {"global_efficiency", number(pop.global_efficiency)}};
}

Json to_json(const ssgd::ScheduleFigures& figures) {
  return {{"name", figures.name},
          {"message_times", figures.measured ? "measured" : "modelled"},
          {"chosen", figures.chosen},
          {"messages", figures.messages},
          {"communication_us", number(figures.communication_us)},
          {"exposed_us", number(figures.exposed_us)},
          {"finish_us", number(figures.finish_us)},
          {"iteration_us", number(figures.total_us)},
          {"speedup", number(figures.speedup)},
          {"efficiency", number(figures.efficiency)}};
}

Json to_json(const ssgd::Iteration& iteration) {
  return {{"read_us", number(iteration.phases.read_us)},
          {"split_us", number(iteration.phases.split_us)},
          {"copy_us", number(iteration.phases.copy_us)},
          {"forward_us", number(iteration.compute.forward_us)},
          {"backward_us", number(iteration.compute.backward_us())},
          {"communication_us", number(iteration.communication_us)},
          {"finish_us", number(iteration.finish_us)},
          {"exposed_us", number(iteration.exposed_us)},
          {"update_us", number(iteration.phases.update_us)},
          {"iteration_us", number(iteration.total_us)}};
}

Json messages(const ssgd::Profile& profile, const ssgd::Iteration& iteration) {
  Json messages = Json::array();
  for (const auto& message : iteration.messages) {
    const auto layer = [&](std::size_t gradient) {
      return profile.layers[iteration.gradients[gradient].layer].name;
    };
    messages.push_back({{"first_layer", layer(message.gradients.first)},
                        {"last_layer", layer(message.gradients.last)},
                        {"bytes", number(message.bytes)},
                        {"start_us", number(message.start_us)},
                        {"end_us", number(message.end_us)}});
  }
  return messages;
}

Json message_times(const SsgdDocument& document) {
  Json times = {{"source", document.message_times}};
  if (document.request.cost) {
    times["start_us"] = number(document.request.cost->start_us);
    times["per_byte_us"] = number(document.request.cost->per_byte_us);
  }
  if (document.latency_fit) {
    times["fit"] = {{"points", document.latency_fit->points},
                    {"r2", number(document.latency_fit->r2)}};
    if (document.study.workers > 1) {
      const auto ring = ssgd::as_ring(document.latency_fit->cost, document.study.workers);
      times["fit"]["ring_alpha_us"] = number(ring.alpha_us);
      times["fit"]["ring_beta_us_per_byte"] = number(ring.beta_us);
    }
  }
  return times;
}

}  // namespace

std::string to_json(const SsgdDocument& document) {
  const ssgd::Study& study = document.study;
  Json schedules = Json::array();
  for (const auto& figures : study.schedules)
    schedules.push_back(to_json(figures));
  Json root = {{"schema", "perfmodel/ssgd"},
               {"schema_version", 1},
               {"layers",
                {{"file", document.file},
                 {"count", document.profile.layers.size()},
                 {"gradient_bytes", number(document.profile.gradient_bytes())}}},
               {"workers", study.workers},
               {"scaling", study.strong_scaling ? "strong" : "weak"},
               {"input_pipeline", ssgd::to_text(document.request.phases.pipeline)},
               {"message_times", message_times(document)},
               {"one_worker", to_json(study.single)},
               {"iteration", to_json(study.chosen)},
               {"speedup", number(study.speedup)},
               {"efficiency", number(study.efficiency)},
               {"lost_to_communication_us", number(study.lost_to_communication_us)},
               {"lost_to_imbalance_us", number(study.lost_to_imbalance_us)},
               {"imbalance", to_json(study.imbalance)},
               {"pop", to_json(study.pop)},
               {"schedules", std::move(schedules)},
               {"messages", messages(document.profile, study.chosen)},
               {"own_designs", document.own_designs}};
  if (document.batch) {
    root["samples_per_second"] =
        number(static_cast<double>(study.workers) * *document.batch / study.chosen.total_us * 1e6);
  }
  if (study.bound_us > 0)
    root["bound_of_one_message_per_layer_us"] = number(study.bound_us);
  return document_text(root);
}

}  // namespace perfmodel
