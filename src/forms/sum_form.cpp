#include "forms/sum_form.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "codegen/formula_code.hpp"
#include "forms/form.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kMostLevelsShown = 12;  // in a term for people; model.json has them all

constexpr FormWords kSumWords{.noun = "sum of product terms",
                              .title = "A sum of product terms",
                              .share_caption = "The terms are listed below.",
                              .scaled_part = "the time",
                              .level_letter = 'g',
                              .lists_terms = true};

/// Which of the given numeric columns each is: the scales come first.
std::vector<std::size_t> numeric_order(const ColumnOrder& order) {
  std::vector<std::size_t> out = order.extrinsic;
  for (const std::size_t intrinsic : order.intrinsic)
    out.push_back(order.extrinsic.size() + intrinsic);
  return out;
}

MultiStructure reordered_structure(const MultiStructure& structure, const ColumnOrder& order) {
  MultiStructure out = structure;
  const std::vector<std::size_t> numeric = numeric_order(order);
  for (Regime& regime : out.regimes)
    regime.numeric = numeric[regime.numeric];
  for (std::vector<int>& powers : out.log_powers) {
    const bool all = powers.size() > order.extrinsic.size();
    powers = put_back(powers, all ? numeric : order.extrinsic);
  }
  for (std::vector<std::size_t>& rings : out.rings)
    for (std::size_t& ring : rings)
      ring = numeric[ring];
  for (std::vector<Cap>& caps : out.caps)
    for (Cap& cap : caps)
      cap.numeric = numeric[cap.numeric];
  return out;
}

std::string term_name(std::size_t k) {
  return "term " + std::to_string(k + 1);
}

}  // namespace

const SumForm* sum_form_of(const FittedModel& model) {
  return dynamic_cast<const SumForm*>(model.form.get());
}

const SumForm& sum_form(const FittedModel& model) {
  return dynamic_cast<const SumForm&>(*model.form);
}

SumForm& own_sum_form(FittedModel& model) {
  auto own = std::make_shared<SumForm>(sum_form(model));
  SumForm& out = *own;
  model.form = std::move(own);
  return out;
}

std::string_view SumForm::name() const {
  return to_text(Expression::multi);
}

const FormWords& SumForm::words() const {
  return kSumWords;
}

std::vector<ConstantInfo> SumForm::constants(const ModelSpec& spec) const {
  using enum ConstantRole;
  const MultiLayout layout(spec, structure);
  std::vector<ConstantInfo> out(layout.size());
  std::size_t group = 0;
  const auto put = [&](std::size_t k, ConstantRole role, ConstantRange range,
                       const std::string& level = {}, const std::string& column = {}) {
    out[k] = {layout.name(k), role, range, group, level, column};
  };
  for (; group < structure.terms; ++group) {
    put(layout.coefficient(group), coefficient, ConstantRange::factor);
    for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
      put(layout.intrinsic_power(group, i), intrinsic_power, ConstantRange::any, {},
          spec.intrinsic[i].column);
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      const std::vector<std::string>& levels = spec.categorical[c].levels;
      for (std::size_t l = 0; l < levels.size(); ++l)
        put(layout.level(group, c, l), level, ConstantRange::factor, levels[l]);
    }
    for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
      put(layout.extrinsic_power(group, j), scaling_power, ConstantRange::any, {},
          spec.extrinsic[j].column);
    for (std::size_t g = 0; g < structure.regimes.size(); ++g)
      for (const std::size_t side : {0U, 1U})
        put(layout.regime(group, g, side), step, ConstantRange::factor);
  }
  put(layout.intercept(), intercept, ConstantRange::not_negative);
  return out;
}

std::vector<std::string> SumForm::groups(const ModelSpec&) const {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < structure.terms; ++k)
    out.push_back(term_name(k));
  out.emplace_back("C");
  return out;
}

VectorXd SumForm::predict(const ModelSpec& spec, const VectorXd& constants,
                          const Design& design) const {
  return predict_multi(spec, structure, constants, design);
}

