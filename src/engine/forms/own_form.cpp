#include "forms/own_form.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "columns/spec.hpp"
#include "perfmodel/export.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"

namespace perfmodel {
namespace {

std::optional<std::size_t> numeric_place(const ModelSpec& spec, const std::string& column) {
  if (const auto scale = place_of_input(spec.extrinsic, column))
    return scale;
  const auto intrinsic = place_of_input(spec.intrinsic, column);
  return intrinsic ? std::optional(spec.extrinsic.size() + *intrinsic) : std::nullopt;
}

/// Names are exponents if they stand right of ^, with or without a sign.
std::vector<bool> exponents(const FormulaProgram& program) {
  std::vector<bool> out(program.names.size(), false);
  for (std::size_t i = 0; i + 1 < program.steps.size(); ++i) {
    const FormulaStep& step = program.steps[i];
    const std::size_t next = program.steps[i + 1].operation == Operation::negate ? i + 2 : i + 1;
    if (step.operation == Operation::name && next < program.steps.size() &&
        program.steps[next].operation == Operation::power)
      out[step.name] = true;
  }
  return out;
}

struct StoredConstant {
  std::string constant;
  double value = 0;
  bool identified = false;
};

void describe(Fields& f, StoredConstant& x) {
  f("constant", x.constant, "its name, with a level if there is one per level", kName);
  f("value", x.value, "in the units of the data");
  f("identified", x.identified, "whether the runs determine it", if_identified(f));
}

/// Throws InputError unless the formula can be computed from the inputs and has these constants.
void check_own(const Fields& f, const OwnFormula& own, const ModelSpec& spec,
               const std::vector<StoredConstant>& constants) {
  for (const ConstantPerLevel& per : own.per)
    if (!place_of_input(spec.categorical, per.column))
      f.node()
          .member("per_level")
          .fail(fmt::format("the model has no input '{}' with levels", printable_word(per.column)));
  std::optional<OwnProgram> program;
  try {
    program.emplace(own, spec);
  } catch (const UsageError& error) {
    f.node().member("formula").fail(error.what());  // the file is invalid, not the usage
  }
  std::vector<std::string> names;
  for (const OwnProgram::Constant& constant : program->constants())
    names.push_back(constant.name);
  if (!std::ranges::equal(names, constants, {}, {}, &StoredConstant::constant))
    f.node().member("values").fail("the constants of the formula are " + quoted_list(names));
}

}  // namespace

OwnProgram::OwnProgram(const OwnFormula& own, const ModelSpec& spec) {
  const std::string where = spelled("formula");
  std::vector<std::string> names = Formula::names_in(own.text, where);
  TextCodes codes;
  for (const CategoricalInput& input : spec.categorical)
    codes.add_column(input.column);  // models of some of the runs may lack a level of the formula
  formula_.emplace(own.text, names, codes, where);
  places_.resize(names.size());
  for (std::size_t n = 0; n < names.size(); ++n) {
    places_[n].numeric = numeric_place(spec, names[n]);
    places_[n].categorical = place_of_input(spec.categorical, names[n]);
  }
  for (const CategoricalInput& input : spec.categorical) {
    std::vector<double>& own_codes = codes_.emplace_back();
    for (const std::string& level : input.levels)
      own_codes.push_back(codes.code(level));
  }
  add_constants(own, spec, names);
}

/// Constants are in the order in which they first appear in the formula.
void OwnProgram::add_constants(const OwnFormula& own, const ModelSpec& spec,
                               const std::vector<std::string>& names) {
  const std::vector<bool> is_exponent = exponents(formula_->program());
  for (const FormulaStep& step : formula_->program().steps) {
    if (step.operation != Operation::name)
      continue;
    Place& place = places_[step.name];
    if (place.numeric || place.categorical || place.count > 0)
      continue;
    const std::string& name = names[step.name];
    place.first = constants_.size();
    const auto per = std::ranges::find(own.per, name, &ConstantPerLevel::constant);
    if (per == own.per.end()) {
      constants_.push_back({name, step.name, "", is_exponent[step.name]});
    } else {
      place.categorical = place_of_input(spec.categorical, per->column).value();
      for (const std::string& level : spec.categorical[*place.categorical].levels)
        constants_.push_back({name + "[" + per->column + "=" + level + "]", step.name, level,
                              is_exponent[step.name]});
    }
    place.count = constants_.size() - place.first;
  }
}

std::vector<FormulaOperand> OwnProgram::operands(
    const VectorXd& constants, const std::function<std::string(std::size_t)>& mark) const {
  std::vector<FormulaOperand> out;
  for (const Place& place : places_) {
    FormulaOperand& operand = out.emplace_back();
    operand.numeric = place.numeric;
    operand.categorical = place.categorical;
    for (std::size_t k = place.first; k < place.first + place.count; ++k) {
      operand.values.push_back(constants[index(k)]);
      if (mark)
        operand.marks.push_back(mark(k));
    }
    if (place.categorical && place.count == 0)
      operand.values = codes_[*place.categorical];
  }
  return out;
}

std::vector<std::pair<std::size_t, bool>> OwnProgram::addends() const {
  const FormulaProgram& program = formula_->program();
  const std::vector<std::size_t> begins = operand_begins(program);
  std::vector<std::pair<std::size_t, bool>> out;
  std::size_t last = program.steps.size() - 1;
  for (;;) {
    const Operation operation = program.steps[last].operation;
    const bool subtracts = operation == Operation::subtract;
    if (!subtracts && operation != Operation::add)
      break;
    out.emplace_back(last - 1, subtracts);
    last = begins[last - 1] - 1;
  }
  out.emplace_back(last, false);
  std::ranges::reverse(out);
  return out;
}

OwnRows::OwnRows(const OwnProgram& program, const Design& design)
    : program_(program), design_(design), columns_(program.places().size()) {
  for (std::size_t n = 0; n < columns_.size(); ++n) {
    const auto& [numeric, categorical, first, count] = program.places()[n];
    for (std::size_t row = 0; row < design.rows && count == 0; ++row)
      columns_[n].push_back(
          numeric ? numeric_factor(design, *numeric).value(row)
                  : program.codes(*categorical)[design.categorical[*categorical].codes[row]]);
  }
}

/// The constant that a name stands for in a row.
std::size_t OwnRows::constant_in(std::size_t name, std::size_t row) const {
  const OwnProgram::Place& place = program_.places()[name];
  return place.first + (place.categorical ? design_.categorical[*place.categorical].codes[row] : 0);
}

std::vector<std::vector<double>> OwnRows::numbers(const VectorXd& constants) const {
  std::vector<std::vector<double>> out = columns_;
  for (std::size_t n = 0; n < out.size(); ++n)
    for (std::size_t row = 0; row < design_.rows && program_.places()[n].count > 0; ++row)
      out[n].push_back(constants[index(constant_in(n, row))]);
  return out;
}

VectorXd OwnRows::predict(const VectorXd& constants) const {
  return part(constants, program_.formula().program().steps.size() - 1);
}

VectorXd OwnRows::part(const VectorXd& constants, std::size_t last) const {
  const std::vector<double> values =
      program_.formula().of_rows(numbers(constants), design_.rows, last);
  return Eigen::Map<const VectorXd>(values.data(), index(values.size()));
}

OwnRows::Linear OwnRows::linearise(const VectorXd& constants,
                                   const std::vector<bool>& wanted) const {
  std::vector<std::size_t> names;  // with a constant that is wanted
  for (std::size_t n = 0; n < columns_.size(); ++n) {
    const OwnProgram::Place& place = program_.places()[n];
    const auto begin = wanted.begin() + static_cast<std::ptrdiff_t>(place.first);
    if (std::find(begin, begin + static_cast<std::ptrdiff_t>(place.count), true) !=
        begin + static_cast<std::ptrdiff_t>(place.count))
      names.push_back(n);
  }
  Linear out{VectorXd(index(design_.rows)),
             optimise::RowMajorMatrix::Zero(index(design_.rows), constants.size())};
  std::vector<double> values(columns_.size());
  std::vector<double> stack;
  for (std::size_t row = 0; row < design_.rows; ++row) {
    for (std::size_t n = 0; n < columns_.size(); ++n)
      values[n] =
          program_.places()[n].count > 0 ? constants[index(constant_in(n, row))] : columns_[n][row];
    program_.formula().slopes(values, names, stack);
    out.value[index(row)] = stack[0];
    for (std::size_t k = 0; k < names.size(); ++k)
      if (wanted[constant_in(names[k], row)])
        out.slopes(index(row), index(constant_in(names[k], row))) = stack[1 + k];
  }
  return out;
}

double OwnRows::power(const VectorXd& constants, std::size_t numeric) const {
  std::vector<double> values;
  std::optional<std::size_t> name;
  for (std::size_t n = 0; n < columns_.size(); ++n) {
    values.push_back(program_.places()[n].count > 0 ? constants[index(constant_in(n, 0))]
                                                    : columns_[n][0]);
    if (program_.places()[n].numeric == numeric)
      name = n;
  }
  if (!name)
    return 0;
  std::vector<double> time_and_slope;
  program_.formula().slopes(values, std::array{*name}, time_and_slope);
  return time_and_slope[1] * values[*name] / time_and_slope[0];
}

std::string_view OwnForm::name() const {
  return to_text(Expression::formula);
}

FormWords OwnForm::words() const {
  return {.noun = "own formula",
          .title = "A formula of the user",
          .share_caption = "The terms are listed below.",
          .scaled_part = "the prediction",
          .level_letter = 'c',
          .lists_terms = true};
}

/// Numbers other than exponents act in proportion: their logarithms have an effect of any unit.
std::vector<ConstantInfo> OwnForm::constants(const ModelSpec& spec) const {
  const OwnProgram program(own_, spec);
  std::vector<ConstantInfo> out;
  for (const OwnProgram::Constant& constant : program.constants())
    out.push_back({.name = constant.name,
                   .role = ConstantRole::named,
                   .range = constant.is_exponent ? ConstantRange::any : ConstantRange::not_negative,
                   .level = constant.level});
  return out;
}

std::vector<std::string> OwnForm::groups(const ModelSpec&) const {
  return {"the formula"};
}

VectorXd OwnForm::predict(const ModelSpec& spec, const VectorXd& constants,
                          const Design& design) const {
  const OwnProgram program(own_, spec);
  return factor_ * OwnRows(program, design).predict(constants);
}

MatrixXd OwnForm::log_slopes(const ModelSpec& spec, const VectorXd& constants,
                             const Design& design) const {
  const OwnProgram program(own_, spec);
  const OwnRows::Linear at =
      OwnRows(program, design)
          .linearise(constants, std::vector<bool>(program.constants().size(), true));
  MatrixXd out = at.slopes.array().colwise() / at.value.array();
  for (std::size_t k = 0; k < program.constants().size(); ++k)
    if (!program.constants()[k].is_exponent)
      out.col(index(k)) *= constants[index(k)];
  return out;
}

std::shared_ptr<const Form> OwnForm::multiplied(double factor) const {
  return std::make_shared<OwnForm>(own_, factor_ * factor);
}

std::vector<TimePart> OwnForm::parts(const ModelSpec& spec, const VectorXd& constants,
                                     const std::function<std::string(std::size_t)>& mark) const {
  const OwnProgram program(own_, spec);
  const std::vector<FormulaOperand> operands = program.operands(constants, mark);
  std::vector<TimePart> out;
  for (const auto& [last, subtracted] : program.addends()) {
    const std::string text = readable_formula(spec, program.formula(), operands, last);
    out.push_back({.name = "term " + std::to_string(out.size() + 1),
                   .formula = (subtracted ? "-(" + text + ")" : text) +
                              (rounded(factor_) == "1" ? "" : " * " + rounded(factor_))});
  }
  return out;
}

std::vector<double> OwnForm::shares(const ModelSpec& spec, const VectorXd& constants,
                                    const Design& design) const {
  const OwnProgram program(own_, spec);
  const OwnRows rows(program, design);
  const double total = rows.predict(constants).sum();
  std::vector<double> out;
  for (const auto& [last, subtracted] : program.addends())
    out.push_back((subtracted ? -100 : 100) * rows.part(constants, last).sum() / total);
  return out;
}

std::vector<double> OwnForm::scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                            const Configuration* at) const {
  const OwnProgram program(own_, spec);
  const Design row = design_of(*at, spec);
  const OwnRows rows(program, row);
  std::vector<double> out;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out.push_back(rows.power(constants, j));
  return out;
}

