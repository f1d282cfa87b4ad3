#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "data/column_numbers.hpp"
#include "model/columns/column_parts.hpp"
#include "model/columns/facts/name_words.hpp"
#include "model/columns/facts/well_known_names.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Parts = std::vector<ColumnPart>;

bool has(const Parts& parts, Part part) {
  return std::any_of(
      parts.begin(), parts.end(),
      [&](const ColumnPart& candidate) { return candidate.part == part; });
}

std::vector<ColumnPart*> time_candidates(Parts& parts) {
  std::vector<ColumnPart*> named;
  std::vector<ColumnPart*> with_numbers;
  for (ColumnPart& part : parts) {
    if (part.part == Part::open && is_time_name(part.column->name)) {
      named.push_back(&part);
      if (part.facts.numbers > 0)
        with_numbers.push_back(&part);
    }
  }
  // A column of decimal commas holds no number at all; it is still the time, and its cells get
  // named.
  return with_numbers.empty() ? named : with_numbers;
}

/// A derived column is never measured.
bool could_be_time_by_unit(const ColumnPart& part) {
  return part.part == Part::open && part.column->formula.empty() &&
         has_time_unit(part.column->name) && part.facts.mostly_numbers() && !part.facts.constant;
}

/// Columns that could be a time by the unit in their name.
std::vector<ColumnPart*> columns_with_time_unit(Parts& parts) {
  std::vector<ColumnPart*> out;
  for (ColumnPart& part : parts)
    if (could_be_time_by_unit(part) && part.facts.all_positive)
      out.push_back(&part);
  return out;
}

bool is_mostly_positive(const Column& column) {
  const std::vector<double> numbers = numbers_of(column);  // failures can make it one of texts
  const auto positive =
      std::count_if(numbers.begin(), numbers.end(), [](double x) { return x > 0; });
  return 2 * static_cast<std::size_t>(positive) > numbers.size();
}

/// The same where runs may have failed: a 0 is then no reason against a column.
std::vector<ColumnPart*> columns_with_time_unit_beside_failures(Parts& parts) {
  std::vector<ColumnPart*> out = columns_with_time_unit(parts);
  if (out.empty())
    for (ColumnPart& part : parts)
      if (could_be_time_by_unit(part) && is_mostly_positive(*part.column))
        out.push_back(&part);
  return out;
}

/// A column of texts or of only 0 and 1 is no scale, whatever its name.
bool is_scale(const ColumnPart& part) {
  return part.part == Part::open && is_scale_name(part.column->name) &&
         part.facts.mostly_numbers() && !part.facts.zero_one;
}

/// A column to put into the flags of the advice where no name tells: any that could play the part.
std::optional<std::string> example_time(const Parts& parts) {
  std::optional<std::string> example;  // the last one: results tend to stand behind settings
  for (const ColumnPart& part : parts)
    if (part.part == Part::open && part.facts.mostly_numbers() && part.facts.all_positive &&
        !part.facts.constant && !is_scale_name(part.column->name))
      example = part.column->name;
  for (const ColumnPart& part : parts)
    if (could_be_time_by_unit(part) && is_mostly_positive(*part.column))
      example = part.column->name;
  return example;
}

/// "num_tokens" rather than "n_head".
bool speaks_of_work(const std::string& name) {
  constexpr std::array<std::string_view, 6> words = {"tokens",   "sequences", "samples",
                                                     "requests", "parallel",  "world"};
  const std::vector<std::string> own = name_words(name);
  return std::find_first_of(own.begin(), own.end(), words.begin(), words.end()) != own.end();
}

/// Columns of whole numbers > 0, as scales are; those whose names speak of work first, and among
/// them those with the fewest different values, since a scale is set to a few.
std::vector<std::string> possible_scales(const Parts& parts, const std::string& time) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const ColumnPart& part : parts) {
    const Column& column = *part.column;
    if (part.part != Part::open || !column.is_numeric() || part.facts.texts > 0 ||
        !part.facts.all_positive || part.facts.constant || column.name == time ||
        has_time_unit(column.name) ||
        std::any_of(column.numbers.begin(), column.numbers.end(),
                    [](double x) { return x != std::floor(x); }))
      continue;
    const std::set<double> values(column.numbers.begin(), column.numbers.end());
    found.emplace_back(values.size(), column.name);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return std::pair(!speaks_of_work(a.second), a.first) <
           std::pair(!speaks_of_work(b.second), b.first);
  });
  std::vector<std::string> names;
  for (auto& [values, name] : found)
    names.push_back(std::move(name));
  return names;
}

/// What another flag than that of the time makes of columns with the name of one; nothing where
/// there is none. Those that are to be ignored are left alone: another column is meant.
std::string taken_times(const Parts& parts) {
  std::string out;
  for (const ColumnPart& part : parts)
    if (part.by_flag && part.is_input() && is_time_name(part.column->name))
      out += "'" + part.column->name +
             "' has the name of one, but is named as an input; leave it out there\n";
  return out;
}