std::vector<TimePart> SumForm::parts(const ModelSpec& spec, const VectorXd& constants,
                                     const std::function<std::string(std::size_t)>& mark) const {
  std::vector<TimePart> out;
  for (std::size_t k = 0; k < structure.terms; ++k)
    out.push_back({term_name(k),
                   multi_term_text(spec, structure, constants, k, mark, kMostLevelsShown), true,
                   multi_term_title(spec, structure, constants, k)});
  const double intercept = constants[constants.size() - 1];
  out.push_back({"C", rounded(intercept), intercept != 0});
  return out;
}

std::vector<double> SumForm::shares(const ModelSpec& spec, const VectorXd& constants,
                                    const Design& design) const {
  const MatrixXd parts = multi_parts(spec, structure, constants, design);
  const VectorXd sums = 100 * parts.colwise().sum().transpose() / parts.sum();
  return {sums.begin(), sums.end()};
}

bool SumForm::has_local_powers() const {
  return true;
}

std::vector<double> SumForm::scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                            const Configuration* at) const {
  const MatrixXd local = multi_elasticities(spec, structure, constants, design_of(*at, spec));
  return {local.row(0).begin(), local.row(0).end()};
}

double SumForm::unscaled_time(const VectorXd&) const {
  return 0;
}

std::vector<double> SumForm::steps(const ModelSpec&, std::size_t extrinsic) const {
  std::vector<double> out;
  for (const Regime& regime : structure.regimes)
    if (regime.numeric == extrinsic)  // scales are the first of the numeric columns
      out.push_back(regime.above);
  return out;
}

std::string SumForm::formula(const ModelSpec& spec, const VectorXd& constants) const {
  return multi_formula(spec, structure, constants);
}

std::string SumForm::code(const ModelSpec& spec, const VectorXd& constants,
                          FormulaLanguage language) const {
  return multi_code(spec, structure, constants, language);
}

Form::Reordered SumForm::reordered(const ModelSpec& from, const ModelSpec& to,
                                   const ColumnOrder& order) const {
  auto form = std::make_shared<SumForm>(reordered_structure(structure, order), estimate);
  if (form->estimate)
    for (std::size_t& numeric : form->estimate->shared)
      numeric = numeric_order(order)[numeric];

  const MultiLayout old(from, structure);
  const MultiLayout next(to, form->structure);
  std::vector<std::size_t> origin(old.size());
  for (std::size_t k = 0; k < structure.terms; ++k) {
    origin[old.coefficient(k)] = next.coefficient(k);
    for (std::size_t i = 0; i < order.intrinsic.size(); ++i)
      origin[old.intrinsic_power(k, i)] = next.intrinsic_power(k, order.intrinsic[i]);
    for (std::size_t c = 0; c < order.categorical.size(); ++c)
      for (std::size_t l = 0; l < from.categorical[c].levels.size(); ++l)
        origin[old.level(k, c, l)] = next.level(k, order.categorical[c], order.levels[c][l]);
    for (std::size_t j = 0; j < order.extrinsic.size(); ++j)
      origin[old.extrinsic_power(k, j)] = next.extrinsic_power(k, order.extrinsic[j]);
    for (std::size_t g = 0; g < structure.regimes.size(); ++g)
      for (const std::size_t side : {0U, 1U})
        origin[old.regime(k, g, side)] = next.regime(k, g, side);
  }
  origin[old.intercept()] = next.intercept();
  return {std::move(form), std::move(origin)};
}

namespace {

/// What `of` gives for each constant of a term, laid out as the term is; "p" and the like take the
/// ending.
template <class Of>
void add_of_each_constant(const ModelSpec& spec, const MultiStructure& structure, std::size_t k,
                          const std::string& ending, const Of& of, Json& term) {
  const MultiLayout layout(spec, structure);
  term["a" + ending] = of(layout.coefficient(k));
  Json p = Json::object();
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    p[spec.intrinsic[i].column] = of(layout.intrinsic_power(k, i));
  term["p" + ending] = std::move(p);
  Json levels = Json::object();
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    Json& column = levels[spec.categorical[c].column];
    column = Json::object();
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
      column[spec.categorical[c].levels[l]] = of(layout.level(k, c, l));
  }
  term["levels" + ending] = std::move(levels);
  Json q = Json::object();
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    q[spec.extrinsic[j].column] = of(layout.extrinsic_power(k, j));
  term["q" + ending] = std::move(q);
}

