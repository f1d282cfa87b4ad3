#include "forms/failure_model.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "columns/design.hpp"
#include "columns/spec.hpp"
#include "forms/gp_form.hpp"
#include "table/cells.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

/// With fewer of either kind, no rule can be told from chance: of two halves of the space, one has
/// all four failures by chance in one of eight cases.
constexpr std::size_t kFewestOfAKind = 5;

bool is_of_numbers(const FailureInput& input) {
  return input.levels.empty();
}

/// The inputs of the rows of a table, and which rows have a value in each of them.
struct FailureRows {
  gp::Inputs inputs;
  std::vector<bool> usable;
};

/// The numbers of a column; NaN for cells that are none.
std::vector<double> failure_numbers(const FailureInput& input, const Table& table) {
  const Column* const column = table.find(input.column);
  if (column == nullptr)
    return std::vector<double>(
        table.rows(), parse_number(input.usual).value_or(std::numeric_limits<double>::quiet_NaN()));
  const auto converted = input.unit.empty() ? std::nullopt : in_unit(*column, input.unit);
  return numbers_of(converted ? *converted : *column);
}

/// The index of the level of each row; nullopt for a level that is not known.
std::vector<std::optional<std::uint32_t>> failure_levels(const FailureInput& input,
                                                         const Table& table) {
  const CategoricalInput known{input.column, input.levels};
  const LevelMatcher matcher(known);
  const Column* const column = table.find(input.column);
  std::vector<std::optional<std::uint32_t>> out(table.rows());
  for (std::size_t row = 0; row < out.size(); ++row)
    out[row] = column == nullptr ? matcher.match(input.usual)
               : column->is_numeric() && std::isfinite(column->numbers[row])
                   ? matcher.match(column->numbers[row])
                   : matcher.match(column->text(row));
  return out;
}

/// `coordinates`: of the numbers, where 0 may be none; empty: not known yet.
FailureRows failure_rows(const std::vector<FailureInput>& inputs, const Table& table,
                         const std::vector<gp::Coordinate>& coordinates = {}) {
  const auto rows = index(table.rows());
  const auto numbers = std::ranges::count_if(inputs, is_of_numbers);
  FailureRows out{.inputs = {.numbers = MatrixXd(rows, numbers),
                             .levels = gp::Levels::Zero(rows, index(inputs.size()) - numbers)},
                  .usable = std::vector<bool>(table.rows(), true)};
  for (Index j = 0; j < index(inputs.size()); ++j) {
    const FailureInput& input = inputs[to_size(j)];
    if (j < numbers) {
      const std::vector<double> values = failure_numbers(input, table);
      const bool may_be_zero =
          coordinates.empty() || coordinates[to_size(j)].form != gp::CoordinateForm::log;
      for (Index row = 0; row < rows; ++row) {
        const double value = values[to_size(row)];
        const bool is_value = (value > 0 || (value == 0 && may_be_zero)) && std::isfinite(value);
        out.inputs.numbers(row, j) = is_value ? value : 1;
        out.usable[to_size(row)] = out.usable[to_size(row)] && is_value;
      }
      continue;
    }
    const auto codes = failure_levels(input, table);
    for (Index row = 0; row < rows; ++row) {
      out.inputs.levels(row, j - numbers) = codes[to_size(row)].value_or(0);
      out.usable[to_size(row)] = out.usable[to_size(row)] && codes[to_size(row)].has_value();
    }
  }
  return out;
}

std::vector<Index> usable_rows(const FailureRows& rows) {
  std::vector<Index> out;
  for (std::size_t row = 0; row < rows.usable.size(); ++row)
    if (rows.usable[row])
      out.push_back(index(row));
  return out;
}

/// The rows of both, those of `a` first.
gp::Inputs joined_inputs(const gp::Inputs& a, const gp::Inputs& b) {
  gp::Inputs out{.numbers = MatrixXd(a.rows() + b.rows(), a.numbers.cols()),
                 .levels = gp::Levels(a.rows() + b.rows(), a.levels.cols())};
  out.numbers << a.numbers, b.numbers;
  out.levels << a.levels, b.levels;
  return out;
}

