#include "forms/eq4_form.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "forms/form.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

std::shared_ptr<const Form> eq4_form() {
  static const auto form = std::make_shared<const Eq4Form>();
  return form;
}

std::string_view Eq4Form::name() const {
  return to_text(Expression::eq4);
}

FormWords Eq4Form::words() const {
  return {.noun = "Eq. (4)",
          .title = "The generic performance model, Eq. (4) of Kavarakuntla et al. 2024",
          .share_caption =
              "What multiplies the sum, the scales, is in the part on scaling; C does not scale.",
          .scaled_part = "the part of the prediction that scales, all but C,",
          .level_letter = 'a',
          .lists_terms = false};
}

std::vector<std::string> Eq4Form::groups(const ModelSpec& spec) const {
  std::vector<std::string> out = mapped(spec.intrinsic, &NumericInput::column);
  for (const CategoricalInput& input : spec.categorical)
    out.push_back(input.column);
  if (spec.has_scales_only())
    out.emplace_back("a");
  for (const NumericInput& input : spec.extrinsic)
    out.push_back(input.column);
  out.emplace_back("C");
  return out;
}

std::vector<ConstantDifference> Eq4Form::differences(const ModelSpec& spec) const {
  const Eq4Layout layout(spec);
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

std::vector<TimePart> Eq4Form::parts(const ModelSpec& spec, const VectorXd&,
                                     const std::function<std::string(std::size_t)>&) const {
  std::vector<std::string> names = groups(spec);
  names.erase(names.end() - 1 - index(spec.extrinsic.size()), names.end() - 1);  // no scales
  std::vector<TimePart> out;
  for (const std::string& name : names)
    out.push_back({name, ""});
  return out;
}

std::optional<std::size_t> Eq4Form::scaling_constant(const ModelSpec& spec,
                                                     std::size_t extrinsic) const {
  return Eq4Layout(spec).extrinsic_power(extrinsic);
}

std::vector<double> Eq4Form::scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                            const Configuration*) const {
  const Eq4Layout layout(spec);
  std::vector<double> out;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out.push_back(constants[index(layout.extrinsic_power(j))]);
  return out;
}

std::string Eq4Form::formula(const ModelSpec& spec, const VectorXd&) const {
  return eq4_formula(spec);
}

std::shared_ptr<const Form> Eq4Form::reordered(const ColumnOrder&) const {
  return eq4_form();
}

void Eq4Form::settle_unseen_levels(const Design& training, FittedModel& model) const {
  const Eq4Layout layout(model.spec);
  for (std::size_t c = 0; c < training.categorical.size(); ++c)
    settle_unseen(
        training.categorical[c],
        model.constants.segment(index(layout.level(c, 0)), index(training.categorical[c].levels)));
}

namespace {

struct Eq4Constant {
  double value = 0;
  bool identified = false;
};

/// The constants in the order of Eq4Layout: a of columns and of levels, p, q, C.
struct Eq4Parts {
  std::vector<Eq4Constant> a;
  std::vector<Eq4Constant> p;
  std::vector<Eq4Constant> q;
  Eq4Constant intercept;
};

Eq4Parts parts_of(const FittedModel& model) {
  const Eq4Layout layout(model.spec);
  const auto& known = model.known.identifiability;
  const auto from = [&](std::size_t begin, std::size_t end) {
    std::vector<Eq4Constant> out;
    for (std::size_t k = begin; k < end; ++k)
      out.push_back({model.constants[index(k)], known && known->constants[k]});
    return out;
  };
  return {from(0, layout.intrinsic_power(0)),
          from(layout.intrinsic_power(0), layout.extrinsic_power(0)),
          from(layout.extrinsic_power(0), layout.intercept()),
          from(layout.intercept(), layout.size()).front()};
}

void put_parts(const Eq4Parts& parts, FittedModel& model) {
  std::vector<Eq4Constant> all = parts.a;
  all.insert(all.end(), parts.p.begin(), parts.p.end());
  all.insert(all.end(), parts.q.begin(), parts.q.end());
  all.push_back(parts.intercept);
  model.form = eq4_form();
  model.constants.resize(index(all.size()));
  for (std::size_t k = 0; k < all.size(); ++k) {
    model.constants[index(k)] = all[k].value;
    if (model.known.identifiability)
      model.known.identifiability->constants.push_back(all[k].identified);
  }
}

struct Eq4Level {
  std::string level;
  Eq4Constant a;
  bool difference_identified = false;
};

/// `reference`: a of the first level of the column.
void describe_level(Fields& f, Eq4Level& x, double reference) {
  f("level", x.level, "its text");
  f("a", x.a.value, "what it adds");
  f("identified", x.a.identified, "whether the runs determine `a`", if_identified(f));
  f("difference", x.a.value - reference, "`a` less that of the reference", if_identified(f));
  f("difference_identified", x.difference_identified, "whether the runs determine the difference",
    if_identified(f));
}

void check_differences(const JsonCursor& column, const Eq4Level& first) {
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
                     std::vector<Eq4Constant>& constants, std::size_t first,
                     std::size_t first_difference) {
  std::vector<Eq4Level> levels;
  for (std::size_t l = 0; f.writes() && l < input.levels.size(); ++l) {
    const auto& known = model.known.identifiability;
    levels.push_back(
        {input.levels[l], constants[first + l], known && known->differences[first_difference + l]});
  }
  f("column", input.column, "its name", kName);
  f.list("levels", levels, "its levels", [&](Fields& item, Eq4Level& level, std::size_t) {
    describe_level(item, level, levels.front().a.value);
  });
  f("reference", levels.empty() ? std::string() : levels.front().level, "its first level",
    if_identified(f));
  if (!f.reads())
    return;
  for (const Eq4Level& level : levels)
    input.levels.push_back(level.level);
  settle_levels(f, model.spec, input);
  for (const std::string& name : input.levels) {
    const auto level = std::ranges::find(levels, name, &Eq4Level::level);
    if (name == input.levels.front())
      check_differences(f.node(), *level);
    constants.push_back(level->a);
    if (model.known.identifiability)
      model.known.identifiability->differences.push_back(level->difference_identified);
  }
}

}  // namespace

void Eq4Form::describe_constants(Fields& f, FittedModel& model) const {
  ModelSpec& spec = model.spec;
  Eq4Parts parts = f.writes() ? parts_of(model) : Eq4Parts{};
  if (f.reads() && f.has("C_identified"))
    model.known.identifiability.emplace();
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
  Eq4Constant lone = if_lone.stands && f.writes() ? parts.a.front() : Eq4Constant{};
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

}  // namespace perfmodel
