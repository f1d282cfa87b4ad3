#include "forms/generic_form.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
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
#include "table/expressions.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

constexpr FormWords kGenericWords{
    .noun = "Eq. (4)",
    .title = "The generic performance model, Eq. (4) of Kavarakuntla et al. 2024",
    .share_caption =
        "What multiplies the sum, the scales, is in the part on scaling; C does not scale.",
    .scaled_part = "the part of the time that scales, all but C,",
    .level_letter = 'a',
    .lists_terms = false};

}  // namespace

std::shared_ptr<const Form> generic_form() {
  static const auto form = std::make_shared<const GenericForm>();
  return form;
}

std::string_view GenericForm::name() const {
  return to_text(Expression::generic);
}

const FormWords& GenericForm::words() const {
  return kGenericWords;
}

std::vector<ConstantInfo> GenericForm::constants(const ModelSpec& spec) const {
  using enum ConstantRole;
  const GenericLayout layout(spec);
  std::vector<ConstantInfo> out(layout.size());
  std::size_t group = 0;
  const auto put = [&](std::size_t k, ConstantRole role, const std::string& level = {},
                       const std::string& column = {}) {
    const bool is_power = role == intrinsic_power || role == scaling_power;
    out[k] = {layout.name(k), role,  is_power ? ConstantRange::any : ConstantRange::not_negative,
              group,          level, column};
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i, ++group) {
    put(layout.coefficient(i), coefficient);
    put(layout.intrinsic_power(i), intrinsic_power, {}, spec.intrinsic[i].column);
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c, ++group) {
    const std::vector<std::string>& levels = spec.categorical[c].levels;
    for (std::size_t l = 0; l < levels.size(); ++l)
      put(layout.level(c, l), level, levels[l]);
  }
  if (const auto lone = layout.lone_coefficient()) {
    put(*lone, coefficient);
    ++group;
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j, ++group)
    put(layout.extrinsic_power(j), scaling_power, {}, spec.extrinsic[j].column);
  put(layout.intercept(), intercept);
  return out;
}

std::vector<std::string> GenericForm::groups(const ModelSpec& spec) const {
  std::vector<std::string> out;
  for (const NumericInput& input : spec.intrinsic)
    out.push_back(input.column);
  for (const CategoricalInput& input : spec.categorical)
    out.push_back(input.column);
  if (spec.has_scales_only())
    out.emplace_back("a");
  for (const NumericInput& input : spec.extrinsic)
    out.push_back(input.column);
  out.emplace_back("C");
  return out;
}

std::vector<ConstantDifference> GenericForm::differences(const ModelSpec& spec) const {
  const GenericLayout layout(spec);
  std::vector<ConstantDifference> out;
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    const std::size_t first = input.shown_level(0);
    for (std::size_t l = 0; l < input.levels.size(); ++l) {
      out.push_back({input.column, input.levels[l], input.levels[first], layout.level(c, l),
                     layout.level(c, first)});
    }
  }
  return out;
}

VectorXd GenericForm::predict(const ModelSpec& spec, const VectorXd& constants,
                              const Design& design) const {
  return predict_generic(spec, constants, design);
}

std::vector<TimePart> GenericForm::parts(const ModelSpec& spec, const VectorXd&,
                                         const std::function<std::string(std::size_t)>&) const {
  std::vector<TimePart> out;
  for (const NumericInput& input : spec.intrinsic)
    out.push_back({input.column, ""});
  for (const CategoricalInput& input : spec.categorical)
    out.push_back({input.column, ""});
  if (spec.has_scales_only())
    out.push_back({"a", ""});
  out.push_back({"C", ""});
  return out;
}

