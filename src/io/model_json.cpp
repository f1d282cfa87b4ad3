#include "perfmodel/io/model_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "io/derived_json.hpp"
#include "io/held_out_json.hpp"
#include "io/json_cursor.hpp"
#include "io/json_layout.hpp"
#include "io/metrics_json.hpp"
#include "io/multi_json.hpp"
#include "io/repeats_json.hpp"
#include "perfmodel/base/text.hpp"
#include "perfmodel/io/input_file.hpp"
#include "perfmodel/model/generic_expression.hpp"

// nlohmann/json takes seconds to compile: only the few files of this room that write or read JSON
// include it.

namespace perfmodel {
namespace {

constexpr std::uint64_t schema_version = 1;

// --- Writing ----------------------------------------------------------------------------------

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

Json to_json(const SearchSummary& search) {
  return {{"method", to_text(search.method)},
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
}

// --- Reading ----------------------------------------------------------------------------------

/// The enumerator with this text. `known` lists all there are.
template <class Enum, std::size_t n>
Enum read_enum(const JsonCursor& node, const std::array<Enum, n>& known) {
  const std::string text = node.text();
  std::vector<std::string> names;
  for (const Enum value : known) {
    if (to_text(value) == text) {
      return value;
    }
    names.emplace_back(to_text(value));
  }
  node.fail("'" + text + "' is not one of " + quoted_list(names));
}

SearchSummary read_search(const JsonCursor& node) {
  SearchSummary search;
  search.method = read_enum(node.member("method"), std::array{Method::scaled, Method::paper});
  search.loss =
      read_enum(node.member("loss"), std::array{Loss::mae, Loss::mape, Loss::mse, Loss::rmsle});
  const auto penalty = node.member("penalty");
  search.penalty.l1 = penalty.member("l1").number();
  search.penalty.l2 = penalty.member("l2").number();
  if (const auto constants = penalty.optional_member("constants")) {
    search.penalty.constants = read_enum(*constants, std::array{Penalise::raw, Penalise::scaled});
  }
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

/// Reads the inputs and their constants; each kind of constant in its own list, joined at the end
/// in the order of GenericLayout.
class ConstantsReader {
 public:
  ConstantsReader(ModelSpec& spec, const JsonCursor& node) : spec_(spec) {
    columns_.insert(spec.target);
    for (const auto& item : node.member("intrinsic").items()) {
      spec_.intrinsic.push_back(numeric_input(item));
      coefficients_.push_back(item.member("a").number());
      intrinsic_powers_.push_back(item.member("p").number());
    }
    for (const auto& item : node.member("categorical").items()) {
      add_categorical(item);
    }
    for (const auto& item : node.member("extrinsic").items()) {
      spec_.extrinsic.push_back(numeric_input(item));
      extrinsic_powers_.push_back(item.member("q").number());
    }
    intercept_ = node.member("C").number();
  }

  /// The inputs alone: a sum of product terms has its constants elsewhere.
  static void read_inputs(ModelSpec& spec, const JsonCursor& node) {
    ConstantsReader reader(spec);
    for (const auto& item : node.member("intrinsic").items()) {
      spec.intrinsic.push_back(reader.numeric_input(item));
    }
    for (const auto& item : node.member("categorical").items()) {
      CategoricalInput input{reader.column(item), {}};
      for (const auto& level : item.member("levels").items()) {
        input.levels.push_back(level.text());
      }
      spec.categorical.push_back(std::move(input));
    }
    for (const auto& item : node.member("extrinsic").items()) {
      spec.extrinsic.push_back(reader.numeric_input(item));
    }
  }

  Eigen::VectorXd constants() const {
    std::vector<double> all;
    for (const auto* part : {&coefficients_, &levels_, &intrinsic_powers_, &extrinsic_powers_}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    all.push_back(intercept_);
    return Eigen::Map<Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
  }

 private:
  ModelSpec& spec_;
  std::set<std::string> columns_;
  std::vector<double> coefficients_;
  std::vector<double> levels_;
  std::vector<double> intrinsic_powers_;
  std::vector<double> extrinsic_powers_;
  double intercept_ = 0;

  explicit ConstantsReader(ModelSpec& spec) : spec_(spec) { columns_.insert(spec.target); }

  std::string column(const JsonCursor& item) {
    const auto node = item.member("column");
    std::string name = node.name();
    if (!columns_.insert(name).second) {
      node.fail("the column '" + name + "' already has a part in the model");
    }
    return name;
  }

  NumericInput numeric_input(const JsonCursor& item) {
    NumericInput input;
    input.column = column(item);
    const auto range = item.member("range");
    const auto ends = range.items();
    if (ends.size() != 2) {
      range.fail("expected two numbers, the lowest and the highest value");
    }
    input.low = ends[0].number();
    input.high = ends[1].number();
    if (!(0 < input.low && input.low <= input.high)) {
      range.fail("expected 0 < lowest <= highest");
    }
    return input;
  }

  void add_categorical(const JsonCursor& item) {
    CategoricalInput input;
    input.column = column(item);
    std::vector<std::pair<std::string, double>> levels;
    std::set<std::string> known;
    for (const auto& level : item.member("levels").items()) {
      levels.emplace_back(level.member("level").text(), level.member("a").number());
      if (!known.insert(levels.back().first).second) {
        level.fail("the level '" + levels.back().first + "' stands twice");
      }
    }
    if (levels.empty()) {
      item.member("levels").fail("expected at least one level");
    }
    std::sort(levels.begin(), levels.end());  // a file edited by hand may have them in any order
    for (const auto& [level, coefficient] : levels) {
      input.levels.push_back(level);
      levels_.push_back(coefficient);
    }
    spec_.categorical.push_back(std::move(input));
  }
};

/// Checks that this is a model that this program can read, and returns its form.
Expression read_form(const JsonCursor& root) {
  const auto schema = root.member("schema");
  if (schema.text() != "perfmodel/model") {
    schema.fail("'" + schema.text() + "' is not 'perfmodel/model': this is not a model file");
  }
  const auto version = root.member("schema_version");
  if (version.count() > schema_version) {
    version.fail(std::to_string(version.count()) + " is newer than this program knows (" +
                 std::to_string(schema_version) +
                 "); use a newer perfmodel, or fit the model again with this one");
  }
  if (version.count() != schema_version) {
    version.fail("there is no version " + std::to_string(version.count()));
  }
  return read_enum(root.member("expression").member("form"),
                   std::array{Expression::generic, Expression::multi});
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
  Json warnings = Json::array();
  for (const auto& warning : model.warnings) {
    warnings.push_back(
        {{"kind", warning.kind}, {"constant", warning.constant}, {"message", warning.message}});
  }
  Json document = {{"schema", "perfmodel/model"},
                   {"schema_version", schema_version},
                   {"expression", {{"form", is_multi ? "multi" : "generic"}, {"formula", formula}}},
                   {"target", {{"column", model.spec.target}, {"unit", model.spec.unit}}},
                   {"derived", derived_to_json(model.spec.derived)},
                   {"constants", is_multi ? multi_constants_to_json(model)
                                          : constants_to_json(model.spec, model.constants)},
                   {"scaling_powers", std::move(scaling_powers)},
                   {"scaling_powers_at",
                    is_multi ? configuration_to_json(model.spec, model.multi->typical) : Json()},
                   {"metrics", to_json(model.metrics)},
                   {"repeats", model.repeats ? to_json(*model.repeats) : Json()},
                   {"search", model.search.strategy.empty() ? Json() : to_json(model.search)},
                   {"warnings", std::move(warnings)},
                   {"provenance",
                    {{"tool", model.provenance.tool},
                     {"data",
                      {{"file", model.provenance.file},
                       {"rows", model.provenance.rows},
                       {"sha256", model.provenance.sha256},
                       {"notices", model.provenance.notices}}}}}};
  if (model.spec.derived.empty()) {
    document.erase("derived");
  }
  if (!is_multi) {
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

FittedModel read_model(const std::string& path) {
  const std::string source = display_name(path);
  const nlohmann::json document = parse_json(source, read_file(path));
  const JsonCursor root(source, document);
  const Expression form = read_form(root);

  FittedModel model;
  model.spec.target = root.member("target").member("column").name();
  model.spec.unit = root.member("target").member("unit").text();
  model.spec.derived = read_derived(root);
  const auto constants = root.member("constants");
  if (form == Expression::multi) {
    ConstantsReader::read_inputs(model.spec, constants);
    read_multi_terms(constants, model);
    model.multi->typical = read_configuration(model.spec, root.member("scaling_powers_at"));
  } else {
    model.constants = ConstantsReader(model.spec, constants).constants();
  }
  const auto metrics = root.member("metrics");
  // A model that was published has constants but no search of ours.
  if (const auto node = metrics.nullable_member("train")) {
    model.metrics.train = read_metrics(*node);
  }
  for (auto [name, part] : {std::pair{"validation", &model.metrics.validation},
                            std::pair{"test", &model.metrics.test}}) {
    if (const auto node = metrics.nullable_member(name)) {
      *part = read_metrics(*node);
    }
  }
  if (const auto node = root.nullable_member("repeats")) {
    model.repeats = read_repeats(*node);
  }
  if (const auto node = root.nullable_member("search")) {
    model.search = read_search(*node);
  }
  if (const auto node = root.optional_member("cross_validation")) {
    model.cross_validation = read_cross_validation(*node);
  }
  if (const auto node = root.optional_member("prediction_intervals")) {
    model.intervals = read_intervals(*node);
  }
  if (const auto node = root.optional_member("unmeasured_regions")) {
    model.unmeasured = read_unmeasured(*node);
  }
  for (const auto& item : root.member("warnings").items()) {
    model.warnings.push_back({item.member("kind").text(), item.member("constant").text(),
                              item.member("message").text()});
  }
  const auto provenance = root.member("provenance");
  const auto data = provenance.member("data");
  model.provenance.tool = provenance.member("tool").text();
  model.provenance.file = data.member("file").text();
  model.provenance.rows = data.member("rows").count();
  model.provenance.sha256 = data.member("sha256").text();
  for (const auto& notice : data.member("notices").items()) {
    model.provenance.notices.push_back(notice.text());
  }
  return model;
}

std::string evaluation_to_json(const FittedModel& model, const EvaluationReport& report) {
  Json document = {{"schema", "perfmodel/evaluation"},
                   {"schema_version", schema_version},
                   {"target", {{"column", model.spec.target}, {"unit", model.spec.unit}}},
                   {"data", {{"file", report.runs_file}}},
                   {"metrics", to_json(report.metrics)}};
  if (report.intervals) {
    document["prediction_intervals"] = {{"level", number(report.intervals->level)},
                                        {"coverage", number(report.intervals->coverage)},
                                        {"mean_width", number(report.intervals->mean_width)}};
  }
  if (report.baseline) {
    Json drift = Json::object();
    for (const auto& [name, value] : report.baseline->drift) {
      drift[name] = std::isfinite(value) ? number(value) : Json();
    }
    document["baseline"] = {{"file", report.baseline->file},
                            {"metrics", to_json(report.baseline->metrics)},
                            {"drift", drift}};
  }
  return document_text(document);
}

std::string prediction_to_json(const std::string& target, double predicted,
                               const std::optional<std::pair<double, double>>& interval,
                               bool in_range) {
  Json document = {{"schema", "perfmodel/prediction"},
                   {"schema_version", schema_version},
                   {"predicted_" + target, number(predicted)}};
  if (interval) {
    document["lower"] = number(interval->first);
    document["upper"] = number(interval->second);
  }
  document["in_range"] = in_range;
  return document_text(document);
}

}  // namespace perfmodel
