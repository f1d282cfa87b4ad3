#include "roles/left_out.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "roles/vocabulary.hpp"

namespace perfmodel {
namespace {

using Parts = std::vector<ColumnPart>;

/// Excludes a column if another input remains. Returns true if it did.
bool take_out(Parts& parts, const std::string& column) {
  ColumnPart* found = nullptr;
  std::size_t others = 0;
  for (ColumnPart& part : parts)
    if (part.column->name == column)
      found = &part;
    else if (part.is_input())
      ++others;
  if (others == 0)
    return false;
  found->part = Part::left_out;
  return true;
}

/// Longer lists of names are not printed.
constexpr std::size_t kMostNamesToPaste = 8;

/// The flags that name the current inputs and these columns.
std::string flags_to_keep(const std::vector<std::string>& columns, const Parts& parts) {
  std::vector<std::string> numbers = columns;
  std::vector<std::string> levels;
  for (const ColumnPart& part : parts)
    if (part.is_levels())
      levels.push_back(part.column->name);
    else if (part.part == Part::intrinsic)
      numbers.push_back(part.column->name);
  const bool one = columns.size() == 1;
  if (numbers.size() + levels.size() > kMostNamesToPaste)
    return fmt::format("name {} in --intrinsic, with the other inputs, to keep it",
                       one ? "it" : "one");
  return fmt::format(
      "pass --intrinsic {}{}{} to keep {}", shell_word(joined(numbers, ",")),
      levels.empty() ? "" : " ",
      levels.empty() ? std::string() : "--categorical " + shell_word(joined(levels, ",")),
      one ? "it" : "them");
}

std::vector<std::string> names_of_reason(const std::vector<LeftOut>& left_out,
                                         LeftOut::Because because) {
  std::vector<std::string> names;
  for (const LeftOut& item : left_out)
    if (item.because == because)
      names.push_back(item.column);
  return names;
}

/// Why a column is no input by the evidence; texts of which each row has its own are no results.
LeftOut::Because reason_of(const Guess& guess, std::size_t i, const Column& column) {
  using enum LeftOut::Because;
  const RoleOdds& odds = guess.found.odds[i];
  return odds.result >= odds.label && !names_the_rows(column) ? result
         : guess.found.evidence[i].contains("n any:repeat")   ? repetition
                                                              : label;
}

/// Columns that are results or labels rather than inputs, by the evidence; labels are taken out
/// last, since the last column that is left is no result.
std::vector<LeftOut> by_evidence(const Guess& guess, const Parts& parts) {
  const auto target = std::ranges::find(parts, Part::target, &ColumnPart::part);
  std::vector<const ColumnPart*> factors;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].is_number() && guess.is_taken(i))
      factors.push_back(&parts[i]);
  std::vector<LeftOut> out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ColumnPart& part = parts[i];
    // Numbers that cannot be read are no labels: their cells are refused.
    if (!part.is_input() || guess.told[i] == Told::input ||
        (!part.column->is_numeric() && holds_numbers_as_written(*part.column) &&
         !guess.found.evidence[i].contains("c mark")))
      continue;
    const bool may_follow = !guess.is_taken(i) || looks_measured(*part.column);
    const auto law = may_follow && part.is_number() && target != parts.end()
                         ? law_with_target(part, *target, factors)
                         : std::nullopt;
    if (law)
      out.push_back({part.column->name, LeftOut::Because::result, *law});
    else if (std::string sum = guess.is_taken(i) ? "" : law_of_sum(part, factors); !sum.empty())
      out.push_back({part.column->name, LeftOut::Because::identity, std::move(sum), {}});
    else if (!guess.is_taken(i))
      out.push_back({part.column->name, reason_of(guess, i, *part.column), {}});
  }
  std::ranges::stable_sort(
      out, {}, [](const LeftOut& item) { return item.because != LeftOut::Because::result; });
  return out;
}