std::vector<double> GenericForm::shares(const ModelSpec& spec, const VectorXd& constants,
                                        const Design& design) const {
  const GenericLayout layout(spec);
  const double total = predict(spec, constants, design).sum();
  if (total == 0)  // a penalty can reduce all to 0
    return std::vector<double>(parts(spec, constants, nullptr).size(), 0);
  const double intercept = constants[index(layout.intercept())];
  const auto share_of = [&](std::size_t first, std::size_t count) {
    VectorXd alone = constants;
    alone.head(index(layout.intrinsic_power(0))).setZero();
    alone[index(layout.intercept())] = 0;
    for (std::size_t k = first; k < first + count; ++k)
      alone[index(k)] = constants[index(k)];
    return 100 * predict(spec, alone, design).sum() / total;
  };
  std::vector<double> out;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    out.push_back(share_of(layout.coefficient(i), 1));
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    out.push_back(share_of(layout.level(c, 0), spec.categorical[c].levels.size()));
  if (const auto lone = layout.lone_coefficient())
    out.push_back(share_of(*lone, 1));
  out.push_back(100 * intercept * static_cast<double>(design.rows) / total);
  return out;
}

bool GenericForm::has_local_powers() const {
  return false;
}

std::optional<std::size_t> GenericForm::scaling_constant(const ModelSpec& spec,
                                                         std::size_t extrinsic) const {
  return GenericLayout(spec).extrinsic_power(extrinsic);
}

std::vector<double> GenericForm::scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                                const Configuration*) const {
  const GenericLayout layout(spec);
  std::vector<double> out;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out.push_back(constants[index(layout.extrinsic_power(j))]);
  return out;
}

double GenericForm::unscaled_time(const VectorXd& constants) const {
  return constants[constants.size() - 1];
}

std::string GenericForm::formula(const ModelSpec& spec, const VectorXd&) const {
  return generic_formula(spec);
}

std::string GenericForm::code(const ModelSpec& spec, const VectorXd& constants,
                              FormulaLanguage language) const {
  return generic_code(spec, constants, language);
}

Form::Reordered GenericForm::reordered(const ModelSpec& from, const ModelSpec& to,
                                       const ColumnOrder& order) const {
  const GenericLayout old(from);
  const GenericLayout next(to);
  std::vector<std::size_t> origin(old.size());
  for (std::size_t i = 0; i < order.intrinsic.size(); ++i) {
    origin[old.coefficient(i)] = next.coefficient(order.intrinsic[i]);
    origin[old.intrinsic_power(i)] = next.intrinsic_power(order.intrinsic[i]);
  }
  for (std::size_t c = 0; c < order.categorical.size(); ++c)
    for (std::size_t l = 0; l < from.categorical[c].levels.size(); ++l)
      origin[old.level(c, l)] = next.level(order.categorical[c], order.levels[c][l]);
  for (std::size_t j = 0; j < order.extrinsic.size(); ++j)
    origin[old.extrinsic_power(j)] = next.extrinsic_power(order.extrinsic[j]);
  if (const auto lone = old.lone_coefficient())
    origin[*lone] = *next.lone_coefficient();
  origin[old.intercept()] = next.intercept();
  return {generic_form(), origin};
}

std::size_t GenericForm::constants_in_use(const FittedModel& model) const {
  return static_cast<std::size_t>((model.constants.array() != 0).count());
}

void GenericForm::settle_unseen_levels(const Design& training, FittedModel& model) const {
  const GenericLayout layout(model.spec);
  for (std::size_t c = 0; c < training.categorical.size(); ++c) {
    std::vector<bool> seen(training.categorical[c].levels, false);
    for (const std::uint32_t code : training.categorical[c].codes)
      seen[code] = true;
    const auto constant = [&](std::size_t level) -> double& {
      return model.constants[index(layout.level(c, level))];
    };
    double sum = 0;
    for (std::size_t level = 0; level < seen.size(); ++level)
      sum += seen[level] ? constant(level) : 0;
    for (std::size_t level = 0; level < seen.size(); ++level)
      if (!seen[level])
        constant(level) = sum / static_cast<double>(std::count(seen.begin(), seen.end(), true));
  }
}

