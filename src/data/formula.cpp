#include "data/formula.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/printable.hpp"
#include "base/readable.hpp"
#include "base/text.hpp"
#include "data/formula_parser.hpp"
#include "data/formula_program.hpp"
#include "data/formula_value.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kLongestShown = 60;
constexpr std::size_t kRowsAtOnce = 256;  // the stack then stays in the cache of a core

/// The names get their places among those that there are; the rest are constants.
void settle_names(FormulaProgram& program, const std::vector<std::string>& names,
                  const std::string& text, const Sentence& where) {
  std::vector<std::size_t> places;
  for (const std::string& name : program.names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end() && !formula_constant(name)) {
      const std::string hint = did_you_mean(name, names);
      throw UsageError(where + ": " + quoted_formula(text) + ": there is no " +
                       quoted_formula(name) +
                       (hint.empty() ? "; there are " + quoted_list(names) : hint));
    }
    places.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  for (FormulaStep& step : program.steps) {
    if (step.operation != Operation::name)
      continue;
    const std::string& name = program.names[step.name];
    step = places[step.name] < names.size()
               ? FormulaStep{Operation::name, 0, places[step.name]}
               : FormulaStep{Operation::number, formula_constant(name).value(), 0};
  }
  program.names = names;
}

}  // namespace

std::string shown_formula(std::string text) {
  std::replace_if(text.begin(), text.end(), is_formula_blank, ' ');
  return clipped(printable_word(text), kLongestShown);
}

std::string quoted_formula(const std::string& text) {
  return "'" + shown_formula(text) + "'";
}

double TextCodes::code(const std::string& text) {
  return codes_.try_emplace(text, static_cast<double>(codes_.size() + 1)).first->second;
}

std::vector<std::string> Formula::names_in(const std::string& text, const Sentence& where) {
  TextCodes codes;
  std::set<std::string> names;
  try {
    const FormulaProgram program = parse_formula(text, codes);
    std::copy_if(program.names.begin(), program.names.end(), std::inserter(names, names.end()),
                 [](const std::string& name) { return !formula_constant(name); });
  } catch (const FormulaError& error) {
    throw UsageError(error.has_position()
                         ? where + ": " + error.what() + " of " + quoted_formula(text)
                         : where + ": " + quoted_formula(text) + ": " + error.what());
  }
  return {names.begin(), names.end()};
}

Formula::Formula(const std::string& text, const std::vector<std::string>& names, TextCodes& codes,
                 const Sentence& where) {
  FormulaProgram program;
  try {
    program = parse_formula(text, codes);
  } catch (const FormulaError& error) {
    throw UsageError(where + ": " + quoted_formula(text) + ": " + error.what());
  }
  settle_names(program, names, text, where);
  std::set<std::string> used;
  for (const FormulaStep& step : program.steps)
    if (step.operation == Operation::name)
      used.insert(names[step.name]);
  used_.assign(used.begin(), used.end());
  program_ = std::make_shared<const FormulaProgram>(std::move(program));
}

double Formula::operator()(std::span<const double> values) const {
  return formula_value(*program_, values);
}

std::vector<double> Formula::of_rows(std::span<const std::vector<double>> columns,
                                     std::size_t rows) const {
  std::vector<const double*> begins;
  for (const std::vector<double>& column : columns)
    begins.push_back(column.data());
  std::vector<double> stack(program_->depth * std::min(rows, kRowsAtOnce));
  std::vector<double> out(rows);
  for (std::size_t first = 0; first < rows; first += kRowsAtOnce) {
    const std::size_t count = std::min(rows - first, kRowsAtOnce);
    formula_values(*program_, begins, first, count, stack.data());
    std::copy_n(stack.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return out;
}

Formula::Slope Formula::slope(std::span<const double> values, std::size_t name) const {
  return formula_slope(*program_, values, name);
}

}  // namespace perfmodel
