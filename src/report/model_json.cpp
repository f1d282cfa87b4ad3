#include "report/model_json.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"
#include "table/formula.hpp"

namespace perfmodel {

inline Json derived_to_json(const std::vector<DerivedColumn>& derived) {
  Json out = Json::array();
  for (const DerivedColumn& item : derived)
    out.push_back({{"column", item.column}, {"formula", item.formula}});
  return out;
}

/// Nothing where the model has none.
inline std::vector<DerivedColumn> read_derived(const JsonCursor& root) {
  std::vector<DerivedColumn> out;
  const auto node = root.optional_member("derived");
  if (!node)
    return out;
  for (const JsonCursor& item : node->items()) {
    const std::string formula = item.member("formula").text();
    try {
      out.push_back(make_derived(item.member("column").name(), formula, quoted_formula(formula)));
    } catch (const UsageError& error) {
      item.fail(error.what());  // a bad file, not wrong usage
    }
  }
  return out;
}

inline Json sources_to_json(const std::vector<SourceColumn>& sources) {
  Json out = Json::array();
  for (const SourceColumn& source : sources)
    out.push_back({{"column", source.column}, {"typical", source.typical}});
  return out;
}

/// Nothing where the file does not tell.
inline std::vector<SourceColumn> read_sources(const JsonCursor& root) {
  std::vector<SourceColumn> out;
  if (const auto node = root.optional_member("derived_sources"))
    for (const JsonCursor& item : node->items())
      out.push_back({item.member("column").name(), item.member("typical").number()});
  return out;
}

/// The newest of "perfmodel/model"; a newer one is refused. Which one a model has, its form
/// says, and whether its columns may be 0.
constexpr std::uint64_t kModelSchemaVersion = 3;

/// The oldest that tells all of the model.
inline std::uint64_t schema_version(const FittedModel& model) {
  constexpr unsigned with_zeros = 3;
  return std::max(model.form->schema_version(), model.spec.has_zeros() ? with_zeros : 1);
}

Json configuration_to_json(const ModelSpec& spec, const Configuration& configuration) {
  Json out = Json::object();
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    out[spec.intrinsic[i].column] = number(configuration.intrinsic[i]);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    out[spec.categorical[c].column] = spec.categorical[c].levels[configuration.levels[c]];
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out[spec.extrinsic[j].column] = number(configuration.extrinsic[j]);
  return out;
}

Configuration read_configuration(const ModelSpec& spec, const JsonCursor& node) {
  const auto numbers = [&](const std::vector<NumericInput>& inputs) {
    std::vector<double> out;
    for (const NumericInput& input : inputs) {
      const JsonCursor member = node.member(input.column);
      out.push_back(member.number());
      if (!input.allows(out.back()))
        member.fail(input.zero ? "expected a number >= 0" : "expected a number > 0");
    }
    return out;
  };
  Configuration out;
  out.intrinsic = numbers(spec.intrinsic);
  for (const CategoricalInput& input : spec.categorical) {
    const JsonCursor member = node.member(input.column);
    const auto found = std::find(input.levels.begin(), input.levels.end(), member.text());
    if (found == input.levels.end())
      member.fail("'" + member.text() + "' is not one of " + quoted_list(input.levels));
    out.levels.push_back(static_cast<std::uint32_t>(found - input.levels.begin()));
  }
  out.extrinsic = numbers(spec.extrinsic);
  return out;
}

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

InputValue read_value(const JsonCursor& node) {
  return node.is_text() ? InputValue(node.text()) : InputValue(node.number());
}

Effect read_effect(const JsonCursor& item) {
  Effect out{.column = item.member("column").name(),
             .from = read_value(item.member("from")),
             .to = read_value(item.member("to")),
             .ratio = item.member("ratio").number()};
  if (const auto low = item.optional_member("low"))
    out.interval = Interval{low->number(), item.member("high").number()};
  if (const auto measured = item.optional_member("measured"))
    out.measured = measured->boolean();
  return out;
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
  }
  if (const auto node = root.optional_member("cross_validation"))
    model.cross_validation = read_cross_validation(*node);
  if (const auto node = root.optional_member("prediction_intervals"))
    model.intervals = read_intervals(*node, has_process(*model.form));
  if (const auto node = root.optional_member("effects"))
    for (const JsonCursor& item : node->items())
      model.effects.push_back(read_effect(item));
  if (const auto node = root.optional_member("correction"))
    model.correction = node->member("typical").number();
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

namespace {

Json to_json(const Effect& effect) {
  Json out = {{"column", effect.column},
              {"from", value_to_json(effect.from)},
              {"to", value_to_json(effect.to)},
              {"ratio", number(effect.ratio)}};
  if (effect.interval) {
    out["low"] = number(effect.interval->low);
    out["high"] = number(effect.interval->high);
    out["determined"] = effect.is_determined();
  }
  out["measured"] = effect.measured;
  return out;
}

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
  return search.process ? with_process(search, *search.process) : without_process(search);
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
  for (const Effect& effect : model.effects)
    document["effects"].push_back(to_json(effect));
  if (model.correction)
    document["correction"] = {{"typical", number(*model.correction)}};
  if (!model.unmeasured.empty())
    document["unmeasured_regions"] = to_json(model.unmeasured);
  return document;
}

}  // namespace perfmodel
