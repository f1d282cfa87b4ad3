#include "io/model/model_json_reading.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "fit/form_kinds.hpp"
#include "fit/result/form.hpp"
#include "io/file/input_file.hpp"
#include "io/model/columns_json.hpp"
#include "io/model/configuration_json.hpp"
#include "io/model/data_json.hpp"
#include "io/model/derived_fields.hpp"
#include "io/model/derived_json.hpp"
#include "io/model/held_out_json.hpp"
#include "io/model/metrics_json.hpp"
#include "io/model/model_schema.hpp"
#include "io/model/repeats_json.hpp"
#include "io/model/uncertainty_json.hpp"
#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"

namespace perfmodel {
namespace {

/// The enumerator with this text. `known` lists all there are.
template <class Enum, std::size_t n>
Enum read_enum(const JsonCursor& node, const std::array<Enum, n>& known) {
  const std::string text = node.text();
  std::vector<std::string> names;
  for (const Enum value : known) {
    if (to_text(value) == text)
      return value;
    names.emplace_back(to_text(value));
  }
  node.fail("'" + text + "' is not one of " + quoted_list(names));
}

SearchSummary read_process_search(const JsonCursor& node) {
  SearchSummary search;
  ProcessSearch& process = search.process.emplace();
  process.objective = node.member("objective").text();
  for (const auto& prior : node.member("priors").items()) {
    process.priors.push_back({prior.member("of").text(), prior.member("mean").number(),
                              prior.member("standard_deviation").number()});
  }
  process.rows = node.member("most_rows").count();
  if (const auto noise = node.optional_member("noise"))
    process.noise = read_enum(*noise, std::array{ProcessNoise::normal, ProcessNoise::student_t});
  if (const auto outliers = node.optional_member("outliers"))
    process.outliers = outliers->count();
  search.loss = Loss::rmsle;
  search.seed = node.member("seed").count();
  search.strategy = node.member("strategy").text();
  search.starts = node.member("starts").count();
  search.evaluations = node.member("evaluations").count();
  search.termination = node.member("termination").text();
  search.cost = node.member("cost").number();
  return search;
}

SearchSummary read_search(const JsonCursor& node) {
  if (node.optional_member("objective"))
    return read_process_search(node);
  SearchSummary search;
  search.method = read_enum(node.member("method"), std::array{Method::scaled, Method::paper});
  search.loss = read_enum(node.member("loss"),
                          std::array{Loss::mae, Loss::mape, Loss::mse, Loss::rmsle, Loss::soft_l1});
  const auto penalty = node.member("penalty");
  search.penalty.l1 = penalty.member("l1").number();
  search.penalty.l2 = penalty.member("l2").number();
  if (const auto constants = penalty.optional_member("constants"))
    search.penalty.constants = read_enum(*constants, std::array{Penalise::raw, Penalise::scaled});
  search.seed = node.member("seed").count();
  search.strategy = node.member("strategy").text();
  search.starts = node.member("starts").count();
  search.population = node.member("population").count();
  search.generations = node.member("generations").count();
  search.evaluations = node.member("evaluations").count();
  search.termination = node.member("termination").text();
  search.polish_gain = node.member("polish_gain").number();
  search.gap = node.member("gap").number();
  search.cost = node.member("cost").number();
  return search;
}

FormChoice read_form_choice(const JsonCursor& node) {
  FormChoice out{.given = node.member("chosen_by").text() == "user",
                 .candidates = node.member("candidates").count(),
                 .random_folds = node.member("random_folds").count(),
                 .far_folds = node.member("far_folds").count()};
  if (const auto held_out = node.optional_member("held_out")) {
    for (const JsonCursor& item : held_out->items()) {
      const auto far_ends = item.nullable_member("far_ends");
      out.held_out.push_back({item.member("form").text(), item.member("random").number(),
                              far_ends ? std::optional(far_ends->number()) : std::nullopt});
    }
  }
  return out;
}

FormSharing read_sharing(const JsonCursor& node) {
  FormSharing out;
  out.shared = node.member("form").text() == "shared";
  out.by_own_rows = node.member("judged_by").text() == "own_rows";
  if (const auto lead = node.nullable_member("lead"))
    out.lead = lead->number();
  return out;
}

/// Checks that this is a model that this program can read.
void check_version(const JsonCursor& root) {
  const auto schema = root.member("schema");
  if (schema.text() != "perfmodel/model")
    schema.fail("'" + schema.text() + "' is not 'perfmodel/model': this is not a model file");
  const auto version = root.member("schema_version");
  if (version.count() > kModelSchemaVersion) {
    version.fail(std::to_string(version.count()) + " is newer than this program knows (" +
                 std::to_string(kModelSchemaVersion) +
                 "); use a newer perfmodel, or fit the model again with this one");
  }
  if (version.count() == 0)
    version.fail("there is no version " + std::to_string(version.count()));
}

const FormKind& read_form(const JsonCursor& root, const std::vector<FormKind>& kinds) {
  const auto node = root.member("expression").member("form");
  const std::string text = node.text();
  std::vector<std::string> names;
  for (const FormKind& kind : kinds) {
    if (kind.name == text)
      return kind;
    names.emplace_back(kind.name);
  }
  node.fail("'" + text + "' is not one of " + quoted_list(names));
}

/// Which constants stand at a bound is said in the warnings alone.
void mark_bounds(FittedModel& model) {
  if (!model.identifiability)
    return;
  const std::vector<std::string> names = constant_names(model);
  std::vector<bool>& at_bound = model.identifiability->at_bound;
  at_bound.assign(names.size(), false);
  for (const Warning& warning : model.warnings) {
    const auto found = std::find(names.begin(), names.end(), warning.constant);
    if (warning.kind == "at_bound" && found != names.end())
      at_bound[static_cast<std::size_t>(found - names.begin())] = true;
  }
}

}  // namespace

FittedModel read_model(const std::string& path) {
  return read_model(path, form_kinds());
}

FittedModel read_model(const std::string& path, const std::vector<FormKind>& kinds) {
  return read_model(JsonCursor::parse(display_name(path), read_file(path)), kinds);
}

FittedModel read_model(const JsonCursor& root, const std::vector<FormKind>& kinds) {
  check_version(root);
  const FormKind& form = read_form(root, kinds);

  FittedModel model;
  model.spec.target = root.member("target").member("column").name();
  model.spec.unit = root.member("target").member("unit").text();
  if (const auto rate = root.member("target").optional_member("throughput"))
    model.spec.throughput = {rate->member("column").name(), rate->member("work").text()};
  model.spec.derived = read_derived(root);
  model.spec.sources = read_sources(root);
  const auto constants = root.member("constants");
  form.read(constants, model);
  if (const JsonCursor version = root.member("schema_version");
      version.count() != schema_version(model)) {
    version.fail("a model of the form '" + std::string(form.name) + "' has version " +
                 std::to_string(schema_version(model)) +
                 (model.spec.has_zeros() ? " where a column may be 0" : ""));
  }
  if (model.form->has_local_powers())
    model.typical = read_configuration(model.spec, root.member("scaling_powers_at"));
  else if (const auto node = root.optional_member("scaling_powers_at"))
    model.typical = read_configuration(model.spec, *node);
  model.central = read_central_run(model.spec, root);
  model.spec.ties = read_ties(model.spec, root);
  model.left_out = read_left_out(root);
  check_derived_fields(model, root);
  model.uncertainty = read_uncertainty(model, root);
  const auto metrics = root.member("metrics");
  // A model that was published has constants but no search of ours.
  if (const auto node = metrics.nullable_member("train"))
    model.metrics.train = read_metrics(*node);
  for (auto [name, part] :
       {std::pair{"validation", &model.metrics.validation}, std::pair{"test", &model.metrics.test}})
    if (const auto node = metrics.nullable_member(name))
      *part = read_metrics(*node);
  model.noise_floor = read_noise_floor(root);
  if (const auto node = root.nullable_member("repeats"))
    model.repeats = read_repeats(*node);
  if (const auto node = root.nullable_member("search")) {
    model.search = read_search(*node);
    if (const auto choice = node->optional_member("form"))
      model.search.form = read_form_choice(*choice);
    if (const auto sharing = node->optional_member("sharing"))
      model.search.sharing = read_sharing(*sharing);
  }
  if (const auto node = root.optional_member("cross_validation"))
    model.cross_validation = read_cross_validation(*node);
  if (const auto node = root.optional_member("prediction_intervals"))
    model.intervals = read_intervals(*node, model.form->process_size().has_value());
  if (const auto node = root.optional_member("unmeasured_regions"))
    model.unmeasured = read_unmeasured(*node);
  for (const auto& item : root.member("warnings").items()) {
    model.warnings.push_back({item.member("kind").text(), item.member("constant").text(),
                              item.member("message").text()});
  }
  mark_bounds(model);
  const auto provenance = root.member("provenance");
  const auto data = provenance.member("data");
  model.provenance.tool = provenance.member("tool").text();
  read_data(data, model.provenance);
  for (const auto& notice : data.member("notices").items())
    model.provenance.notices.emplace_back(notice.text());
  return model;
}

}  // namespace perfmodel
