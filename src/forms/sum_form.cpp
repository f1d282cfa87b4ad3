#include "forms/sum_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "codegen/formula_code.hpp"
#include "forms/form.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kMostLevelsShown = 12;  // in a printed term; model.json has all

constexpr FormWords kSumWords{.noun = "sum of product terms",
                              .title = "A sum of product terms",
                              .share_caption = "The terms are listed below.",
                              .scaled_part = "the time",
                              .level_letter = 'g',
                              .lists_terms = true};

/// Per numeric column its index among the given ones; scales come first.
std::vector<std::size_t> numeric_order(const ColumnOrder& order) {
  std::vector<std::size_t> out = order.extrinsic;
  for (const std::size_t intrinsic : order.intrinsic)
    out.push_back(order.extrinsic.size() + intrinsic);
  return out;
}

MultiStructure reordered_structure(const MultiStructure& structure, const ColumnOrder& order) {
  MultiStructure out = structure;
  const std::vector<std::size_t> numeric = numeric_order(order);
  for (StepFactor& step_factor : out.step_factors)
    step_factor.numeric = numeric[step_factor.numeric];
  for (std::size_t k = 0; k < structure.terms; ++k)
    for (std::size_t n = 0; n < numeric.size(); ++n)
      out.own_feature(k, numeric[n]) = structure.feature(k, n);
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
    for (std::size_t g = 0; g < structure.step_factors.size(); ++g)
      for (const std::size_t side : {0U, 1U})
        put(layout.step_factor(group, g, side), step, ConstantRange::factor);
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
  for (const StepFactor& step_factor : structure.step_factors)
    if (step_factor.numeric == extrinsic)  // numeric columns begin with the scales
      out.push_back(step_factor.above);
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
    for (std::size_t g = 0; g < structure.step_factors.size(); ++g)
      for (const std::size_t side : {0U, 1U})
        origin[old.step_factor(k, g, side)] = next.step_factor(k, g, side);
  }
  origin[old.intercept()] = next.intercept();
  return {std::move(form), std::move(origin)};
}

namespace {

template <class Input>
std::vector<std::string> names_of(const std::vector<Input>& inputs) {
  std::vector<std::string> out;
  for (const Input& input : inputs)
    out.push_back(input.column);
  return out;
}

/// A numeric column by its name.
struct NumericColumn {
  const ModelSpec& spec;
  std::size_t& numeric;

  Json json() const { return numeric_input(spec, numeric).column; }
  void read(const JsonCursor& node) const {
    for (numeric = 0; numeric < numeric_count(spec); ++numeric)
      if (numeric_input(spec, numeric).column == node.text())
        return;
    node.fail("'" + node.text() + "' is no numeric column of the model");
  }
  static Json schema() { return fields::schema_of_type("string"); }
};

/// Reads or writes a value per constant of a term, except those of its steps; `values`: in the
/// order of MultiLayout. `ending` is appended to the names of the fields.
template <class T>
void describe_of_each(Fields& f, const ModelSpec& spec, T* values, const std::string& ending,
                      const FieldRule& rule) {
  const auto next = [&](std::size_t count) { return std::exchange(values, values + count); };
  const std::string what = ending.empty() ? "" : "whether the runs determine ";
  f("a" + ending, *next(1), what + "the coefficient", rule);
  f("p" + ending, Named<T>{names_of(spec.intrinsic), next(spec.intrinsic.size())},
    what + "the powers, by intrinsic column", rule);
  std::vector<Named<T>> columns;
  for (const CategoricalInput& input : spec.categorical)
    columns.push_back({input.levels, next(input.levels.size())});
  f("levels" + ending, Named<Named<T>>{names_of(spec.categorical), columns.data()},
    what + "the factor of each level, by column; 0 where the term does not exist", rule);
  f("q" + ending, Named<T>{names_of(spec.extrinsic), next(spec.extrinsic.size())},
    what + "the powers, by extrinsic column", rule);
}

template <class T>
void describe_step_factors(Fields& f, std::size_t step_factors, T* values, const std::string& name,
                           const FieldRule& rule) {
  std::vector<std::array<T, 2>> factors;
  for (std::size_t g = 0; f.writes() && g < step_factors; ++g)
    factors.push_back({values[2 * g], values[2 * g + 1]});
  f(name, factors, "by regime two: up to the value, and above it", rule);
  if (!f.reads() || !rule.stands)
    return;
  if (factors.size() != step_factors)
    f.node().member(name).fail("expected two factors for each of the regimes");
  for (const std::array<T, 2>& sides : factors)
    values = std::copy(sides.begin(), sides.end(), values);
}

/// The exponents r of the numeric columns.
void describe_logarithms(Fields& f, const ModelSpec& spec, std::vector<Feature>& features) {
  const std::size_t scales = spec.extrinsic.size();
  ByName<int> by_name;
  for (std::size_t n = 0; f.writes() && n < numeric_count(spec); ++n) {
    const int power = features[n].log_power;
    if (n < scales || power != 0)  // intrinsic columns only if not 0
      by_name.emplace_back(numeric_input(spec, n).column, power);
  }
  f("log2_powers", by_name,
    "r by extrinsic column, and by those intrinsic ones that have one: 0, 1 or 2; the factor "
    "log2(n)^r counts as 0 where n <= 1");
  if (!f.reads())
    return;
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    const JsonCursor node = f.node().member("log2_powers");
    const std::string& column = numeric_input(spec, n).column;
    const auto power =
        n < scales ? std::optional(node.member(column)) : node.optional_member(column);
    if (power && power->count() > 2)
      power->fail("expected 0, 1 or 2");
    features[n].log_power = power ? static_cast<int>(power->count()) : 0;
  }
}

