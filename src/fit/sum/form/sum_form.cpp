#include "fit/sum/form/sum_form.hpp"

#include "base/index.hpp"
#include "base/text.hpp"
#include "export/formula_code.hpp"
#include "export/multi_formula.hpp"
#include "export/term_title.hpp"
#include "fit/result/column_order.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

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
  auto form = std::make_shared<SumForm>(reordered_structure(structure, order), estimates);
  for (SumEstimate& estimate : form->estimates.sums)
    for (std::size_t& numeric : estimate.shared)
      numeric = numeric_order(order)[numeric];
  if (std::optional<std::size_t>& parted = form->estimates.parted) {
    form->estimates.sums = put_back(form->estimates.sums, order.levels[*parted]);
    parted = order.categorical[*parted];
  }

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

}  // namespace perfmodel