/// Names of rows, each of which would get a constant of its own.
std::vector<LeftOut> names_of_rows(const Parts& parts) {
  std::vector<LeftOut> out;
  for (const ColumnPart& part : parts)
    if (part.is_input() && !part.by_flag && names_the_rows(*part.column) && !part.facts.mixed() &&
        !is_scale_name(part.column->name) && !holds_numbers_as_written(*part.column))
      out.push_back({part.column->name, LeftOut::Because::label, {}});
  return out;
}

/// Columns that lack a number, or a text, in more rows than those in which it may be a mistake, and
/// columns of numbers below 0, of which there are no powers.
std::vector<LeftOut> incomplete_columns(const Parts& parts, std::size_t rows) {
  std::vector<LeftOut> out;
  for (const ColumnPart& part : parts) {
    if (!part.is_input() || part.by_flag)
      continue;
    const Column& column = *part.column;
    const auto negative =
        to_size(std::ranges::count_if(column.numbers, [](double x) { return x < 0; }));
    const std::size_t missing = missing_cells(column);
    LeftOut left_out{column.name, LeftOut::Because::incomplete, {}};
    if (is_gap(missing, rows))
      left_out.value = fmt::format("has no value in {} of {} rows", missing, rows);
    else if (part.part == Part::intrinsic && is_gap(negative, rows))
      left_out.value = fmt::format("is below 0 in {} of {} rows", negative, rows);
    if (!left_out.value.empty())
      out.push_back(std::move(left_out));
  }
  return out;
}

/// True if no level of a text column has both rows in which `column` has no value and others.
bool tells_gaps(const Column& levels, const Column& column) {
  std::vector<std::optional<bool>> missing(levels.levels.size());
  for (std::size_t row = 0; row < levels.codes.size(); ++row) {
    const bool here = is_missing(column.text(row));
    if (missing[levels.codes[row]].value_or(here) != here)
      return false;
    missing[levels.codes[row]] = here;
  }
  return true;
}

/// The target, or the likeliest of those that may be it. Where nothing that varies can be, what has
/// the name of a time or a rate: its cells are to be reported.
std::vector<std::size_t> targets_of(const Sample& sample, const Guess& guess,
                                    const Weights& weights) {
  constexpr double margin = 2;  // by which the first is likelier than the second
  std::vector<std::size_t> out = best_targets(sample, guess.found);
  const auto odds = [&](std::size_t place) { return guess.found.as_target[out[place]]; };
  if (!out.empty() && odds(0) >= weights.target_threshold() &&
      (out.size() == 1 || odds(0) >= margin * odds(1)))
    out.resize(1);
  if (out.empty() && !contains(guess.told, Told::target))
    for (std::size_t i = 0; i < guess.told.size(); ++i)
      if (const std::string& name = sample.columns[i].name();
          guess.told[i] == Told::nothing && (names_time(name) || names_throughput(name)))
        out.push_back(i);
  return out;
}

}  // namespace

Guess guess_of(const Table& table, const Parts& parts, const RoleRequest& request) {
  Guess out;
  for (const ColumnPart& part : parts)
    out.told.push_back(part.part == Part::target                       ? Told::target
                       : part.part == Part::ignored                    ? Told::ignored
                       : part.by_flag || !part.column->formula.empty() ? Told::input
                       : contains(request.results, part.column->name)  ? Told::result
                       : contains(request.facts, part.column->name)    ? Told::input
                                                                       : Told::nothing);
  const Sample sample = sample_of(table);
  const Weights& weights = learnt_weights();
  out.found = classify(sample, out.told, weights);
  out.taken.resize(parts.size());
  for (const std::size_t i : taken_inputs(sample, out.found, out.told, weights))
    out.taken[i] = true;
  out.targets = targets_of(sample, out, weights);
  return out;
}