void describe_saturation_and_clamps(Fields& f, const ModelSpec& spec,
                                    std::vector<Feature>& features) {
  std::vector<std::string> columns;
  ByName<double> ends;
  for (std::size_t n = 0; f.writes() && n < features.size(); ++n) {
    if (features[n].saturates)
      columns.push_back(numeric_input(spec, n).column);
    if (std::isfinite(features[n].clamp))
      ends.emplace_back(numeric_input(spec, n).column, features[n].clamp);
  }
  f("rings", columns, "numeric columns n for which exp(p (1 - 1/n)) stands in place of n^p",
    kSparse);
  f("caps", ends, "by numeric column n the number N; min(n, N) stands in place of n everywhere",
    kSparse | kPositive);
  for (std::size_t i = 0; f.reads() && i < columns.size(); ++i) {
    std::size_t numeric = 0;
    NumericColumn{spec, numeric}.read(f.node().member("rings").items()[i]);
    features[numeric].saturates = true;
  }
  for (std::size_t n = 0; f.reads() && n < numeric_count(spec); ++n)
    for (const auto& [column, end] : ends)
      if (column == numeric_input(spec, n).column)
        features[n].clamp = end;
}

void describe_regimes(Fields& f, const ModelSpec& spec, MultiStructure& structure) {
  f.list(
      "regimes", structure.step_factors, "steps of numeric inputs",
      [&](Fields& item, StepFactor& step_factor, std::size_t) {
        item("column", NumericColumn{spec, step_factor.numeric}, "a numeric input");
        item("above", step_factor.above, "the regime begins above this value");
      });
}

void describe_sum(Fields& f, FittedModel& model, MultiStructure& structure) {
  auto& known = model.identifiability;
  if (f.reads() && f.has("C_identified"))
    known.emplace();
  describe_inputs(f, model, true);
  const ModelSpec& spec = model.spec;
  describe_regimes(f, spec, structure);
  structure.terms = f.reads() ? f.node().member("terms").items().size() : structure.terms;
  structure.features.resize(structure.terms);
  for (std::vector<Feature>& features : structure.features)
    features.resize(numeric_count(spec));
  const MultiLayout layout(spec, structure);
  std::vector<double> constants(model.constants.begin(), model.constants.end());
  constants.resize(layout.size());
  const auto identified = std::make_unique<bool[]>(layout.size());
  if (f.writes() && known)
    std::copy(known->constants.begin(), known->constants.end(), identified.get());
  std::vector<std::string> formulas(f.writes() ? structure.terms : 0);
  f.list("terms", formulas, "the largest share of the time first",
         [&](Fields& term, std::string& formula, std::size_t k) {
           if (f.writes())
             formula = multi_term_text(spec, structure, model.constants, k);
           const std::size_t first = layout.coefficient(k);
           const std::size_t step_factors =
               structure.step_factors.empty() ? first : layout.step_factor(k, 0, 0);
           term("formula", formula, "for people", kNewer);
           describe_of_each(term, spec, &constants[first], "", {});
           describe_logarithms(term, spec, structure.features[k]);
           describe_step_factors(term, structure.step_factors.size(), &constants[step_factors],
                                 "regime_factors", {});
           describe_saturation_and_clamps(term, spec, structure.features[k]);
           describe_of_each(term, spec, &identified[first], "_identified", if_identified(f));
           describe_step_factors(term, structure.step_factors.size(), &identified[step_factors],
                                 "regime_factors_identified", if_identified(f));
         });
  f("C", constants[layout.intercept()], "the part of the time that depends on nothing");
  f("C_identified", identified[layout.intercept()], "whether the runs determine `C`",
    if_identified(f));
  if (!f.reads())
    return;
  refuse_repeated_columns(f, spec);
  model.constants = Eigen::Map<VectorXd>(constants.data(), index(constants.size()));
  if (known)
    known->constants.assign(identified.get(), identified.get() + layout.size());
  const std::vector<JsonCursor> terms = f.node().member("terms").items();
  for (std::size_t k = 0; k < terms.size(); ++k)
    check_formula(terms[k], multi_term_text(spec, structure, model.constants, k));
}

}  // namespace

void SumForm::describe_constants(Fields& f, FittedModel& model) const {
  MultiStructure own = structure;
  describe_sum(f, model, own);
}

void SumForm::read(Fields& f, FittedModel& model) {
  MultiStructure own;
  describe_sum(f, model, own);
  model.form = std::make_shared<SumForm>(std::move(own));
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
        const Feature& feature = structure.feature(k, n);
        const double value = feature.clamped(numeric_factor(design, n).value(row));
        slopes[index(layout.numeric_power(k, n))] =
            share * feature.coordinate(numeric_input(spec, n).counted(value));
      }
      for (std::size_t c = 0; c < spec.categorical.size(); ++c)
        slopes[index(layout.level(k, c, design.categorical[c].codes[row]))] = share;
      for (std::size_t g = 0; g < structure.step_factors.size(); ++g) {
        const StepFactor& step_factor = structure.step_factors[g];
        const double value = structure.feature(k, step_factor.numeric)
                                 .clamped(numeric_factor(design, step_factor.numeric).value(row));
        const bool above = value > step_factor.above;
        slopes[index(layout.step_factor(k, g, above ? 1 : 0))] = share;
      }
    }
    slopes[index(layout.intercept())] = shares(index(row), index(structure.terms));
  }
  return out;
}

}  // namespace perfmodel