namespace {

struct GenericConstant {
  double value = 0;
  bool identified = false;
};

/// The constants in the order of GenericLayout: a of columns and of levels, p, q, C.
struct GenericParts {
  std::vector<GenericConstant> a;
  std::vector<GenericConstant> p;
  std::vector<GenericConstant> q;
  GenericConstant intercept;
};

GenericParts parts_of(const FittedModel& model) {
  const GenericLayout layout(model.spec);
  const auto& known = model.identifiability;
  const auto from = [&](std::size_t begin, std::size_t end) {
    std::vector<GenericConstant> out;
    for (std::size_t k = begin; k < end; ++k)
      out.push_back({model.constants[index(k)], known && known->constants[k]});
    return out;
  };
  return {from(0, layout.intrinsic_power(0)),
          from(layout.intrinsic_power(0), layout.extrinsic_power(0)),
          from(layout.extrinsic_power(0), layout.intercept()),
          from(layout.intercept(), layout.size()).front()};
}

void put_parts(const GenericParts& parts, FittedModel& model) {
  std::vector<GenericConstant> all = parts.a;
  all.insert(all.end(), parts.p.begin(), parts.p.end());
  all.insert(all.end(), parts.q.begin(), parts.q.end());
  all.push_back(parts.intercept);
  model.form = generic_form();
  model.constants.resize(index(all.size()));
  for (std::size_t k = 0; k < all.size(); ++k) {
    model.constants[index(k)] = all[k].value;
    if (model.identifiability)
      model.identifiability->constants.push_back(all[k].identified);
  }
}

struct GenericLevel {
  std::string level;
  GenericConstant a;
  bool difference_identified = false;
};

/// `reference`: a of the first level of the column.
void describe_level(Fields& f, GenericLevel& x, double reference) {
  f("level", x.level, "its text");
  f("a", x.a.value, "what it adds");
  f("identified", x.a.identified, "whether the runs determine `a`", if_identified(f));
  f("difference", x.a.value - reference, "`a` less that of the reference", if_identified(f));
  f("difference_identified", x.difference_identified, "whether the runs determine the difference",
    if_identified(f));
}

void check_differences(const JsonCursor& column, const GenericLevel& first) {
  if (const auto node = column.optional_member("reference")) {
    if (node->text() != first.level)
      fail_contradiction(
          *node, fmt::format("'{}' is not the first level, '{}'", node->text(), first.level));
  }
  for (const JsonCursor& level : column.member("levels").items()) {
    if (const auto node = level.optional_member("difference")) {
      const double coefficient = level.member("a").number();
      check_number(*node, coefficient - first.a.value,
                   std::max(std::abs(coefficient), std::abs(first.a.value)));
    }
  }
}

/// Reads or writes a column with its levels. Their constants begin at constants[first], their
/// differences at index `first_difference` of those of the model.
void describe_column(Fields& f, CategoricalInput& input, FittedModel& model,
                     std::vector<GenericConstant>& constants, std::size_t first,
                     std::size_t first_difference) {
  std::vector<GenericLevel> levels;
  for (std::size_t l = 0; f.writes() && l < input.levels.size(); ++l) {
    const auto& known = model.identifiability;
    levels.push_back(
        {input.levels[l], constants[first + l], known && known->differences[first_difference + l]});
  }
  f("column", input.column, "its name", kName);
  f.list("levels", levels, "its levels", [&](Fields& item, GenericLevel& level, std::size_t) {
    describe_level(item, level, levels.front().a.value);
  });
  f("reference", levels.empty() ? std::string() : levels.front().level, "its first level",
    if_identified(f));
  if (!f.reads())
    return;
  for (const GenericLevel& level : levels)
    input.levels.push_back(level.level);
  settle_levels(f, model.spec, input);
  for (const std::string& name : input.levels) {
    const auto level = std::find_if(levels.begin(), levels.end(),
                                    [&](const GenericLevel& l) { return l.level == name; });
    if (name == input.levels.front())
      check_differences(f.node(), *level);
    constants.push_back(level->a);
    if (model.identifiability)
      model.identifiability->differences.push_back(level->difference_identified);
  }
}

void describe_generic(Fields& f, FittedModel& model) {
  ModelSpec& spec = model.spec;
  GenericParts parts = f.writes() ? parts_of(model) : GenericParts{};
  if (f.reads() && f.has("C_identified"))
    model.identifiability.emplace();
  f.list("intrinsic", spec.intrinsic, "numeric inputs",
         [&](Fields& item, NumericInput& input, std::size_t i) {
           if (!f.writes()) {
             parts.a.emplace_back();
             parts.p.emplace_back();
           }
           item("column", input.column, "its name", kName);
           item("a", parts.a[i].value, "its coefficient");
           item("p", parts.p[i].value, "its power");
           describe_range(item, input, false);
           item("a_identified", parts.a[i].identified, "whether the runs determine `a`",
                if_identified(f));
           item("p_identified", parts.p[i].identified, "whether the runs determine `p`",
                if_identified(f));
           if (f.reads() && input.zero && !(parts.p[i].value > 0))
             item.node().member("p").fail("expected a number > 0, since the column may be 0");
         });
  std::size_t next = spec.intrinsic.size();
  f.list("categorical", spec.categorical, "inputs with levels",
         [&](Fields& item, CategoricalInput& input, std::size_t) {
           describe_column(item, input, model, parts.a, next, next - spec.intrinsic.size());
           next += input.levels.size();
         });
  f.list("extrinsic", spec.extrinsic, "scales",
         [&](Fields& item, NumericInput& input, std::size_t j) {
           if (!f.writes())
             parts.q.emplace_back();
           item("column", input.column, "its name", kName);
           item("q", parts.q[j].value, "its scaling power");
           describe_range(item, input, false);
           item("q_identified", parts.q[j].identified, "whether the runs determine `q`",
                if_identified(f));
         });
  const FieldRule if_lone = only_if(spec.has_scales_only());
  GenericConstant lone = if_lone.stands && f.writes() ? parts.a.front() : GenericConstant{};
  f("a", lone.value, "where scales are the only inputs: t = a * prod_j E_j^q_j + C", if_lone);
  f("C", parts.intercept.value, "the part that does not scale");
  f("a_identified", lone.identified, "whether the runs determine `a`", if_lone | if_identified(f));
  f("C_identified", parts.intercept.identified, "whether the runs determine `C`", if_identified(f));
  if (!f.reads())
    return;
  refuse_repeated_columns(f, spec);
  if (if_lone.stands)
    parts.a.push_back(lone);
  put_parts(parts, model);
}

}  // namespace