std::vector<LeftOut> leave_out_no_inputs(const Table& table, const Guess& guess, Parts& parts) {
  std::vector<LeftOut> left_out;
  const auto take_out_all = [&](const std::vector<LeftOut>& found) {
    for (const LeftOut& item : found)
      if (take_out(parts, item.column))
        left_out.push_back(item);
  };
  // Each rule sees the inputs that the earlier ones have left.
  take_out_all(by_evidence(guess, parts));
  take_out_all(names_of_rows(parts));
  take_out_all(incomplete_columns(parts, table.rows()));
  take_out_all(find_identities(parts));
  return left_out;
}

std::string words_for(const LeftOut& left_out) {
  switch (left_out.because) {
    case LeftOut::Because::repetition:
      return "numbers repetitions";
    case LeftOut::Because::label:
      return "names runs rather than configurations";
    case LeftOut::Because::result:
      return left_out.identity.empty()
                 ? "looks like a result of the runs"
                 : fmt::format("is {}, up to a factor, in every row", left_out.identity);
    case LeftOut::Because::identity:
      return fmt::format("is {} in every row", left_out.identity);
    case LeftOut::Because::constant:
      return left_out.value.empty() ? "is blank in every row"
                                    : fmt::format("has the value {} in every row", left_out.value);
    case LeftOut::Because::incomplete:
      return left_out.value.empty() ? "is incomplete" : left_out.value;
  }
  return "";
}

std::string columns_named(std::span<const std::string> names) {
  return fmt::format("Column{} {}", names.size() == 1 ? "" : "s", quoted_list(names));
}

std::string models_without_gaps(const Column& column, const Table& table) {
  const Column* by = nullptr;
  if (missing_cells(column) == 0)
    return "";
  for (const Column& levels : table.columns)
    if (&levels != &column && !levels.is_numeric() && 2 * levels.levels.size() <= table.rows() &&
        (by == nullptr || levels.levels.size() < by->levels.size()) && tells_gaps(levels, column))
      by = &levels;
  return by == nullptr
             ? ""
             : fmt::format("fit a model per '{}': --by {}", by->name, shell_word(by->name));
}

std::vector<std::string> left_out_notices(const std::vector<LeftOut>& left_out, const Parts& parts,
                                          const Table& table) {
  std::vector<std::string> notices;
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::repetition)
      notices.push_back(
          fmt::format("Column '{}' {} and is left out: rows that differ in it alone are runs of "
                      "one configuration; pass --categorical {} to keep it.",
                      item.column, words_for(item), shell_word(item.column)));
  const std::vector<std::string> labels = names_of_reason(left_out, LeftOut::Because::label);
  if (!labels.empty()) {
    const bool one = labels.size() == 1;
    notices.push_back(fmt::format(
        "{} {} runs rather than configurations and {} left out; pass --categorical {} to keep {}.",
        columns_named(labels), one ? "names" : "name", one ? "is" : "are",
        shell_word(joined(labels, ",")), one ? "it" : "them"));
  }
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::result && !item.identity.empty())
      notices.push_back(fmt::format("Column '{}' {}.", item.column, words_for(item)));
  const std::vector<std::string> results = names_of_reason(left_out, LeftOut::Because::result);
  if (!results.empty()) {
    const bool one = results.size() == 1;
    notices.push_back(
        fmt::format("{} {}; {}.", columns_named(results),
                    one ? "looks like a result of the runs, not an input, and is left out"
                        : "look like results of the runs, not inputs, and are left out",
                    flags_to_keep(results, parts)));
  }
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::incomplete) {
      const std::string by = models_without_gaps(table.at(item.column), table);
      notices.push_back(fmt::format(
          "Column '{}' {} and is left out; {}{}{}.", item.column, words_for(item),
          missing_cells(table.at(item.column)) > 0
              ? std::string("fill it to keep it")
              : fmt::format("--categorical {} takes its values as levels", shell_word(item.column)),
          by.empty() ? "" : ", or ", by));
    }
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::identity)
      notices.push_back(fmt::format(
          "Column '{}' {} and is left out; name it in --intrinsic or --extrinsic to keep it.",
          item.column, words_for(item)));
  return notices;
}

}  // namespace perfmodel