template <class Of>
Json of_each_regime(const ModelSpec& spec, const MultiStructure& structure, std::size_t k,
                    const Of& of) {
  const MultiLayout layout(spec, structure);
  Json out = Json::array();
  for (std::size_t g = 0; g < structure.regimes.size(); ++g)
    out.push_back(Json::array({of(layout.regime(k, g, 0)), of(layout.regime(k, g, 1))}));
  return out;
}

/// Reads what add_of_each_constant() and of_each_regime() wrote, in the order of MultiLayout.
template <class Value, class Read>
void read_of_each_constant(const ModelSpec& spec, const MultiStructure& structure,
                           const JsonCursor& term, const std::string& ending, const Read& read,
                           const std::string& expected, std::vector<Value>& out) {
  out.push_back(read(term.member("a" + ending)));
  for (const NumericInput& input : spec.intrinsic)
    out.push_back(read(term.member("p" + ending).member(input.column)));
  for (const CategoricalInput& input : spec.categorical) {
    const JsonCursor levels = term.member("levels" + ending).member(input.column);
    for (const std::string& level : input.levels)
      out.push_back(read(levels.member(level)));
  }
  for (const NumericInput& input : spec.extrinsic)
    out.push_back(read(term.member("q" + ending).member(input.column)));
  const JsonCursor regimes = term.member("regime_factors" + ending);
  const std::vector<JsonCursor> pairs = regimes.items();
  if (pairs.size() != structure.regimes.size())
    regimes.fail("expected two" + expected + " for each of the regimes");
  for (const JsonCursor& pair : pairs) {
    const std::vector<JsonCursor> sides = pair.items();
    if (sides.size() != 2) {
      pair.fail("expected two" + std::string(ending.empty() ? " numbers, the" : ", of the") +
                " factors below and above");
    }
    out.push_back(read(sides[0]));
    out.push_back(read(sides[1]));
  }
}

/// Written only where the term has some.
void add_rings_and_caps(const ModelSpec& spec, const MultiStructure& structure, std::size_t k,
                        Json& term) {
  if (k < structure.rings.size() && !structure.rings[k].empty()) {
    Json rings = Json::array();
    for (const std::size_t numeric : structure.rings[k])
      rings.push_back(numeric_input(spec, numeric).column);
    term["rings"] = rings;
  }
  if (k < structure.caps.size() && !structure.caps[k].empty()) {
    Json caps = Json::object();
    for (const Cap& cap : structure.caps[k])
      caps[numeric_input(spec, cap.numeric).column] = number(cap.at);
    term["caps"] = caps;
  }
}

Json term_to_json(const FittedModel& model, const MultiStructure& structure, std::size_t k) {
  const ModelSpec& spec = model.spec;
  const auto constant = [&](std::size_t i) { return number(model.constants[index(i)]); };
  Json out = {{"formula", multi_term_text(spec, structure, model.constants, k)}};
  add_of_each_constant(spec, structure, k, "", constant, out);
  Json logs = Json::object();
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    // Of intrinsic columns only where there is one.
    if (n < spec.extrinsic.size() || structure.log_power(k, n) != 0)
      logs[numeric_input(spec, n).column] = structure.log_power(k, n);
  }
  out["log2_powers"] = std::move(logs);
  out["regime_factors"] = of_each_regime(spec, structure, k, constant);
  add_rings_and_caps(spec, structure, k, out);
  if (model.identifiability) {
    const auto identified = [&](std::size_t i) {
      return bool{model.identifiability->constants[i]};
    };
    add_of_each_constant(spec, structure, k, "_identified", identified, out);
    out["regime_factors_identified"] = of_each_regime(spec, structure, k, identified);
  }
  return out;
}

