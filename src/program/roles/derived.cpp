#include "roles/derived.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>

#include "base/statistics.hpp"
#include "columns/spec.hpp"
#include "roles/left_out.hpp"
#include "roles/roles.hpp"
#include "roles/vocabulary.hpp"
#include "table/expressions.hpp"
#include "table/formula.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

bool is_column_word(const std::string& name) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  return !name.empty() && letters.find(name.front()) != std::string::npos &&
         name.find_first_not_of(letters + "0123456789") == std::string::npos;
}

}  // namespace

DerivedColumn make_derived(const std::string& column, const std::string& formula,
                           const std::string& where) {
  if (!is_column_word(column))
    throw UsageError(where + ": the name of a derived column is made of letters, digits and '_'");
  DerivedColumn out{column, formula, Formula::names_in(formula, where)};
  if (!Formula::parsed(formula, where).texts.empty())
    throw UsageError(where +
                     ": texts cannot be used, only columns of numbers; a name that is no "
                     "word stands in backquotes: `Memory (GiB)`");
  if (contains(out.of, column))
    throw UsageError(fmt::format("{}: '{}' cannot be computed from itself", where, column));
  if (out.of.empty())
    throw UsageError(where + ": the formula uses no column");
  return out;
}

DerivedColumn parse_derived(const std::string& text) {
  const std::string where = fmt::format("--derive {}", quoted_formula(text));
  const auto equals = std::min(text.find('='), text.size());
  const std::string column(trimmed(text.substr(0, equals), " \t"));
  const std::string formula(trimmed(text.substr(std::min(equals + 1, text.size())), " \t"));
  if (formula.empty())
    throw UsageError(where + ": expected NAME=FORMULA, such as 'flops = filters * kernel_size^2'");
  return make_derived(column, formula, where);
}

Table derive_as_requested(const Table& table, const std::vector<DerivedColumn>& derived) {
  Table names = table;
  for (const DerivedColumn& item : derived) {
    const std::string where = fmt::format("--derive {}: ", quoted_formula(item.definition()));
    if (names.find(item.column) != nullptr)
      throw UsageError(fmt::format("{}{} already has a column '{}'; choose another name", where,
                                   table.source, item.column));
    refuse_unknown(names, item.formula, where);
    names.columns.emplace_back();
    names.columns.back().name = item.column;
  }
  return with_derived_columns(table, derived);
}

namespace {

std::string singular(std::string word) {
  if (word == "batches")
    return "batch";
  if (word.size() > 2 && word.ends_with('s') && !word.ends_with("ss"))
    word.pop_back();
  return word;
}

/// The noun and the unit of time of a rate: {"sample", "s"} of "samples_per_s".
std::pair<std::string, std::string> thing_and_unit(std::string_view name) {
  const std::vector<std::string> words = name_words(name);
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (const std::string unit = unit_of_time(words[i + 1], true);
        words[i] == "per" && !unit.empty())
      return {i == 0 ? "" : singular(words[i - 1]), unit};
  return {};
}

/// The work of an iteration as a formula, inferred from the names of columns; empty if they do not
/// suffice.
std::string work_of_iteration(const Throughput& throughput, const Table& table) {
  std::string total;
  std::string each;
  std::pair<double, std::string> workers;  // the largest column: GPUs rather than nodes
  for (const Column& column : table.columns) {
    const std::string& name = column.name;
    if (is_batch_name(name))
      (is_per_something_name(name) ? each : total) = name;
    else if (is_worker_count_name(name) && column.is_numeric())
      workers = std::max(workers, {std::ranges::max(column.numbers), name});
  }
  if (is_rate_of_one_worker_name(throughput.column))
    return each;
  return total.empty() && !each.empty() && workers.first > 0
             ? fmt::format("{} * {}", formula_name(each), formula_name(workers.second))
             : total;
}

}  // namespace

bool names_throughput(std::string_view name) {
  if (has_kind(name, "price cost") || (has_time_unit(name) && has_kind(name, "time")))
    return false;
  if (!thing_and_unit(name).second.empty())
    return true;
  constexpr WordList rates{
      "throughput tput qps rps tps fps ips iops gflops "
      "tflops mflops bandwidth bw gbps mbps gbs "
      "mbs busbw algbw"};
  return !names_time(name) && !has_time_unit(name) && rates.has_one_of(name_words(name));
}

std::optional<std::string> warning_of_throughput(const std::string& target) {
  return warning_of_throughput(target, {});
}

std::optional<std::string> warning_of_throughput(const std::string& target,
                                                 const RoleOptions& options) {
  if (!names_throughput(target))
    return std::nullopt;
  return fmt::format(
      "column '{}' has the name of a throughput, but is taken "
      "as a time; pass {} instead of "
      "--target "
      "{} if it is one",
      target, options.throughput(target), shell_word(target));
}

ThroughputTime time_of(const Throughput& throughput, const Table& table) {
  const auto [thing, unit] = thing_and_unit(throughput.column);
  ThroughputTime time{"time_per_" + (throughput.work.empty() ? thing.empty() ? "unit" : thing
                                                             : std::string("iteration")),
                      unit};
  while (table.find(time.column) != nullptr)
    time.column += "_computed";
  return time;
}