/// So large that no fit reaches it, and so small that sums of it are numbers.
constexpr FieldRule kBounded{.low = 0, .high = 1e6};

constexpr auto kUsualMeaning =
    "the value of all runs that finished, and of configurations without this column";

struct FailureNumber {
  GpNumber number;
  FailureInput input;
};

void describe(Fields& f, FailureNumber& x) {
  describe(f, x.number);
  f("cells_in", x.input.unit, "`s`, `B` or `%`, if the cells had units", kSparse);
  f("usual", x.input.usual, kUsualMeaning, kSparse);
}

struct FailureLevels {
  GpLevels codes;
  FailureInput input;
};

void describe(Fields& f, FailureLevels& x) {
  describe(f, x.codes);
  f("levels", x.input.levels, "texts of the column");
  f("usual", x.input.usual, kUsualMeaning, kSparse);
}

FailureNumber failure_number(const FailureFacts& facts, Index j) {
  const gp::Classification& of = facts.classification;
  const FailureInput& input = facts.inputs[to_size(j)];
  const auto coded = gp::CodedColumn::of(of.inputs.numbers.col(j));
  return {{input.column,
           of.coordinates[to_size(j)],
           of.kernel.inverse_lengths[j],
           of.kernel.shares[j],
           coded.values,
           {coded.codes.begin(), coded.codes.end()}},
          input};
}

FailureLevels failure_level_codes(const FailureFacts& facts, Index j) {
  const gp::Classification& of = facts.classification;
  const FailureInput& input = facts.inputs[to_size(of.inputs.numbers.cols() + j)];
  const auto codes = of.inputs.levels.col(j);
  return {{input.column, of.kernel.rates[j], {codes.begin(), codes.end()}}, input};
}

void take_read(const Fields& f, std::vector<FailureNumber> numbers,
               std::vector<FailureLevels> levels, FailureFacts& x) {
  gp::Classification& of = x.classification;
  const Index rows = of.slopes.size();
  if (rows == 0)
    f.node().member("slopes").fail("expected a number per known configuration");
  check_size(f.node().member("curvatures"), rows);
  of.kernel.inverse_lengths.resize(index(numbers.size()));
  of.kernel.shares.resize(index(numbers.size()));
  of.kernel.rates.resize(index(levels.size()));
  of.inputs = {.numbers = MatrixXd(rows, index(numbers.size())),
               .levels = gp::Levels(rows, index(levels.size()))};
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    const GpNumber& read = numbers[j].number;
    check_codes(f.node().member("numbers").items()[j].member("codes"), rows,
                to_size(read.values.size()));
    of.coordinates.push_back(read.coordinate);
    of.kernel.inverse_lengths[index(j)] = read.inverse_length;
    of.kernel.shares[index(j)] = read.share;
    for (std::size_t row = 0; row < read.codes.size(); ++row)
      of.inputs.numbers(index(row), index(j)) = read.values[index(read.codes[row])];
    numbers[j].input.column = read.column;
    x.inputs.push_back(std::move(numbers[j].input));
  }
  for (std::size_t j = 0; j < levels.size(); ++j) {
    const GpLevels& read = levels[j].codes;
    check_codes(f.node().member("levels").items()[j].member("codes"), rows,
                levels[j].input.levels.size());
    of.kernel.rates[index(j)] = read.rate;
    for (std::size_t row = 0; row < read.codes.size(); ++row)
      of.inputs.levels(index(row), index(j)) = static_cast<std::uint32_t>(read.codes[row]);
    levels[j].input.column = read.column;
    x.inputs.push_back(std::move(levels[j].input));
  }
}

}  // namespace

FailureModel::FailureModel(FailureFacts facts)
    : facts_(std::move(facts)), classifier_(facts_.classification) {}

VectorXd FailureModel::probabilities(const Table& configurations) const {
  const FailureRows rows =
      failure_rows(facts_.inputs, configurations, facts_.classification.coordinates);
  VectorXd out = classifier_.probabilities(rows.inputs, processor_count());
  for (std::size_t row = 0; row < rows.usable.size(); ++row)
    if (!rows.usable[row])
      out[index(row)] = std::numeric_limits<double>::quiet_NaN();
  return out;
}