/// The numeric column that the node names.
std::size_t read_numeric(const ModelSpec& spec, const JsonCursor& node) {
  for (std::size_t n = 0; n < numeric_count(spec); ++n)
    if (numeric_input(spec, n).column == node.text())
      return n;
  node.fail("'" + node.text() + "' is no numeric column of the model");
}

std::vector<Regime> read_regimes(const ModelSpec& spec, const JsonCursor& node) {
  std::vector<Regime> out;
  for (const auto& item : node.items())
    out.push_back({read_numeric(spec, item.member("column")), item.member("above").number()});
  return out;
}

/// r of every numeric column; those that a file does not name have none.
std::vector<int> read_log_powers(const ModelSpec& spec, const JsonCursor& node) {
  std::vector<int> out;
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    const std::string& column = numeric_input(spec, n).column;
    const bool expected = n < spec.extrinsic.size();
    const auto power = expected ? std::optional(node.member(column)) : node.optional_member(column);
    if (power && power->count() > 2)
      power->fail("expected 0, 1 or 2");
    out.push_back(power ? static_cast<int>(power->count()) : 0);
  }
  const auto intrinsics = out.begin() + static_cast<std::ptrdiff_t>(spec.extrinsic.size());
  if (std::all_of(intrinsics, out.end(), [](int r) { return r == 0; }))
    out.erase(intrinsics, out.end());
  return out;
}

/// Of one term; files without them are those of terms that have none.
void read_rings_and_caps(const ModelSpec& spec, const JsonCursor& term, MultiStructure& structure) {
  const std::size_t own = structure.log_powers.size();
  if (const auto rings = term.optional_member("rings")) {
    structure.rings.resize(own);
    for (const JsonCursor& column : rings->items())
      structure.rings.back().push_back(read_numeric(spec, column));
  }
  const auto caps = term.optional_member("caps");
  for (std::size_t n = 0; caps && n < numeric_count(spec); ++n) {
    const auto at = caps->optional_member(numeric_input(spec, n).column);
    if (!at)
      continue;
    if (!(at->number() > 0))
      at->fail("expected a number > 0");
    structure.caps.resize(own);
    structure.caps.back().push_back({n, at->number()});
  }
}

void read_inputs(const JsonCursor& constants, ModelSpec& spec) {
  InputsReader inputs(spec);
  for (const JsonCursor& item : constants.member("intrinsic").items())
    spec.intrinsic.push_back(inputs.numeric_input(item));
  for (const JsonCursor& item : constants.member("categorical").items()) {
    spec.categorical.push_back(inputs.categorical_input(
        item, spec, [](const JsonCursor& level) { return level; }));
  }
  for (const JsonCursor& item : constants.member("extrinsic").items())
    spec.extrinsic.push_back(inputs.numeric_input(item));
}

/// Nothing where the constants do not say it: models of an earlier version.
std::optional<Identifiability> read_identifiability(const ModelSpec& spec,
                                                    const MultiStructure& structure,
                                                    const JsonCursor& constants) {
  const auto intercept = constants.optional_member("C_identified");
  if (!intercept)
    return std::nullopt;
  Identifiability out;
  const auto boolean = [](const JsonCursor& node) { return node.boolean(); };
  for (const JsonCursor& term : constants.member("terms").items())
    read_of_each_constant(spec, structure, term, "_identified", boolean, "", out.constants);
  out.constants.push_back(intercept->boolean());
  for (const JsonCursor& column : constants.member("extrinsic").items())
    out.scaling_powers.push_back(column.member("scaling_power_identified").boolean());
  return out;
}

}  // namespace