Table with_time_of(const Table& table, const Throughput& throughput, const std::string& target) {
  return with_computed_time(table, throughput, target, remedy_of_measured);
}

std::optional<std::string> warning_of_work(const Throughput& throughput, const Table& table) {
  const std::string better = work_of_iteration(throughput, table);
  const std::string work = name_as_written(throughput.work);
  if (!is_work_per_worker_name(work) || better.empty() || better == work)
    return std::nullopt;
  return fmt::format(
      "--work {} is per worker by its name, but '{}' counts the "
      "work of all workers; pass --work "
      "{} if it does, too",
      shell_word(throughput.work), throughput.column, shell_word(better));
}

std::string words_for(const Throughput& throughput, const ThroughputTime& time,
                      const Table& table) {
  const std::string thing = time.column.substr(std::string("time_per_").size());
  const bool is_one_word = throughput.work.find_first_of("+-*/^?<>=&|() ") == std::string::npos;
  const std::string work = throughput.work.empty() ? "1"
                           : is_one_word           ? throughput.work
                                                   : fmt::format("({})", throughput.work);
  std::string out =
      fmt::format("The measured time '{}' is {} / {}, the time of one {}{}{}.", time.column, work,
                  throughput.column, thing, time.unit.empty() ? "" : " in ", time.unit);
  const std::string better = work_of_iteration(throughput, table);
  if (throughput.work.empty() && !better.empty())
    out += fmt::format(" For the time of an iteration, say what it works on: --work {}.",
                       shell_word(better));
  return out;
}

namespace {

/// The independent column that changes with a scale, with its power in the scale.
std::optional<Factor> moved_origin(const std::vector<Factor>& origins, const ModelSpec& spec) {
  std::optional<Factor> found;
  for (const Factor& origin : origins) {
    // A root of the scale would not give integers.
    if (std::abs(origin.power) != 1)
      continue;
    if (!place_of_input(spec.extrinsic, origin.column))
      return origin;
    if (!found)
      found = origin;
  }
  return found;
}

/// The columns that follow in steps from independent columns that change with a scale.
std::vector<Tie> steps_beside(const std::vector<ColumnProduct>& products, const ModelSpec& spec,
                              std::vector<ColumnPart> parts) {
  for (const ColumnProduct& product : products)
    std::erase_if(parts,
                  [&](const ColumnPart& part) { return part.column->name == product.column; });
  const MovingColumns moving(products);
  for (const NumericInput& scale : spec.extrinsic)
    for (const Factor& origin : moving.origins(scale.column))
      for (ColumnPart& part : parts)
        if (part.column->name == origin.column)
          part.part = Part::extrinsic;
  return find_steps(parts);
}

/// Columns of equal growth differ by less than this in ln; one run in kRowsPerStray may stray, of
/// kRowsOfOneStray runs or more one.
constexpr double kEqualGrowth = 0.02;
constexpr std::size_t kRowsPerStray = 20;
constexpr std::size_t kRowsOfOneStray = 8;
constexpr std::size_t kFewestScales = 3;

bool is_positive(const Column& column) {
  return column.is_numeric() && std::ranges::all_of(
                                    column.numbers, [](double x) { return x > 0; });
}

/// True if a column is the scale to this power times a constant in all runs but for a few strays;
/// both by their logarithms.
bool grows_with(const std::vector<double>& scale, const std::vector<double>& column, int power) {
  std::vector<double> ratios;
  for (std::size_t row = 0; row < scale.size(); ++row)
    ratios.push_back(column[row] - power * scale[row]);
  const double middle = median(ratios);
  const auto strays = static_cast<std::size_t>(std::ranges::count_if(
      ratios, [&](double ratio) { return std::abs(ratio - middle) > kEqualGrowth; }));
  return strays <= std::max<std::size_t>(ratios.size() / kRowsPerStray,
                                         ratios.size() >= kRowsOfOneStray ? 1 : 0);
}

}  // namespace

std::vector<Tie> grown_together(const Table& table, const ModelSpec& spec) {
  std::map<std::string, std::vector<double>> logarithms;  // of independent positive columns
  for (std::size_t n = 0; n < numeric_count(spec); ++n)
    if (const std::string& column = numeric_input(spec, n).column;
        !spec.follows(column) && is_positive(table.at(column)))
      logarithms[column] = mapped(table.at(column).numbers, [](double x) { return std::log(x); });
  std::vector<Tie> out;
  for (const NumericInput& scale : spec.extrinsic) {
    if (!logarithms.contains(scale.column) ||
        sorted_unique(logarithms[scale.column]).size() < kFewestScales)
      continue;
    for (std::size_t n = 0; n < numeric_count(spec); ++n)
      for (const int power : {1, -1})
        if (const std::string& column = numeric_input(spec, n).column;
            column != scale.column && logarithms.contains(column) &&
            grows_with(logarithms[scale.column], logarithms[column], power))
          out.push_back({scale.column, column, power});
  }
  return out;
}