void GenericForm::describe_constants(Fields& f, FittedModel& model) const {
  describe_generic(f, model);
}

void GenericForm::read(Fields& f, FittedModel& model) {
  describe_generic(f, model);
}

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd GenericForm::log_slopes(const ModelSpec& spec, const VectorXd& constants,
                                 const Design& design) const {
  const GenericLayout layout(spec);
  const VectorXd time = predict(spec, constants, design);
  const double rest = constants[index(layout.intercept())];
  MatrixXd out = MatrixXd::Zero(index(design.rows), index(layout.size()));
  for (std::size_t row = 0; row < design.rows; ++row) {
    auto slopes = out.row(index(row));
    const double share_of_rest = rest / time[index(row)];
    double scale = 1 / time[index(row)];
    for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
      const double value = design.extrinsic[j].value(row);
      const auto power = index(layout.extrinsic_power(j));
      scale *= std::pow(value, constants[power]);
      slopes[power] = (1 - share_of_rest) * std::log(value);
    }
    for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
      const double value = design.intrinsic[i].value(row);
      const auto coefficient = index(layout.coefficient(i));
      const auto power = index(layout.intrinsic_power(i));
      slopes[coefficient] = constants[coefficient] * std::pow(value, constants[power]) * scale;
      slopes[power] = slopes[coefficient] * log_of_value(value);
    }
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      const auto level = index(layout.level(c, design.categorical[c].codes[row]));
      slopes[level] = constants[level] * scale;
    }
    if (const auto lone = layout.lone_coefficient())
      slopes[index(*lone)] = constants[index(*lone)] * scale;
    slopes[index(layout.intercept())] = share_of_rest;
  }
  return out;
}

}  // namespace perfmodel