/// What could not be inferred, and the flags that would settle it.
struct Doubts {
  std::string questions;  // whole lines
  Sentence flags;
  std::string time_example;
  std::vector<std::string> scales;  // columns that could be one

  void about_time(const Table& table, const Parts& parts, const std::vector<ColumnPart*>& found) {
    if (found.empty()) {
      questions += table.source + ": cannot tell which column is the measured time\n";
      if (const std::string taken = taken_times(parts); !taken.empty()) {
        questions += taken;
        return;
      }
      for (const ColumnPart& part : parts) {
        if (part.part == Part::open && part.facts.mostly_numbers() &&
            names_throughput(part.column->name)) {
          time_example = part.column->name;
          flags += " " + Field{"throughput_target", {time_example}};
          return;
        }
      }
      time_example = example_time(parts).value_or("COLUMN");
      flags += " " + Field{"target", {time_example}};
      return;
    }
    std::vector<std::string> names;
    for (const ColumnPart* part : found)
      names.push_back(part->column->name);
    questions +=
        table.source + ": several columns could be the measured time: " + quoted_list(names) + "\n";
    time_example = names[0];
    flags += " " + Field{"target", {time_example}} + " " +
             Field{"ignore", {names.begin() + 1, names.end()}};
  }

  void about_scale(const Table& table, const Parts& parts) {
    questions +=
        table.source +
        ": cannot tell which columns are extrinsic (the scale: workers, batch size, ...)\n";
    scales = possible_scales(parts, time_example);
    flags += " " + Field{"extrinsic", {scales.empty() ? "none" : scales[0]}};
  }
};

}  // namespace

std::optional<std::string> measured_column(const Table& table, const RoleRequest& request) {
  const auto named =
      request.throughput ? std::optional(request.throughput->column) : request.target;
  if (named)
    return table.find(*named) == nullptr ? std::nullopt : named;
  Parts parts;
  for (const Column& column : table.columns) {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), column.name) != names.end();
    };
    if (!is_in(request.ignore) && !is_in(request.categorical) &&
        !is_in(request.extrinsic.value_or(std::vector<std::string>())) &&
        !is_in(request.intrinsic.value_or(std::vector<std::string>())))
      parts.push_back({.column = &column, .facts = facts_of(column)});
  }
  std::vector<ColumnPart*> candidates = time_candidates(parts);
  if (candidates.empty())
    candidates = request.drop_failed ? columns_with_time_unit_beside_failures(parts)
                                     : columns_with_time_unit(parts);
  return candidates.size() == 1 ? std::optional(candidates[0]->column->name) : std::nullopt;
}

void infer_target_and_extrinsic(const Table& table, const RoleRequest& request, bool needs_scale,
                                Parts& parts, std::vector<Sentence>& notices) {
  Doubts doubts;
  if (!request.target) {
    std::vector<ColumnPart*> candidates = time_candidates(parts);
    const bool by_unit = candidates.empty();
    if (by_unit)
      candidates = columns_with_time_unit(parts);
    if (candidates.size() == 1) {
      candidates[0]->part = Part::target;
      const std::string& name = candidates[0]->column->name;
      const bool tells_unit = has_bracketed_unit(name) && !request.time_unit;
      notices.push_back("Column '" + name + "' is taken as the measured time, by " +
                        (by_unit ? "the unit in its name" : "its name") +
                        (tells_unit ? "; all times are in " + unit_of(name) + "." : "."));
    } else {
      doubts.about_time(table, parts, candidates);
    }
  }
  if (!request.extrinsic) {
    for (ColumnPart& part : parts)
      if (is_scale(part))
        part.part = Part::extrinsic;
    if (has(parts, Part::extrinsic)) {
      const std::vector<std::string> names = names_of(parts, Part::extrinsic);
      notices.push_back((names.size() == 1 ? "Column " : "Columns ") + quoted_list(names) +
                        (names.size() == 1 ? " is taken as extrinsic, by its name."
                                           : " are taken as extrinsic, by their names."));
    } else if (!request.needs_scale) {
      notices.push_back("No column has the name of a scale (workers, batch size, ...), so all " +
                        Sentence("are inputs alike; ") + Field{"extrinsic"} + " names one.");
    } else {
      doubts.about_scale(table, parts);
    }
  }
  if (!doubts.questions.empty()) {
    const std::vector<std::string> names = table.names();
    throw InputError(doubts.questions + "its columns are " + quoted_list(names) +
                     (doubts.scales.size() > 1
                          ? "\nof whole numbers > 0 are " + quoted_list(doubts.scales)
                          : "") +
                     (doubts.flags.empty() ? Sentence() : "\npass, for example:" + doubts.flags) +
                     (doubts.scales.empty() || needs_scale
                          ? Sentence()
                          : "\nwhere no column is a scale, pass: " + Field{"extrinsic", {"none"}}));
  }
}

}  // namespace perfmodel
