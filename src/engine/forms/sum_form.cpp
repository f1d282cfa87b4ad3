#include "forms/sum_form.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "forms/form.hpp"
#include "perfmodel/model.hpp"
#include "table/formula_text.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostLevelsShown = 12;  // in a printed term; model.json has all

/// Per numeric column its index among the given ones; scales come first.
std::vector<std::size_t> numeric_order(const ColumnOrder& order) {
  std::vector<std::size_t> out = order.extrinsic;
  for (const std::size_t intrinsic : order.intrinsic)
    out.push_back(order.extrinsic.size() + intrinsic);
  return out;
}

SumStructure reordered_structure(const SumStructure& structure, const ColumnOrder& order) {
  SumStructure out = structure;
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

template <class Input>
std::vector<std::string> names_of(const std::vector<Input>& inputs) {
  return mapped(inputs, &Input::column);
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
/// order of SumLayout. `ending` is appended to the names of the fields.
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

void describe_regimes(Fields& f, const ModelSpec& spec, SumStructure& structure) {
  f.list(
      "regimes", structure.step_factors, "steps of numeric inputs",
      [&](Fields& item, StepFactor& step_factor, std::size_t) {
        item("column", NumericColumn{spec, step_factor.numeric}, "a numeric input");
        item("above", step_factor.above, "the regime begins above this value");
      });
}

}  // namespace

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
  return to_text(Expression::sum);
}

FormWords SumForm::words() const {
  return {.noun = "sum of product terms",
          .title = "A sum of product terms",
          .share_caption = "The terms are listed below.",
          .scaled_part = "the prediction",
          .level_letter = 'g',
          .lists_terms = true};
}

std::vector<std::string> SumForm::groups(const ModelSpec&) const {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < structure.terms; ++k)
    out.push_back(term_name(k));
  out.emplace_back("C");
  return out;
}

std::vector<TimePart> SumForm::parts(const ModelSpec& spec, const VectorXd& constants,
                                     const std::function<std::string(std::size_t)>& mark) const {
  const TermSum sum = terms(spec);
  std::vector<TimePart> out;
  for (std::size_t k = 0; k < structure.terms; ++k)
    out.push_back({term_name(k), term_text(sum, constants, k, mark, kMostLevelsShown), true,
                   term_title(sum, constants, k)});
  const double intercept = constants[constants.size() - 1];
  out.push_back({"C", rounded(intercept), intercept != 0});
  return out;
}

std::vector<double> SumForm::scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                            const Configuration* at) const {
  const MatrixXd local = local_powers(terms(spec), constants, design_of(*at, spec));
  return {local.row(0).begin(), local.row(0).end()};
}

std::vector<double> SumForm::steps(const ModelSpec&, std::size_t extrinsic) const {
  std::vector<double> out;
  for (const StepFactor& step_factor : structure.step_factors)
    if (step_factor.numeric == extrinsic)  // numeric columns begin with the scales
      out.push_back(step_factor.above);
  return out;
}

std::string SumForm::formula(const ModelSpec& spec, const VectorXd& constants) const {
  return sum_text(terms(spec), constants);
}

std::shared_ptr<const Form> SumForm::reordered(const ColumnOrder& order) const {
  auto form = std::make_shared<SumForm>(reordered_structure(structure, order), estimate);
  if (form->estimate)
    for (std::size_t& numeric : form->estimate->shared)
      numeric = numeric_order(order)[numeric];
  return form;
}

void SumForm::describe_constants(Fields& f, FittedModel& model) const {
  SumStructure own = structure;
  auto& known = model.known.identifiability;
  if (f.reads() && f.has("C_identified"))
    known.emplace();
  describe_inputs(f, model, true);
  const ModelSpec& spec = model.spec;
  describe_regimes(f, spec, own);
  own.terms = f.reads() ? f.node().member("terms").items().size() : own.terms;
  own.features.resize(own.terms);
  for (std::vector<Feature>& features : own.features)
    features.resize(numeric_count(spec));
  const SumLayout layout(spec, own);
  std::vector<double> constants(model.constants.begin(), model.constants.end());
  constants.resize(layout.size());
  const auto identified = std::make_unique<bool[]>(layout.size());
  if (f.writes() && known)
    std::copy(known->constants.begin(), known->constants.end(), identified.get());
  std::vector<std::string> formulas(f.writes() ? own.terms : 0);
  f.list("terms", formulas, "the largest share of the time first",
         [&](Fields& term, std::string& formula, std::size_t k) {
           if (f.writes())
             formula = term_text({spec, own}, model.constants, k);
           const std::size_t first = layout.coefficient(k);
           const std::size_t step_factors =
               own.step_factors.empty() ? first : layout.step_factor(k, 0, 0);
           term("formula", formula, "for people", kNewer);
           describe_of_each(term, spec, &constants[first], "", {});
           describe_logarithms(term, spec, own.features[k]);
           describe_step_factors(term, own.step_factors.size(), &constants[step_factors],
                                 "regime_factors", {});
           describe_saturation_and_clamps(term, spec, own.features[k]);
           describe_of_each(term, spec, &identified[first], "_identified", if_identified(f));
           describe_step_factors(term, own.step_factors.size(), &identified[step_factors],
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
    check_formula(terms[k], term_text({spec, own}, model.constants, k));
  model.form = std::make_shared<SumForm>(std::move(own));
}

}  // namespace perfmodel