double FailureModel::probability(const ModelSpec& spec, const Configuration& at) const {
  Table one;
  one.lines = {1};
  const auto add_numbers = [&](const std::vector<NumericInput>& inputs,
                               const std::vector<double>& values) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      one.columns.push_back({.name = inputs[i].column,
                             .numbers = {values[i]},
                             .codes = {},
                             .levels = {},
                             .bad_cells = {},
                             .unit = inputs[i].unit});
  };
  add_numbers(spec.intrinsic, at.intrinsic);
  add_numbers(spec.extrinsic, at.extrinsic);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    one.columns.push_back({.name = spec.categorical[c].column,
                           .kind = Column::Kind::text,
                           .numbers = {},
                           .codes = {at.levels[c]},
                           .levels = spec.categorical[c].levels,
                           .bad_cells = {}});
  return probabilities(one)[0];
}

std::vector<bool> FailureModel::are_likely(const Table& configurations, double most) const {
  const VectorXd p = probabilities(configurations);
  std::vector<bool> out(configurations.rows());
  for (std::size_t row = 0; row < out.size(); ++row)
    out[row] = p[index(row)] > most;
  return out;
}

std::shared_ptr<const FailureModel> fit_failures(const std::vector<FailureInput>& inputs,
                                                 const Table& finished, const Table& failed,
                                                 const FitOptions& options) {
  if (failed.rows() < kFewestOfAKind || options.stop.stop_requested())
    return nullptr;
  FailureFacts out;
  out.inputs = inputs;
  std::stable_partition(out.inputs.begin(), out.inputs.end(), is_of_numbers);
  const FailureRows of_failed = failure_rows(out.inputs, failed);
  const FailureRows of_finished = failure_rows(out.inputs, finished);
  const auto failed_rows = usable_rows(of_failed);
  const auto finished_rows = usable_rows(of_finished);
  out.failed = failed_rows.size();
  out.finished = finished_rows.size();
  if (std::min(out.failed, out.finished) < kFewestOfAKind)
    return nullptr;
  std::vector<bool> fails(out.failed, true);
  fails.resize(out.failed + out.finished, false);
  out.classification =
      gp::classify(joined_inputs(take_rows(of_failed.inputs, failed_rows),
                                 take_rows(of_finished.inputs, finished_rows)),
                   fails, {.seed = options.seed, .threads = options.threads, .stop = options.stop});
  if (options.stop.stop_requested())
    return nullptr;
  return std::make_shared<const FailureModel>(std::move(out));
}

std::vector<std::string> always_failing(const Table& failed, const ModelSpec& spec) {
  std::vector<std::string> out;
  if (failed.rows() > 0)
    for (const UnknownLevel& unknown : rows_of_known_levels(failed, spec).unknown)
      out.push_back(
          fmt::format("{} with {} = {} failed",
                      unknown.rows == 1 ? "the only run" : fmt::format("all {} runs", unknown.rows),
                      unknown.column, unknown.level));
  return out;
}

void describe(Fields& f, FailureFacts& x) {
  gp::Classification& of = x.classification;
  std::vector<FailureNumber> numbers;
  std::vector<FailureLevels> levels;
  for (Index j = 0; f.writes() && j < of.inputs.numbers.cols(); ++j)
    numbers.push_back(failure_number(x, j));
  for (Index j = 0; f.writes() && j < of.inputs.levels.cols(); ++j)
    levels.push_back(failure_level_codes(x, j));
  f("failed", x.failed, "runs that failed");
  f("finished", x.finished, "runs that did not");
  f("drawn", of.drawn, "of the runs below: the share of the latter over that of the former",
    kPositive | kBounded);
  f("variance", of.kernel.variance, "of z; the constant beside it has the variance 10",
    kPositive | kBounded);
  f("numbers", numbers, "its numeric inputs");
  f("levels", levels, "its inputs with levels");
  f("slopes", of.slopes, "of each known configuration the weight in the mean of c + z");
  f("curvatures", of.curvatures, "of each the precision with which its runs tell c + z", kBounded);
  if (f.reads())
    take_read(f, std::move(numbers), std::move(levels), x);
}

}  // namespace perfmodel
