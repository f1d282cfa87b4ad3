#include "perfmodel/io/model/model_json.hpp"

#include "base/text.hpp"
#include "fit/result/form.hpp"
#include "io/model/columns_json.hpp"
#include "io/model/configuration_json.hpp"
#include "io/model/data_json.hpp"
#include "io/model/derived_json.hpp"
#include "io/model/held_out_json.hpp"
#include "io/model/metrics_json.hpp"
#include "io/model/model_json_writing.hpp"
#include "io/model/model_schema.hpp"
#include "io/model/repeats_json.hpp"
#include "io/model/uncertainty_json.hpp"
#include "json/json_layout.hpp"

namespace perfmodel {
namespace {

Json to_json(const Penalty& penalty) {
  Json node = {{"l1", number(penalty.l1)}, {"l2", number(penalty.l2)}};
  if (penalty.constants != Penalise::raw)
    node["constants"] = to_text(penalty.constants);
  return node;
}

/// What the constants minimise, in words: the loss and every penalty that counts.
std::string minimised_text(const SearchSummary& search) {
  std::string out = std::string(to_text(search.loss)) + " over the training rows";
  const auto add = [&](double lambda, const std::string& sum) {
    if (lambda > 0)
      out += " + " + to_text(lambda) + " " + sum;
  };
  add(search.penalty.l1, "sum |x|");
  add(search.penalty.l2, "sum x^2");
  if (search.ridges.size() == 1)
    add(search.ridges.front(), "sum x^2");
  else if (!search.ridges.empty())
    out += " + the ridge of each level times sum x^2";
  if (search.sharing && search.sharing->shared)
    out += " + squared distances from the constants of all groups";
  return out;
}

Json to_json(const FormChoice& form) {
  Json out = {{"chosen_by", form.given ? "user" : "cross-validation"},
              {"candidates", form.candidates},
              {"random_folds", form.random_folds},
              {"far_folds", form.far_folds}};
  for (const HeldOutErrors& errors : form.held_out)
    out["held_out"].push_back({{"form", errors.form},
                               {"random", number(errors.random)},
                               {"far_ends", errors.far_ends ? number(*errors.far_ends) : Json()}});
  return out;
}

Json to_json(const FormSharing& sharing) {
  return {{"form", sharing.shared ? "shared" : "own"},
          {"judged_by", sharing.by_own_rows ? "own_rows" : "groups"},
          {"lead", sharing.lead ? number(*sharing.lead) : Json()}};
}

Json with_process(const SearchSummary& search, const ProcessSearch& process) {
  Json priors = Json::array();
  for (const HyperPriorFacts& prior : process.priors) {
    priors.push_back({{"of", prior.of},
                      {"mean", number(prior.mean)},
                      {"standard_deviation", number(prior.standard_deviation)}});
  }
  Json out = {{"objective", process.objective},    {"priors", std::move(priors)},
              {"most_rows", process.rows},         {"seed", search.seed},
              {"strategy", search.strategy},       {"starts", search.starts},
              {"evaluations", search.evaluations}, {"termination", search.termination},
              {"cost", number(search.cost)}};
  out["noise"] = to_text(process.noise);
  if (process.noise == ProcessNoise::student_t)
    out["outliers"] = process.outliers;
  if (search.form)
    out["form"] = to_json(*search.form);
  return out;
}

Json without_process(const SearchSummary& search) {
  Json out = {{"method", to_text(search.method)},
              {"loss", to_text(search.loss)},
              {"penalty", to_json(search.penalty)},
              {"seed", search.seed},
              {"strategy", search.strategy},
              {"starts", search.starts},
              {"population", search.population},
              {"generations", search.generations},
              {"evaluations", search.evaluations},
              {"termination", search.termination},
              {"polish_gain", number(search.polish_gain)},
              {"gap", number(search.gap)},
              {"cost", number(search.cost)}};
  if (search.form) {
    out["form"] = to_json(*search.form);
    out["minimised"] = minimised_text(search);
  }
  if (!search.ridges.empty()) {
    out["ridges"] = Json::array();
    for (const double ridge : search.ridges)
      out["ridges"].push_back(number(ridge));
  }
  return out;
}

Json to_json(const SearchSummary& search) {
  Json out = search.process ? with_process(search, *search.process) : without_process(search);
  if (search.sharing) {
    out["sharing"] = to_json(*search.sharing);
    if (search.sharing->shared)
      out["form"]["chosen_by"] = "groups";
  }
  return out;
}

Json target_to_json(const ModelSpec& spec) {
  Json out = {{"column", spec.target}, {"unit", spec.unit}};
  if (spec.throughput)
    out["throughput"] = {{"column", spec.throughput->column}, {"work", spec.throughput->work}};
  return out;
}

}  // namespace

std::string to_json(const FittedModel& model) {
  return document_text(model_document(model));
}

Json model_document(const FittedModel& model) {
  Json scaling_powers = Json::object();
  const std::vector<double> powers = perfmodel::scaling_powers(model);
  for (std::size_t j = 0; j < powers.size(); ++j)
    scaling_powers[model.spec.extrinsic[j].column] = number(powers[j]);
  Json notices = Json::array();
  for (const Sentence& notice : model.provenance.notices)
    notices.push_back(notice.text());
  Json warnings = Json::array();
  for (const auto& warning : model.warnings) {
    warnings.push_back({{"kind", warning.kind},
                        {"constant", warning.constant},
                        {"message", warning.message.text()}});
  }
  Json document = {
      {"schema", "perfmodel/model"},
      {"schema_version", schema_version(model)},
      {"expression",
       {{"form", model.form->name()},
        {"formula", model.form->formula(model.spec, model.constants)}}},
      {"target", target_to_json(model.spec)},
      {"derived", derived_to_json(model.spec.derived)},
      {"derived_sources", sources_to_json(model.spec.sources)},
      {"tied", ties_to_json(model.spec.ties)},
      {"left_out", left_out_to_json(model.left_out)},
      {"constants", model.form->constants_to_json(model)},
      {"scaling_powers", std::move(scaling_powers)},
      {"scaling_powers_at",
       model.typical ? configuration_to_json(model.spec, *model.typical) : Json()},
      {"central_run", model.central ? central_run_to_json(model.spec, *model.central) : Json()},
      {"metrics", to_json(model.metrics)},
      {"noise_floor", to_json(model.noise_floor)},
      {"uncertainty", uncertainty_to_json(model)},
      {"repeats", model.repeats ? to_json(*model.repeats) : Json()},
      {"search", model.search.strategy.empty() ? Json() : to_json(model.search)},
      {"warnings", std::move(warnings)},
      {"provenance", {{"tool", model.provenance.tool}, {"data", data_to_json(model.provenance)}}}};
  document["provenance"]["data"]["notices"] = std::move(notices);
  if (model.spec.derived.empty())
    document.erase("derived");
  if (model.spec.sources.empty())
    document.erase("derived_sources");
  if (model.spec.ties.empty())
    document.erase("tied");
  if (model.left_out.empty())
    document.erase("left_out");
  if (!model.central)
    document.erase("central_run");
  if (!model.typical)
    document.erase("scaling_powers_at");  // the powers are the same everywhere
  if (model.cross_validation)
    document["cross_validation"] = to_json(*model.cross_validation);
  if (model.intervals)
    document["prediction_intervals"] = to_json(*model.intervals);
  if (!model.unmeasured.empty())
    document["unmeasured_regions"] = to_json(model.unmeasured);
  return document;
}

}  // namespace perfmodel