Json SumForm::constants_to_json(const FittedModel& model) const {
  const ModelSpec& spec = model.spec;
  const auto inputs = [](const std::vector<NumericInput>& from) {
    Json out = Json::array();
    for (const NumericInput& input : from) {
      Json item = {{"column", input.column}, {"range", range_to_json(input)}};
      add_zero_to_json(input, true, item);
      out.push_back(std::move(item));
    }
    return out;
  };
  Json extrinsic = inputs(spec.extrinsic);
  Json categorical = Json::array();
  for (const CategoricalInput& input : spec.categorical)
    categorical.push_back({{"column", input.column}, {"levels", input.levels}});
  Json regimes = Json::array();
  for (const Regime& regime : structure.regimes) {
    regimes.push_back(
        {{"column", numeric_input(spec, regime.numeric).column}, {"above", number(regime.above)}});
  }
  Json terms = Json::array();
  for (std::size_t k = 0; k < structure.terms; ++k)
    terms.push_back(term_to_json(model, structure, k));
  if (model.identifiability)
    for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
      extrinsic[j]["scaling_power_identified"] = bool{model.identifiability->scaling_powers[j]};
  Json out = {{"intrinsic", inputs(spec.intrinsic)},
              {"categorical", std::move(categorical)},
              {"extrinsic", std::move(extrinsic)},
              {"regimes", std::move(regimes)},
              {"terms", std::move(terms)},
              {"C", number(model.constants[model.constants.size() - 1])}};
  if (model.identifiability)
    out["C_identified"] = bool{model.identifiability->constants.back()};
  return out;
}

void SumForm::check_constants(const FittedModel& model, const JsonCursor& constants) const {
  const std::vector<JsonCursor> terms = constants.member("terms").items();
  for (std::size_t k = 0; k < terms.size(); ++k)
    check_formula(terms[k], multi_term_text(model.spec, structure, model.constants, k));
}

void SumForm::read(const JsonCursor& constants, FittedModel& model) {
  const ModelSpec& spec = model.spec;
  read_inputs(constants, model.spec);
  MultiStructure structure;
  structure.regimes = read_regimes(spec, constants.member("regimes"));
  std::vector<double> values;
  const std::vector<JsonCursor> terms = constants.member("terms").items();
  structure.terms = terms.size();
  const auto number_of = [](const JsonCursor& node) { return node.number(); };
  for (const JsonCursor& term : terms) {
    read_of_each_constant(spec, structure, term, "", number_of, " factors", values);
    structure.log_powers.push_back(read_log_powers(spec, term.member("log2_powers")));
    read_rings_and_caps(spec, term, structure);
  }
  values.push_back(constants.member("C").number());
  model.constants = Eigen::Map<Eigen::VectorXd>(values.data(), index(values.size()));
  model.identifiability = read_identifiability(spec, structure, constants);
  model.form = std::make_shared<SumForm>(std::move(structure));
}

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd SumForm::log_slopes(const ModelSpec& spec, const VectorXd& constants,
                             const Design& design) const {
  const MultiLayout layout(spec, structure);
  const MatrixXd parts = multi_parts(spec, structure, constants, design);
  const MatrixXd shares = parts.array().colwise() / parts.rowwise().sum().array();
  MatrixXd out = MatrixXd::Zero(index(design.rows), index(layout.size()));
  for (std::size_t row = 0; row < design.rows; ++row) {
    auto slopes = out.row(index(row));
    for (std::size_t k = 0; k < structure.terms; ++k) {
      const double share = shares(index(row), index(k));
      slopes[index(layout.coefficient(k))] = share;
      for (std::size_t n = 0; n < numeric_count(spec); ++n) {
        const double value = numeric_input(spec, n).counted(
            structure.capped(k, n, numeric_factor(design, n).value(row)));
        slopes[index(layout.numeric_power(k, n))] =
            share * (structure.has_ring(k, n) ? 1 - 1 / value : std::log(value));
      }
      for (std::size_t c = 0; c < spec.categorical.size(); ++c)
        slopes[index(layout.level(k, c, design.categorical[c].codes[row]))] = share;
      for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
        const Regime& regime = structure.regimes[g];
        const double value =
            structure.capped(k, regime.numeric, numeric_factor(design, regime.numeric).value(row));
        const bool above = value > regime.above;
        slopes[index(layout.regime(k, g, above ? 1 : 0))] = share;
      }
    }
    slopes[index(layout.intercept())] = shares(index(row), index(structure.terms));
  }
  return out;
}

}  // namespace perfmodel
