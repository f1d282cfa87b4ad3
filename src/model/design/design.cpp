#include "perfmodel/model/design/design.hpp"

#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/text.hpp"
#include "data/column_numbers.hpp"
#include "model/columns/cell_problems.hpp"
#include "model/columns/role_values.hpp"
#include "model/design/level_matching.hpp"
#include "model/design/unknown_level_cells.hpp"
#include "model/design/value_coding.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using ChosenRows = std::optional<std::span<const std::size_t>>;

/// The rows of the table that a design is made of, in their order.
class RowChoice {
 public:
  RowChoice(const Table& table, const ChosenRows& rows)
      : rows_(rows), size_(rows ? rows->size() : table.rows()) {}

  std::size_t size() const { return size_; }
  std::size_t operator[](std::size_t i) const { return rows_ ? (*rows_)[i] : i; }

 private:
  ChosenRows rows_;
  std::size_t size_;
};

void require_columns(const Table& table, const ModelSpec& spec, Target target) {
  std::string missing;
  const auto require = [&](const std::string& name) {
    if (table.find(name) == nullptr)
      missing += (missing.empty() ? "" : "\n") + table.no_column(name);
  };
  for (const NumericInput& input : spec.intrinsic)
    require(input.column);
  for (const CategoricalInput& input : spec.categorical)
    require(input.column);
  for (const NumericInput& input : spec.extrinsic)
    require(input.column);
  if (target == Target::required)
    require(spec.target);
  if (!missing.empty())
    throw InputError(missing);
}

/// Writes the numbers of the chosen rows to `values`; every one that is not > 0, or may be 0 and is
/// not >= 0, is a problem.
template <class Values>
void gather_numbers(const Column& column, const RowChoice& rows, bool may_be_zero,
                    CellProblems& problems, Values& values) {
  const std::vector<double> of_level = level_numbers(column);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    const double x = column.is_numeric() ? column.numbers[row] : of_level[column.codes[row]];
    if (!(x > 0 || (may_be_zero && x == 0))) {
      if (x <= 0)
        problems.add_too_small(row, column, may_be_zero);
      else
        problems.add_not_a_number(row, column);
    }
    values[static_cast<decltype(values.size())>(i)] = x;
  }
}

std::vector<NumericFactor> numeric_factors(const Table& table,
                                           const std::vector<NumericInput>& inputs,
                                           const RowChoice& rows, CellProblems& problems) {
  std::vector<NumericFactor> factors;
  for (const NumericInput& input : inputs) {
    std::vector<double> values(rows.size());
    gather_numbers(table.at(input.column), rows, input.zero.has_value(), problems, values);
    // After a problem nobody will see the factor, and NaN cannot be coded.
    factors.push_back(problems.empty() ? make_factor(std::move(values)) : NumericFactor{});
  }
  return factors;
}

/// How many runs the rows stand for, where the table's are merged.
void gather_runs(const Table& table, const RowChoice& rows, Design& design) {
  for (std::size_t i = 0; i < rows.size() && !table.runs.empty(); ++i)
    design.runs.push_back(table.runs[rows[i]]);
}

using Match = std::optional<std::uint32_t>;

/// Matches the cells of one column, each distinct text or number once.
class CachedMatcher {
 public:
  CachedMatcher(const Column& column, const CategoricalInput& input)
      : column_(column), matcher_(input) {
    for (const std::string& level : column.levels)
      by_code_.push_back(matcher_.match(level));
  }

  Match match(std::size_t row) {
    if (!column_.is_numeric())
      return by_code_[column_.codes[row]];
    const double number = column_.numbers[row];
    if (number != number)
      return matcher_.match(column_.text(row));
    const auto [entry, is_new] = by_number_.try_emplace(number);
    if (is_new)
      entry->second = matcher_.match(number);
    return entry->second;
  }

 private:
  const Column& column_;
  LevelMatcher matcher_;
  std::vector<Match> by_code_;
  std::unordered_map<double, Match> by_number_;
};

LevelFactor level_factor(const Column& column, const CategoricalInput& input, const RowChoice& rows,
                         CellProblems& problems, UnknownLevelCells& unknown) {
  LevelFactor factor{.levels = input.levels.size(),
                     .codes = std::vector<std::uint32_t>(rows.size())};
  CachedMatcher matcher(column, input);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    if (const Match match = matcher.match(row))
      factor.codes[i] = *match;
    else if (column.text(row).empty())
      problems.add_blank(row, column);
    else
      unknown.add(row, column, input);
  }
  return factor;
}

void refuse(const UnknownLevelCells& unknown, CellProblems& problems) {
  if (unknown.are_of_one_row())
    unknown.add_to(problems);
  else if (!unknown.empty())
    throw InputError(unknown.text() +
                     (problems.empty() ? Sentence() : Sentence("\n") + problems.text()));
  if (!problems.empty())
    throw InputError(problems.text());
}

}  // namespace

Design make_design(const Table& source, const ModelSpec& spec, Target target,
                   std::optional<std::span<const std::size_t>> rows) {
  std::optional<Table> extended;
  if (!spec.derived.empty())
    extended = with_derived_columns(source, spec.derived);
  if (spec.throughput && target == Target::required)
    extended = with_time_of(extended ? *extended : source, *spec.throughput, spec.target);
  const Table& table = extended ? *extended : source;
  require_columns(table, spec, target);
  const RowChoice choice(table, rows);
  CellProblems problems(table);
  UnknownLevelCells unknown(table, choice.size());

  Design design;
  design.rows = choice.size();
  design.intrinsic = numeric_factors(table, spec.intrinsic, choice, problems);
  for (const CategoricalInput& input : spec.categorical) {
    design.categorical.push_back(
        level_factor(table.at(input.column), input, choice, problems, unknown));
  }
  design.extrinsic = numeric_factors(table, spec.extrinsic, choice, problems);
  if (target == Target::required) {
    design.time.resize(static_cast<Eigen::Index>(choice.size()));
    gather_numbers(table.at(spec.target), choice, false, problems, design.time);
    if (!problems.empty())
      problems.set_remedy(table.at(spec.target),
                          remedy_of_measured("time", table, table.at(spec.target)));
    gather_runs(table, choice, design);
  }
  refuse(unknown, problems);
  return design;
}

std::size_t Design::total_runs() const {
  return runs.empty() ? rows : std::accumulate(runs.begin(), runs.end(), std::size_t{0});
}

Design take_rows(const Design& design, std::span<const std::size_t> rows) {
  Design out;
  out.rows = rows.size();
  const auto factors = [&](const std::vector<NumericFactor>& from) {
    std::vector<NumericFactor> taken;
    for (const NumericFactor& factor : from) {
      std::vector<double> values;
      values.reserve(rows.size());
      for (const std::size_t row : rows)
        values.push_back(factor.value(row));
      taken.push_back(make_factor(std::move(values)));
    }
    return taken;
  };
  out.intrinsic = factors(design.intrinsic);
  out.extrinsic = factors(design.extrinsic);
  for (const LevelFactor& factor : design.categorical) {
    LevelFactor taken{.levels = factor.levels, .codes = {}};
    for (const std::size_t row : rows)
      taken.codes.push_back(factor.codes[row]);
    out.categorical.push_back(std::move(taken));
  }
  if (design.time.size() > 0) {
    out.time.resize(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      out.time[static_cast<Eigen::Index>(i)] = design.time[static_cast<Eigen::Index>(rows[i])];
  }
  for (const std::size_t row : rows)
    if (!design.runs.empty())
      out.runs.push_back(design.runs[row]);
  return out;
}

}  // namespace perfmodel
