#include "perfmodel/io/model_json.hpp"

#include <array>
#include <map>
#include <set>
#include <utility>

#include "io/derived_fields.hpp"
#include "io/derived_json.hpp"
#include "io/held_out_json.hpp"
#include "io/json_cursor.hpp"
#include "io/json_layout.hpp"
#include "io/metrics_json.hpp"
#include "io/model_schema.hpp"
#include "io/multi_identifiability_json.hpp"
#include "io/multi_json.hpp"
#include "io/repeats_json.hpp"
#include "io/uncertainty_json.hpp"
#include "model/level_order.hpp"
#include "perfmodel/base/text.hpp"
#include "perfmodel/io/input_file.hpp"
#include "perfmodel/model/generic_expression.hpp"

namespace perfmodel {
namespace {

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
  search.loss = read_enum(node.member("loss"),
                          std::array{Loss::mae, Loss::mape, Loss::mse, Loss::rmsle, Loss::soft_l1});
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
      std::set<std::string> known;
      for (const auto& level : item.member("levels").items()) {
        refuse_repeated(known, level, level.text());
      }
      refuse_no_levels(known, item);
      input.levels.assign(known.begin(), known.end());
      sort_levels(input.levels);  // a file edited by hand may have them in any order
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

  static void refuse_repeated(std::set<std::string>& known, const JsonCursor& node,
                              const std::string& level) {
    if (!known.insert(level).second) {
      node.fail("the level '" + level + "' stands twice");
    }
  }

  static void refuse_no_levels(const std::set<std::string>& known, const JsonCursor& item) {
    if (known.empty()) {
      item.member("levels").fail("expected at least one level");
    }
  }

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
    std::map<std::string, double> coefficients;
    std::set<std::string> known;
    for (const auto& level : item.member("levels").items()) {
      const std::string name = level.member("level").text();
      refuse_repeated(known, level, name);
      coefficients[name] = level.member("a").number();
    }
    refuse_no_levels(known, item);
    input.levels.assign(known.begin(), known.end());
    sort_levels(input.levels);  // a file edited by hand may have them in any order
    for (const std::string& level : input.levels) {
      levels_.push_back(coefficients.at(level));
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
  if (version.count() > model_schema_version) {
    version.fail(std::to_string(version.count()) + " is newer than this program knows (" +
                 std::to_string(model_schema_version) +
                 "); use a newer perfmodel, or fit the model again with this one");
  }
  if (version.count() != model_schema_version) {
    version.fail("there is no version " + std::to_string(version.count()));
  }
  return read_enum(root.member("expression").member("form"),
                   std::array{Expression::generic, Expression::multi});
}

}  // namespace

FittedModel read_model(const std::string& path) {
  const std::string source = display_name(path);
  const nlohmann::json document = parse_json(source, read_file(path));
  const JsonCursor root(source, document);
  const Expression form = read_form(root);

  FittedModel model;
  model.spec.target = root.member("target").member("column").name();
  model.spec.unit = root.member("target").member("unit").text();
  model.spec.derived = read_derived(root);
  model.spec.sources = read_sources(root);
  const auto constants = root.member("constants");
  if (form == Expression::multi) {
    ConstantsReader::read_inputs(model.spec, constants);
    read_multi_terms(constants, model);
    model.multi->typical = read_configuration(model.spec, root.member("scaling_powers_at"));
    model.identifiability = read_multi_identifiability(model, constants);
  } else {
    model.constants = ConstantsReader(model.spec, constants).constants();
    model.identifiability = read_identifiability(model.spec, constants);
    if (const auto node = root.optional_member("scaling_powers_at")) {
      model.typical = read_configuration(model.spec, *node);
    }
  }
  check_derived_fields(model, root);
  model.uncertainty = read_uncertainty(model, root);
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
  model.noise_floor = read_noise_floor(root);
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
    model.provenance.notices.emplace_back(notice.text());
  }
  return model;
}

}  // namespace perfmodel
