#include "perfmodel/io/model_json.hpp"

#include "io/derived_json.hpp"
#include "io/held_out_json.hpp"
#include "io/json_layout.hpp"
#include "io/metrics_json.hpp"
#include "io/model_schema.hpp"
#include "io/multi_identifiability_json.hpp"
#include "io/multi_json.hpp"
#include "io/repeats_json.hpp"
#include "io/uncertainty_json.hpp"
#include "perfmodel/model/generic_expression.hpp"

// nlohmann/json takes seconds to compile: only the few files of this room that write or read JSON
// include it.

namespace perfmodel {
namespace {

Json range(const NumericInput& input) {
  return Json::array({number(input.low), number(input.high)});
}

Json constants_to_json(const ModelSpec& spec, const Eigen::VectorXd& constants) {
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t index) {
    return number(constants[static_cast<Eigen::Index>(index)]);
  };
  Json intrinsic = Json::array();
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    intrinsic.push_back({{"column", spec.intrinsic[i].column},
                         {"a", constant(layout.coefficient(i))},
                         {"p", constant(layout.intrinsic_power(i))},
                         {"range", range(spec.intrinsic[i])}});
  }
  Json categorical = Json::array();
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    Json levels = Json::array();
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l) {
      levels.push_back(
          {{"level", spec.categorical[c].levels[l]}, {"a", constant(layout.level(c, l))}});
    }
    categorical.push_back({{"column", spec.categorical[c].column}, {"levels", levels}});
  }
  Json extrinsic = Json::array();
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    extrinsic.push_back({{"column", spec.extrinsic[j].column},
                         {"q", constant(layout.extrinsic_power(j))},
                         {"range", range(spec.extrinsic[j])}});
  }
  return {{"intrinsic", intrinsic},
          {"categorical", categorical},
          {"extrinsic", extrinsic},
          {"C", constant(layout.intercept())}};
}

Json to_json(const Penalty& penalty) {
  Json node = {{"l1", number(penalty.l1)}, {"l2", number(penalty.l2)}};
  if (penalty.constants != Penalise::raw) {
    node["constants"] = to_text(penalty.constants);
  }
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
  return out;
}

Json to_json(const FormChoice& form) {
  return {{"chosen_by", form.given ? "user" : "cross-validation"},
          {"candidates", form.candidates},
          {"random_folds", form.random_folds},
          {"far_folds", form.far_folds}};
}

Json to_json(const SearchSummary& search) {
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
    for (const double ridge : search.ridges) {
      out["ridges"].push_back(number(ridge));
    }
  }
  return out;
}

}  // namespace

std::string to_json(const FittedModel& model) {
  Json scaling_powers = Json::object();
  const std::vector<double> powers = perfmodel::scaling_powers(model);
  for (std::size_t j = 0; j < powers.size(); ++j) {
    scaling_powers[model.spec.extrinsic[j].column] = number(powers[j]);
  }
  const bool is_multi = model.multi.has_value();
  const std::string formula =
      is_multi ? multi_formula(model.spec, model.multi->structure, model.constants)
               : generic_formula(model.spec);
  Json notices = Json::array();
  for (const Sentence& notice : model.provenance.notices)
    notices.push_back(notice.text());
  Json warnings = Json::array();
  for (const auto& warning : model.warnings) {
    warnings.push_back({{"kind", warning.kind},
                        {"constant", warning.constant},
                        {"message", warning.message.text()}});
  }
  Json constants =
      is_multi ? multi_constants_to_json(model) : constants_to_json(model.spec, model.constants);
  if (model.identifiability) {
    if (is_multi) {
      add_multi_identifiability(model, constants);
    } else {
      add_identifiability(model.spec, model.constants, *model.identifiability, constants);
    }
  }
  Json document = {
      {"schema", "perfmodel/model"},
      {"schema_version", model_schema_version},
      {"expression", {{"form", is_multi ? "multi" : "generic"}, {"formula", formula}}},
      {"target", {{"column", model.spec.target}, {"unit", model.spec.unit}}},
      {"derived", derived_to_json(model.spec.derived)},
      {"derived_sources", sources_to_json(model.spec.sources)},
      {"constants", std::move(constants)},
      {"scaling_powers", std::move(scaling_powers)},
      {"scaling_powers_at", is_multi ? configuration_to_json(model.spec, model.multi->typical)
                            : model.typical ? configuration_to_json(model.spec, *model.typical)
                                            : Json()},
      {"metrics", to_json(model.metrics)},
      {"noise_floor", to_json(model.noise_floor)},
      {"uncertainty", uncertainty_to_json(model)},
      {"repeats", model.repeats ? to_json(*model.repeats) : Json()},
      {"search", model.search.strategy.empty() ? Json() : to_json(model.search)},
      {"warnings", std::move(warnings)},
      {"provenance",
       {{"tool", model.provenance.tool},
        {"data",
         {{"file", model.provenance.file},
          {"rows", model.provenance.rows},
          {"sha256", model.provenance.sha256},
          {"notices", std::move(notices)}}}}}};
  if (model.spec.derived.empty()) {
    document.erase("derived");
  }
  if (model.spec.sources.empty()) {
    document.erase("derived_sources");
  }
  if (!is_multi && !model.typical) {
    document.erase("scaling_powers_at");  // the powers of Eq. (4) are the same everywhere
  }
  if (model.cross_validation) {
    document["cross_validation"] = to_json(*model.cross_validation);
  }
  if (model.intervals) {
    document["prediction_intervals"] = to_json(*model.intervals);
  }
  if (!model.unmeasured.empty()) {
    document["unmeasured_regions"] = to_json(model.unmeasured);
  }
  return document_text(document);
}

}  // namespace perfmodel
