#include "perfmodel/model/columns/throughput.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "data/column_numbers.hpp"
#include "data/formula.hpp"
#include "model/columns/cell_problems.hpp"
#include "model/columns/facts/name_words.hpp"
#include "model/columns/facts/well_known_names.hpp"
#include "model/columns/facts/work_names.hpp"
#include "model/columns/role_values.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/columns/derived.hpp"

namespace perfmodel {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kUnits = {{
    {"s", "s"},
    {"sec", "s"},
    {"secs", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"ms", "ms"},
    {"millisecond", "ms"},
    {"us", "us"},
    {"min", "min"},
    {"minute", "min"},
    {"minutes", "min"},
    {"h", "h"},
    {"hr", "h"},
    {"hour", "h"},
}};

std::string unit_of_word(std::string_view word) {
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(),
                                 [&](const auto& known) { return known.first == word; });
  return unit == kUnits.end() ? "" : std::string(unit->second);
}

std::string singular(std::string word) {
  if (word == "batches")
    return "batch";
  if (word.size() > 2 && word.ends_with('s') && !word.ends_with("ss"))
    word.pop_back();
  return word;
}

/// Of what there are so many, and per which time: {"sample", "s"} of "samples_per_s".
std::pair<std::string, std::string> thing_and_unit(std::string_view name) {
  const std::vector<std::string> words = name_words(name);
  for (const std::string& word : words) {  // "imgpersec"
    const auto per = word.rfind("per");
    if (per != word.npos && per > 0 && !unit_of_word(word.substr(per + 3)).empty())
      return {singular(word.substr(0, per)), unit_of_word(word.substr(per + 3))};
  }
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "per" && !unit_of_word(words[i + 1]).empty())
      return {i == 0 ? "" : singular(words[i - 1]), unit_of_word(words[i + 1])};
  return {};
}

/// A throughput, or work, as numbers > 0.
std::vector<double> rates_of(const Table& table, const Column& column, bool is_measured) {
  std::vector<double> rates = numbers_of(column);
  CellProblems problems(table);
  for (std::size_t row = 0; row < rates.size(); ++row)
    if (std::isnan(rates[row]))
      problems.add_not_a_number(row, column);
    else if (rates[row] <= 0)
      problems.add_too_small(row, column, false);
  if (!problems.empty() && is_measured)
    problems.set_remedy(column, remedy_of_measured("throughput", table, column));
  if (!problems.empty())
    throw InputError(problems.text());
  return rates;
}

/// The work of each row; the last column of `extended` has it.
std::vector<double> work_of(const Table& table, const Throughput& throughput) {
  if (throughput.work.empty())
    return std::vector<double>(table.rows(), 1.0);
  Table extended;
  const Column* work = table.find(throughput.work);
  if (work == nullptr) {
    const Sentence where = Field{"work"} + " " + quoted_formula(throughput.work);
    DerivedColumn derived{"work", throughput.work, Formula::names_in(throughput.work, where)};
    for (const std::string& name : derived.of)
      if (table.find(name) == nullptr)
        throw UsageError(where + ": " + table.no_column(name));
    while (table.find(derived.column) != nullptr)
      derived.column += '_';
    extended = with_derived_columns(table, {derived});
    work = &extended.columns.back();
  }
  return rates_of(extended.columns.empty() ? table : extended, *work, false);
}

/// What an iteration works on, by the names of columns; empty where these do not tell.
std::string work_of_iteration(const Throughput& throughput, const Table& table) {
  std::string total;
  std::string each;
  std::pair<double, std::string> workers;  // the column of most: GPUs rather than nodes
  for (const Column& column : table.columns) {
    const std::string& name = column.name;
    if (is_batch_name(name))
      (is_per_something_name(name) ? each : total) = name;
    else if (is_worker_count_name(name) && column.is_numeric())
      workers = std::max(workers, {std::ranges::max(column.numbers), name});
  }
  if (is_rate_of_one_worker_name(throughput.column))
    return each;
  return total.empty() && !each.empty() && workers.first > 0 ? each + " * " + workers.second
                                                             : total;
}

}  // namespace

bool names_throughput(std::string_view name) {
  if (!thing_and_unit(name).second.empty())
    return true;
  const std::vector<std::string> words = name_words(name);
  return !is_time_name(name) && !has_time_unit(name) &&
         std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return word == "throughput" || word == "tput";
         });
}

std::optional<Sentence> warning_of_throughput(const std::string& target) {
  if (!names_throughput(target))
    return std::nullopt;
  return "column '" + target + "' has the name of a throughput, but is taken as a time; pass " +
         Field{"throughput_target", {target}} + " instead of " + Field{"target", {target}} +
         " if it is one";
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
  const Column* rate = table.find(throughput.column);
  if (rate == nullptr && table.find(target) != nullptr)
    return table;
  const std::vector<double> rates = rates_of(table, table.at(throughput.column), true);
  const std::vector<double> work = work_of(table, throughput);
  Column time;
  time.name = target;
  for (std::size_t row = 0; row < rates.size(); ++row)
    time.numbers.push_back(work[row] / rates[row]);
  Table out = table;
  std::erase_if(out.columns, [&](const Column& column) { return column.name == target; });
  out.columns.push_back(std::move(time));
  return out;
}

std::optional<Sentence> warning_of_work(const Throughput& throughput, const Table& table) {
  const std::string better = work_of_iteration(throughput, table);
  if (!is_work_per_worker_name(throughput.work) || better.empty() || better == throughput.work)
    return std::nullopt;
  return Field{"work", {throughput.work}} + " is of one worker by its name, where '" +
         throughput.column + "' counts the work of all; pass " + Field{"work", {better}} +
         " if it does";
}

Sentence words_for(const Throughput& throughput, const ThroughputTime& time, const Table& table) {
  const std::string thing = time.column.substr(std::string("time_per_").size());
  const bool is_one_word = throughput.work.find_first_of("+-*/^?<>=&|() ") == std::string::npos;
  const std::string work = throughput.work.empty() ? "1"
                           : is_one_word           ? throughput.work
                                                   : "(" + throughput.work + ")";
  Sentence out = "The measured time '" + time.column + "' is " + work + " / " + throughput.column +
                 ", the time of one " + thing + (time.unit.empty() ? "" : " in " + time.unit) + ".";
  const std::string better = work_of_iteration(throughput, table);
  if (throughput.work.empty() && !better.empty())
    out += " For the time of an iteration, say what it works on: " + Field{"work", {better}} + ".";
  return out;
}

}  // namespace perfmodel