std::vector<Tie> ties_of(const Table& table, const ModelSpec& spec) {
  const std::vector<ColumnPart> parts = numeric_parts(table, spec);
  const std::vector<ColumnProduct> products =
      mapped(find_identities(parts), [](const LeftOut& identity) {
        return ColumnProduct{identity.column, identity.factors};
      });
  const MovingColumns moving(products);
  const std::vector<Tie> steps = steps_beside(products, spec, parts);
  std::vector<Tie> ties;
  for (const NumericInput& input : spec.extrinsic) {
    const std::string& scale = input.column;
    const auto origin = moved_origin(moving.origins(scale), spec);
    if (spec.is_derived(scale) || !origin)
      continue;
    for (const ColumnPart& part : parts) {
      const std::string& column = part.column->name;
      const int power = origin->power * moving.power(column, origin->column);
      if (power != 0 && column != scale)
        ties.push_back({scale, column, power});
    }
  }
  const auto is_known = [&](const Tie& tie) {
    return std::ranges::any_of(ties, [&](const Tie& known) {
      return known.scale == tie.scale && known.column == tie.column;
    });
  };
  const std::vector<std::string> in_steps = mapped(steps, &Tie::column);
  for (const Tie& tie : grown_together(table, spec))
    if (!is_known(tie) && !contains(in_steps, tie.column) && !contains(in_steps, tie.scale))
      ties.push_back(tie);
  const std::vector<Tie> exact = ties;
  for (const Tie& step : steps)
    for (const Factor& factor : step.factors) {
      const auto add = [&](const std::string& scale, int power) {
        Tie& tie = ties.emplace_back(step);
        tie.scale = scale;
        tie.power = power;
      };
      add(factor.column, factor.power);
      for (const Tie& tie : exact)
        if (tie.column == factor.column)
          add(tie.scale, factor.power * tie.power);
    }
  return ties;
}

ModelSpec make_spec(const Table& table, const Roles& roles,
                    std::span<const std::size_t> training_rows) {
  ModelSpec spec = plain_spec(table, roles, training_rows);
  spec.ties = ties_of(table, spec);
  return spec;
}

namespace {

bool may_be_total(const std::string& name) {
  return (is_total_name(name) || is_batch_name(name)) && !is_per_something_name(name) &&
         !is_worker_count_name(name);
}

/// Without differences smaller than those of a float, which are rounding.
std::vector<double> rounded(const std::vector<double>& values) {
  return mapped(
      values, [](double value) { return static_cast<double>(static_cast<float>(value)); });
}

std::size_t different(const std::vector<double>& values) {
  return sorted_unique(rounded(values)).size();
}

std::vector<const Column*> positive_inputs(const Table& table, const Roles& roles) {
  std::vector<const Column*> out;
  for (const auto* names : {&roles.intrinsic, &roles.extrinsic})
    for (const std::string& name : *names)
      if (is_positive(table.at(name)))
        out.push_back(&table.at(name));
  std::ranges::sort(out, [](const Column* a, const Column* b) { return a->name < b->name; });
  return out;
}

DerivedColumn derived_of(const TotalPerWorker& found) {
  return make_derived(found.column(), found.total + " / " + found.workers, "");
}

bool has_names_for_formula(const TotalPerWorker& found) {
  try {
    const std::vector<std::string> names = derived_of(found).of;
    return std::set(names.begin(), names.end()) == std::set{found.total, found.workers};
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace

std::optional<TotalPerWorker> find_total_per_worker(const Table& table, const Roles& roles) {
  const std::vector<const Column*> inputs = positive_inputs(table, roles);
  std::optional<TotalPerWorker> out;
  for (const Column* total : inputs) {
    for (const Column* workers : inputs) {
      if (!may_be_total(total->name) || !is_worker_count_name(workers->name) ||
          !total->formula.empty() || !workers->formula.empty())
        continue;
      std::vector<double> each;
      std::ranges::transform(total->numbers, workers->numbers, std::back_inserter(each),
                             std::divides());
      const TotalPerWorker found{total->name, workers->name, different(total->numbers),
                                 different(each)};
      const bool is_input = std::ranges::any_of(
          inputs, [&](const Column* input) { return rounded(input->numbers) == rounded(each); });
      if (3 * found.per_worker <= 2 * found.values && !is_input &&
          table.find(found.column()) == nullptr && has_names_for_formula(found) &&
          (!out || found.per_worker < out->per_worker))
        out = found;
    }
  }
  return out;
}

void count_total_per_worker(Table& table, Roles& roles) {
  const auto found = find_total_per_worker(table, roles);
  if (!found)
    return;
  roles.derived.push_back(derived_of(*found));
  table = with_derived_columns(table, roles.derived);
  for (auto* names : {&roles.intrinsic, &roles.extrinsic})
    std::replace(names->begin(), names->end(), found->total, found->column());
  roles.notices.push_back(
      fmt::format("Column '{}' counts per '{}', as it was set: {} different values in "
                  "place of {}. "
                  "--keep-totals leaves it as it is.",
                  found->total, found->workers, found->per_worker, found->values));
}

}  // namespace perfmodel