std::string OwnForm::formula(const ModelSpec& spec, const VectorXd&) const {
  std::string text = own_.text;
  std::ranges::replace_if(text, is_formula_blank, ' ');
  return spec.target + " = " + (factor_ == 1 ? text : to_text(factor_) + " * (" + text + ")");
}

std::shared_ptr<const Form> OwnForm::reordered(const ColumnOrder&) const {
  return std::make_shared<OwnForm>(*this);
}

void OwnForm::settle_unseen_levels(const Design& training, FittedModel& model) const {
  const OwnProgram program(own_, model.spec);
  for (const OwnProgram::Place& place : program.places()) {
    if (place.count > 0 && place.categorical)
      settle_unseen(training.categorical[*place.categorical],
                    model.constants.segment(index(place.first), index(place.count)));
  }
}

void describe(Fields& f, ConstantPerLevel& x) {
  f("column", x.column, "of levels", kName);
  f("constant", x.constant, "that has a value per level", kName);
}

void OwnForm::describe_constants(Fields& f, FittedModel& model) const {
  OwnForm own = *this;
  auto& known = model.known.identifiability;
  if (f.reads() && f.has("values") && !f.node().member("values").items().empty() &&
      f.node().member("values").items().front().optional_member("identified"))
    known.emplace();
  describe_inputs(f, model, false);
  std::vector<StoredConstant> constants;
  if (f.writes())
    for (const ConstantInfo& info : own.constants(model.spec)) {
      const std::size_t k = constants.size();
      constants.push_back({info.name, model.constants[index(k)], known && known->constants[k]});
    }
  f("formula", own.own_.text, "as the user wrote it; names that are no inputs are constants");
  f("per_level", own.own_.per, "constants with a value per level", kSparse);
  f("factor", own.factor_, "of the formula, beside a residual correction", kNewer | kPositive);
  f("values", constants, "of the constants, in the order in which they appear in the formula");
  if (!f.reads())
    return;
  refuse_repeated_columns(f, model.spec);
  own.own_.target = model.spec.target;
  check_own(f, own.own_, model.spec, constants);
  model.constants.resize(index(constants.size()));
  for (std::size_t k = 0; k < constants.size(); ++k) {
    model.constants[index(k)] = constants[k].value;
    if (known)
      known->constants.push_back(constants[k].identified);
  }
  model.form = std::make_shared<OwnForm>(std::move(own));
}

}  // namespace perfmodel
