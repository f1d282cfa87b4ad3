#include "roles/roles.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "columns/spec.hpp"
#include "roles/cut_runs.hpp"
#include "roles/left_out.hpp"
#include "roles/quantities.hpp"
#include "roles/unit_columns.hpp"
#include "roles/vocabulary.hpp"
#include "table/formula.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

/// Errors and findings of the engine name settings as the options of the command line.
[[maybe_unused]] const bool kSpelledAsOptions = (before_settings = "--", true);

using Parts = std::vector<ColumnPart>;

struct RoleField {
  std::string flag;
  Part part;
  std::vector<std::string> columns;
};

std::vector<RoleField> role_fields(const Table& table, const RoleRequest& request,
                                   const RoleOptions& options) {
  using Columns = std::vector<std::string>;
  // "none" excludes the role if no column has that name.
  const auto named = [&](const std::optional<Columns>& columns) {
    const bool none = columns == Columns{"none"} && table.find("none") == nullptr;
    return none ? Columns{} : columns.value_or(Columns{});
  };
  return {
      {"--target", Part::target, request.target ? Columns{*request.target} : Columns{}},
      {std::string(options.scale), Part::extrinsic, named(request.extrinsic)},
      {"--intrinsic", Part::intrinsic, named(request.intrinsic)},
      {"--categorical", Part::categorical, request.categorical},
      {"--ignore", Part::ignored, request.ignore},
  };
}

/// One entry per column of the table, in its order, with the roles that the request gives. Adds a
/// problem for unknown names and for a column that is named twice.
Parts parts_by_flags(const Table& table, const RoleRequest& request,
                     std::vector<std::string>& problems, const RoleOptions& options = {}) {
  Parts parts = mapped(table.columns, [](const Column& column) {
    return ColumnPart{.column = &column, .facts = {}};
  });
  const std::vector<std::string> known = table.names();
  std::map<std::string, std::string> named_in;
  for (const RoleField& role : role_fields(table, request, options)) {
    for (const std::string& name : role.columns) {
      const auto at = std::ranges::find(known, name);
      const auto [earlier, first] = named_in.emplace(name, role.flag);
      if (at == known.end()) {
        problems.push_back(fmt::format("{}: {}", role.flag, table.no_column(name)));
      } else if (!first) {
        problems.push_back(earlier->second == role.flag
                               ? fmt::format("{} names column '{}' twice", role.flag, name)
                               : fmt::format("column '{}' is named in both {} and {}", name,
                                             earlier->second, role.flag));
      } else {
        ColumnPart& part = parts[static_cast<std::size_t>(at - known.begin())];
        part.part = role.part;
        part.by_flag = true;
      }
    }
  }
  for (ColumnPart& part : parts)
    if (part.part != Part::ignored)
      part.facts = facts_of(*part.column);
  return parts;
}

std::vector<std::string> names_of(const Parts& parts, Part part) {
  std::vector<std::string> names;
  for (const ColumnPart& candidate : parts)
    if (candidate.part == part)
      names.push_back(candidate.column->name);
  return names;
}

/// The columns that could be what was measured.
struct Candidates {
  std::vector<ColumnPart*> columns;
  bool are_rates = false;
};

/// What was measured by the evidence of names and cells, or the likeliest of what it may be.
Candidates target_candidates(const Guess& guess, Parts& parts) {
  Candidates found;
  for (const std::size_t i : guess.targets)
    found.columns.push_back(&parts[i]);
  found.are_rates =
      !found.columns.empty() && std::ranges::all_of(found.columns, [](const ColumnPart* part) {
        return names_throughput(part->column->name);
      });
  return found;
}

/// True if several runs, a tenth of them or more, have none of something: no mistake, and no scale.
bool is_often_zero(const Column& column) {
  const auto zeros = static_cast<std::size_t>(std::ranges::count(column.numbers, 0.0));
  return zeros > 1 && 10 * zeros >= column.numbers.size();
}

/// True if the name is that of a scale, and the column is not one of texts, of only 0 and 1, or
/// often 0, as the workers that load data.
bool is_scale(const ColumnPart& part) {
  return part.part == Part::open && is_scale_name(part.column->name) &&
         part.facts.mostly_numbers() && !part.facts.zero_one && !is_often_zero(*part.column);
}

/// The only open column of numbers that is an input, if it can be a scale: its name then says
/// nothing that its values do not, and as `n` it is extrapolated as it is as `cores`.
ColumnPart* only_number(const Guess& guess, Parts& parts) {
  ColumnPart* out = nullptr;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].part != Part::open || !parts[i].facts.mostly_numbers() || parts[i].facts.mixed() ||
        parts[i].facts.constant || !guess.is_taken(i))
      continue;
    if (out != nullptr)
      return nullptr;
    out = &parts[i];
  }
  return out != nullptr && out->facts.all_positive && !out->facts.zero_one ? out : nullptr;
}

/// Columns of integers > 0, as scales are: first those whose names denote work ("num_tokens" rather
/// than "n_head"), and among them those with the fewest distinct values, since scales have few.
std::vector<std::string> possible_scales(const Guess& guess, const Parts& parts,
                                         const std::string& time) {
  constexpr WordList of_work{"tokens sequences samples requests parallel world"};
  std::map<std::pair<bool, std::size_t>, std::vector<std::string>> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Column& column = *parts[i].column;
    const ColumnFacts& facts = parts[i].facts;
    if (parts[i].part == Part::open && column.is_numeric() && facts.texts == 0 &&
        facts.all_positive && !facts.constant && column.name != time &&
        !has_time_unit(column.name) && guess.is_taken(i) && is_whole(column))
      found[{!of_work.has_one_of(name_words(column.name)), distinct_values(column)}].push_back(
          column.name);
  }
  std::vector<std::string> out;
  for (const auto& [rank, names] : found)
    out.insert(out.end(), names.begin(), names.end());
  return out;
}

/// Reports columns with the name of a time to which a flag gives another role; empty if there are
/// none. Ignored columns are not reported, since another column is then meant.
std::string taken_times(const Parts& parts) {
  std::string out;
  for (const ColumnPart& part : parts)
    if (part.by_flag && part.is_input() && names_time(part.column->name))
      out += fmt::format("'{}' has the name of one, but is named as an input; leave it out there\n",
                         part.column->name);
  return out;
}

/// The roles that could not be inferred, and the flags that would give them.
struct Doubts {
  std::string questions;  // whole lines
  std::string flags;
  std::string time_example;
  std::vector<std::string> scales;  // columns that could be a scale

  void about_target(const Table& table, const Parts& parts, const Candidates& found,
                    const RoleOptions& options) {
    if (found.columns.empty()) {
      const std::string taken = taken_times(parts);
      questions += fmt::format("{}: cannot infer which column is the measured time\n{}",
                               table.source, taken);
      time_example = "COLUMN";
      if (taken.empty())
        flags += " --target COLUMN";
      return;
    }
    const std::vector<std::string> names =
        mapped(found.columns, [](const ColumnPart* part) { return part->column->name; });
    if (names.size() > 1)
      questions += fmt::format("{}: several columns could be the measured {}: {}\n", table.source,
                               found.are_rates ? "throughput" : "time", quoted_list(names));
    else
      questions += fmt::format("{}: '{}' is a throughput, by its name\n", table.source, names[0]);
    time_example = names[0];
    for (std::size_t i = 0; i < names.size(); ++i)
      flags += (i == 0 ? " " : ", or ") + (names_throughput(names[i])
                                               ? options.throughput(names[i])
                                               : "--target " + shell_word(names[i]));
  }

  void about_scale(const Table& table, const Guess& guess, const Parts& parts,
                   const RoleOptions& options) {
    questions += fmt::format(
        "{}: cannot infer which columns are extrinsic (the scale: workers, batch size, ...)\n",
        table.source);
    scales = possible_scales(guess, parts, time_example);
    const std::string none = options.scale == "--column" ? "" : " --extrinsic none";
    flags += scales.empty() ? none : fmt::format(" {} {}", options.scale, shell_word(scales[0]));
  }
};

std::string notice_of_target(const Column& target, const RoleRequest& request) {
  const std::string& name = target.name;
  const bool tells_unit = has_bracketed_unit(name) && !request.time_unit && target.unit.empty();
  const bool is_by_unit = has_time_unit(name) ? name_words(name).front() != "time"
                                              : target.unit == "s" && !names_time(name);
  return fmt::format("Column '{}' is taken as {}{}{}.", name,
                     is_by_unit         ? "the measured time, by its unit"
                     : names_time(name) ? "the measured time, by its name"
                                        : fmt::format("what was measured; {}", kOtherTargets),
                     tells_unit ? "; all times are in " : "", tells_unit ? unit_of(name) : "");
}

/// Gives the target and the extrinsic columns that the request does not name: the target by the
/// evidence, scales by their names. Throws InputError, which suggests fields to set, if that does
/// not suffice. Adds to `notices`.
void infer_target_and_extrinsic(const Table& table, const RoleRequest& request,
                                const RoleOptions& options, const Guess& guess, Parts& parts,
                                std::vector<std::string>& notices) {
  Doubts doubts;
  if (!request.target) {
    const Candidates found = target_candidates(guess, parts);
    if (found.columns.size() == 1 && !found.are_rates) {
      found.columns[0]->part = Part::target;
      notices.push_back(notice_of_target(*found.columns[0]->column, request));
    } else {
      doubts.about_target(table, parts, found, options);
    }
  }
  if (!request.extrinsic) {
    for (ColumnPart& part : parts)
      if (is_scale(part))
        part.part = Part::extrinsic;
    if (const std::vector<std::string> names = names_of(parts, Part::extrinsic); !names.empty()) {
      notices.push_back(fmt::format("{} {}", columns_named(names),
                                    names.size() == 1 ? "is taken as extrinsic, by its name."
                                                      : "are taken as extrinsic, by their names."));
    } else if (request.formula) {
      // It has those inputs that it names, whether or not one is a scale.
    } else if (ColumnPart* const number = only_number(guess, parts)) {
      number->part = Part::extrinsic;
      notices.push_back(fmt::format("Column '{}' is taken as extrinsic, the only one of numbers.",
                                    number->column->name));
    } else if (!options.need_scale) {
      notices.push_back(
          std::string("No column has the name of a scale (workers, batch size, ...), so all are "
                      "inputs alike; --extrinsic names one."));
    } else {
      doubts.about_scale(table, guess, parts, options);
    }
  }
  if (!doubts.questions.empty()) {
    std::vector<std::string> lines = {
        fmt::format("{}its columns are {}", doubts.questions, quoted_list(table.names()))};
    if (doubts.scales.size() > 1)
      lines.push_back(fmt::format("of whole numbers > 0 are {}", quoted_list(doubts.scales)));
    if (!doubts.flags.empty())
      lines.push_back(fmt::format("pass, for example:{}", doubts.flags));
    throw InputError(joined(lines, "\n"));
  }
}

/// The problems that prevent a fit, in cells and in whole columns, with remedies.
struct Obstacles {
  explicit Obstacles(const Table& table) : cells(table) {}

  CellProblems cells;
  std::vector<std::string> columns;

  /// Throws InputError with all problems.
  void throw_if_any() const {
    std::vector<std::string> lines = columns;
    if (!cells.empty())
      lines.insert(lines.begin(), cells.text());
    if (!lines.empty())
      throw InputError(joined(lines, "\n"));
  }
};

std::string as_categorical(const ColumnPart& part) {
  return "--categorical " + shell_word(part.column->name);
}
std::string ignored(const ColumnPart& part) {
  return "--ignore " + shell_word(part.column->name);
}

/// ", such as "1,024" (runs.csv:3): write 1024 there", for the first such cell.
std::string written_number_in(const Table& table, const Column& column) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string cell = column.text(row);
    const auto plain = without_group_marks(cell);
    if (plain || has_size_letter(cell)) {
      return fmt::format(", such as \"{}\" ({}): write {} there", cell, table.where(row),
                         plain.value_or("all digits"));
    }
  }
  return "";
}

/// The number of rows in which a column of numbers is blank; 0 if it has other texts as well.
std::size_t blank_rows(const Table& table, const ColumnPart& part) {
  std::size_t blanks = 0;
  for (std::size_t row = 0; row < table.rows(); ++row)
    blanks += part.column->text(row).empty() ? 1U : 0U;
  return part.facts.numbers > 0 && blanks == part.facts.texts ? blanks : 0;
}

/// "pass --ignore batch, or fit a model per 'optimiser': --by optimiser".
std::string ways_around_blanks(const Table& table, const ColumnPart& part) {
  const std::string by = models_without_gaps(*part.column, table);
  return fmt::format("pass {}{}{}", ignored(part), by.empty() ? "" : ", or ", by);
}

/// Adds every cell that is no number, too small, or 0 in a target or a scale. Returns true if there
/// are none.
bool check_numbers(const ColumnPart& part, CellProblems& problems) {
  const std::vector<double> numbers = numbers_of(*part.column);
  bool all_well = true;
  for (std::size_t row = 0; row < numbers.size(); ++row)
    if (!problems.check(row, *part.column, numbers[row], part.part == Part::intrinsic))
      all_well = false;
  return all_well;
}

/// Adds every blank cell, which is not a level. Returns true if there are none.
bool check_levels(const Column& column, CellProblems& problems) {
  bool complete = true;
  const auto refuse_blank = [&](std::size_t row, const std::string& text) {
    if (text.empty()) {
      problems.add_not_a_number(row, column);
      complete = false;
    }
  };
  for (const BadCell& cell : column.bad_cells)
    refuse_blank(cell.row, cell.text);
  for (std::size_t row = 0; row < column.codes.size(); ++row)
    refuse_blank(row, column.levels[column.codes[row]]);
  return complete;
}

/// Rejects names of runs: they differ from row to row, and each would get a coefficient.
void refuse_row_names(const Table& table, const ColumnPart& part, bool is_only,
                      Obstacles& obstacles) {
  if (part.by_flag || !names_the_rows(*part.column))
    return;
  obstacles.columns.push_back(fmt::format(
      "{}: nearly every row has a '{}' of its own{}, or pass {} for a constant each", table.source,
      part.column->name,
      is_only
          ? ", and no other input varies, so there is nothing to model; add columns that say in "
            "what these differ"
          : "; pass " + ignored(part),
      as_categorical(part)));
}

/// Adds a problem for a mixed column that is neither numeric with mistakes nor categorical.
void refuse_mixed(const Table& table, const ColumnPart& part, Obstacles& obstacles) {
  const Column& column = *part.column;
  const std::size_t blanks = blank_rows(table, part);
  if (!column.unit.empty() && blanks == 0) {
    for (const BadCell& cell : column.bad_cells)
      obstacles.cells.add_not_a_number(cell.row, column);
    return obstacles.cells.set_remedy(
        column, fmt::format("correct this, or pass {} or {}", as_categorical(part), ignored(part)));
  }
  obstacles.columns.push_back(
      blanks > 0
          ? fmt::format("{}: column '{}' is blank in {} of {} rows; {}", table.source,
                        part.column->name, blanks, table.rows(), ways_around_blanks(table, part))
          : fmt::format(
                "{}: column '{}' mixes {} and {}{}; pass {} to take its values as levels, or {}",
                table.source, part.column->name, counted_noun(part.facts.numbers, "number"),
                counted_noun(part.facts.texts, "text"), written_number_in(table, *part.column),
                as_categorical(part), ignored(part)));
}

/// Checks every cell of the columns with a role: the target and scales must be > 0, other numbers
/// >= 0, and levels not blank and fewer than the rows.
void check_values(const Table& table, const Parts& parts, Obstacles& obstacles) {
  CellProblems& cells = obstacles.cells;
  std::set<std::string> texts;
  for (const ColumnPart& part : parts)
    if (part.is_levels())
      texts.insert(part.column->name);
  const auto inputs = std::ranges::count_if(parts, &ColumnPart::is_input);
  for (const ColumnPart& part : parts) {
    const Column& column = *part.column;
    if (part.part == Part::target || part.is_number())
      if (std::string doubt = doubt_of_units(table, column, texts); !doubt.empty())
        obstacles.columns.push_back(std::move(doubt));
    if (part.part == Part::target && !check_numbers(part, cells))
      cells.set_remedy(column, remedy_of_measured("time", table, column));
    const bool powered = part.part == Part::extrinsic || part.part == Part::intrinsic;
    if (powered && !check_numbers(part, cells))
      cells.set_remedy(
          column, blank_rows(table, part) > 0
                      ? fmt::format("fill this, or {}", ways_around_blanks(table, part))
                      : fmt::format("needed are numbers {} 0: correct this, or pass {} or {}",
                                    part.part == Part::intrinsic ? ">=" : ">", as_categorical(part),
                                    ignored(part)));
    if (part.part == Part::categorical) {
      if (!check_levels(column, cells))
        cells.set_remedy(column, fmt::format("fill this, or pass {}", ignored(part)));
      refuse_row_names(table, part, inputs == 1, obstacles);
    }
  }
}

using Notices = std::vector<std::string>;

/// With --intrinsic, the other open columns are ignored; without it, they are intrinsic.
void share_out_the_rest(const RoleRequest& request, Parts& parts, Notices& notices) {
  const std::vector<std::string> rest = names_of(parts, Part::open);
  for (ColumnPart& part : parts)
    if (part.part == Part::open)
      part.part = request.intrinsic ? Part::ignored : Part::intrinsic;
  if (request.intrinsic && !rest.empty())
    notices.push_back(fmt::format(
        "{} {}", columns_named(rest),
        rest.size() == 1 ? "is in no list and is ignored." : "are in no list and are ignored."));
}

/// Excludes constant columns, whose effect is not identifiable.
std::vector<LeftOut> drop_constants(Parts& parts, Notices& notices) {
  std::vector<LeftOut> dropped;
  for (ColumnPart& part : parts) {
    if (part.is_input() && part.facts.constant) {
      const std::string& name = part.column->name;
      // That of another night is no other configuration: "commit", "date".
      const bool is_label = !part.column->is_numeric() && has_kind(name, "id date");
      const auto because = is_label ? LeftOut::Because::label : LeftOut::Because::constant;
      part.part = Part::constant;
      dropped.push_back(
          {.column = name, .because = because, .identity = {}, .value = part.column->text(0)});
      notices.push_back(
          fmt::format("Column '{}' {} and is left out.", name, words_for(dropped.back())));
    }
  }
  return dropped;
}

/// True if numbers and texts of a column are names alike: "A100" beside "3090", or "none" beside
/// stages 1 to 3. In a column of numbers, texts that stand once or say that a value is missing are
/// mistakes.
bool are_names(const Table& table, const ColumnPart& part) {
  constexpr WordList failed{"failed fail error"};
  const Column& column = *part.column;
  if (!column.unit.empty() || is_scale_name(column.name) || has_time_unit(column.name))
    return false;
  std::map<std::string, std::size_t> cells;
  for (std::size_t row = 0; row < table.rows(); ++row)
    ++cells[column.text(row)];
  const bool few_texts = part.facts.mostly_numbers();
  for (const auto& [text, count] : cells)
    if (!parse_number(text) &&
        (is_missing(text) || failed.has(folded(text)) || without_group_marks(text) ||
         has_size_letter(text) || parse_quantity(text) || (few_texts && count < 2)))
      return false;
  constexpr std::size_t few = 10;
  return few_texts ? 2 * cells.size() <= table.rows()
                   : cells.size() < few || 10 * cells.size() <= 9 * table.rows();
}

/// Makes intrinsic columns of texts categorical, and those of only 0 and 1 unless a formula
/// computes with them.
void settle_levels(const Table& table, bool of_formula, Parts& parts, Notices& notices,
                   Obstacles& obstacles) {
  for (ColumnPart& part : parts) {
    if (part.part != Part::intrinsic)
      continue;
    if (part.facts.zero_one && !of_formula) {
      part.part = Part::categorical;
      notices.push_back(fmt::format("Column '{}' holds only 0 and 1 and is taken as categorical.",
                                    part.column->name));
    } else if (!part.by_flag && !part.column->is_numeric() && !part.facts.mixed()) {
      part.part = Part::categorical;
    } else if (!part.by_flag && part.facts.mixed() && are_names(table, part)) {
      part.part = Part::categorical;
      notices.push_back(
          fmt::format("Column '{}' has names besides numbers and is taken as "
                      "categorical.",
                      part.column->name));
    } else if (!part.by_flag && part.facts.mixed() && !part.facts.mostly_numbers()) {
      part.part = Part::ignored;  // its cells need no further check
      refuse_mixed(table, part, obstacles);
    }
  }
}

constexpr const char* kCompareFiles =
    "to compare two files: perfmodel diff OLD NEW; to fit them, write them as one with a column "
    "that says of which each run is: perfmodel import FILES --file-column version -o runs.csv";

/// A model needs an input.
void require_input(const Table& table, const Roles& roles, Obstacles& obstacles) {
  if (roles.intrinsic.empty() && roles.categorical.empty() && roles.extrinsic.empty() &&
      obstacles.columns.empty())
    obstacles.columns.push_back(fmt::format(
        "{}: no column {}, so there is nothing to model; {}", table.source,
        roles.ignored.empty() ? "but the time varies" : "that varies is left but the time",
        table.sources.size() > 1 ? kCompareFiles : "add columns that say in what the runs differ"));
}

/// Derived columns must not use the time, which is unknown in a prediction.
void check_derived(const RoleRequest& request, const Roles& roles) {
  for (const DerivedColumn& item : request.derived) {
    const std::string where = fmt::format("--derive {}", quoted_formula(item.definition()));
    if (item.column == roles.target)
      throw UsageError(fmt::format("{}: the measured time cannot be derived", where));
    if (contains(item.of, roles.target))
      throw UsageError(fmt::format(
          "{}: '{}' is the measured time, which is unknown for configurations to be predicted",
          where, roles.target));
  }
}

/// Adds notices about inferred roles that the user may want to check.
void tell_what_was_inferred(const RoleRequest& request, const Roles& roles, Notices& notices) {
  if (request.intrinsic)
    return;
  if (!roles.intrinsic.empty())
    notices.push_back(fmt::format("Taken as intrinsic: {}.", quoted_list(roles.intrinsic)));
  if (!roles.categorical.empty())
    notices.push_back(fmt::format("Taken as categorical: {}.", quoted_list(roles.categorical)));
}

/// Adds a sentence for each input that may be none, by the evidence.
void tell_doubts(const Guess& guess, const Parts& parts, Roles& roles) {
  constexpr double kDoubtful = 0.2;
  const auto short_of = [](double probability) { return std::round(probability * 1e4) / 1e4; };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& name = parts[i].column->name;
    const RoleOdds& odds = guess.found.odds[i];
    if (guess.told[i] != Told::nothing || !(parts[i].is_input() || parts[i].part == Part::left_out))
      continue;
    roles.doubts.push_back({name, short_of(odds.result), short_of(odds.label)});
    if (!parts[i].is_input() || odds.none() <= kDoubtful)
      continue;
    roles.notices.push_back(
        fmt::format("Column '{}' may be {} ({:.0f} %); pass --ignore {} if it is one.", name,
                    odds.result > odds.label ? "a result of the runs" : "a label",
                    100 * odds.none(), shell_word(name)));
  }
}

/// The unit of the target: that of its cells, else the requested one or that in its name. Throws
/// UsageError if another unit than that of the cells is requested.
std::string unit_of_target(const Column& target, const RoleRequest& request) {
  if (target.unit.empty())
    return request.time_unit.value_or(unit_beside(target).empty() ? unit_of(target.name)
                                                                  : unit_beside(target));
  if (request.time_unit.value_or(target.unit) != target.unit)
    throw UsageError(fmt::format(
        "--target-unit {} contradicts the cells of '{}', which have units and are in {}",
        shell_word(*request.time_unit), target.name, target.unit));
  return target.unit;
}

/// Adds a notice for each used column whose cells have units.
void tell_units(const Parts& parts, Notices& notices) {
  for (const ColumnPart& part : parts) {
    const Column& column = *part.column;
    if (column.unit.empty() || !(part.part == Part::target || part.is_number()))
      continue;
    const auto example = parse_quantity(column.with_unit);
    notices.push_back(
        fmt::format("'{}' has units: its values are in {}, {} is {}{}.", column.name, column.unit,
                    quoted_cell(column.with_unit), to_text(example ? example->value : 0),
                    part.part == Part::target
                        ? std::string()
                        : fmt::format("; {} keeps them as levels", as_categorical(part))));
  }
}

std::string notice_of_step(const Tie& step) {
  return fmt::format("Column '{}' is {} in every row and moves along.", step.column,
                     law_of_step(step));
}

/// resolve_roles() without the checks of values, whose inputs are stored in `parts` and
/// `obstacles`.
Roles settle_roles(const Table& table, const RoleRequest& request, const RoleOptions& options,
                   Parts& parts, Obstacles& obstacles) {
  if (table.rows() == 0)
    throw InputError(table.source + " has no rows");
  Roles roles;
  std::vector<std::string> problems;
  parts = parts_by_flags(table, request, problems, options);
  if (!problems.empty())
    throw UsageError(joined(problems, "\n"));
  const std::set<std::string> of_units =
      columns_of_units(table, {request.categorical.begin(), request.categorical.end()});
  for (ColumnPart& part : parts)
    if (part.part == Part::open && of_units.contains(part.column->name))
      part.part = Part::ignored;
  const Guess guess = guess_of(table, parts, request);
  infer_target_and_extrinsic(table, request, options, guess, parts, roles.notices);

  share_out_the_rest(request, parts, roles.notices);
  roles.ignored = names_of(parts, Part::ignored);
  if (!request.formula) {
    roles.left_out = drop_constants(parts, roles.notices);
    const std::vector<LeftOut> no_inputs = leave_out_no_inputs(table, guess, parts);
    std::ranges::move(left_out_notices(no_inputs, parts, table), std::back_inserter(roles.notices));
    roles.left_out.insert(roles.left_out.end(), no_inputs.begin(), no_inputs.end());
    tell_doubts(guess, parts, roles);
  }
  settle_levels(table, request.formula.has_value(), parts, roles.notices, obstacles);
  for (const Tie& step : find_steps(parts))
    roles.notices.push_back(notice_of_step(step));

  roles.target = names_of(parts, Part::target).at(0);
  roles.unit = unit_of_target(table.at(roles.target), request);
  roles.intrinsic = names_of(parts, Part::intrinsic);
  roles.categorical = names_of(parts, Part::categorical);
  roles.extrinsic = names_of(parts, Part::extrinsic);
  roles.derived = request.derived;
  check_derived(request, roles);
  return roles;
}

}  // namespace

std::optional<MeasuredColumn> measured_column(const Table& table, const RoleRequest& request) {
  if (const auto named =
          request.throughput ? std::optional(request.throughput->column) : request.target)
    return table.find(*named) == nullptr ? std::nullopt : std::optional(MeasuredColumn{*named});
  std::vector<std::string> problems;  // refused when all roles are determined
  Parts parts = parts_by_flags(table, request, problems);
  const Candidates found = target_candidates(guess_of(table, parts, request), parts);
  return found.columns.size() == 1
             ? std::optional(MeasuredColumn{found.columns[0]->column->name, found.are_rates})
             : std::nullopt;
}

std::string remedy_of_measured(const std::string& what, const Table& table, const Column& column) {
  const std::vector<FailedRuns> failed = without_failed_runs(table, column.name, {}).failed;
  if (failed.empty())
    return needs_measured(what, table, column);
  // Who only drops the runs that were ended at a limit fits the short ones.
  return fmt::format(
      "every run needs a measured {} > 0: correct this, remove the rows, or pass --failed drop to "
      "leave out runs that failed{}",
      what,
      were_cut(failed, column)
          ? ", or --failed censor --limit LIMIT to count those that were ended as longer"
          : "");
}

NoInputs find_no_inputs(const Table& table, const std::string& target, const std::string& scale,
                        const std::vector<std::string>& ignore) {
  RoleRequest request;
  request.target = target;
  request.extrinsic = std::vector{scale};
  request.ignore = ignore;
  std::vector<std::string> problems;  // of names, which the caller has found in the table
  Parts parts = parts_by_flags(table, request, problems);
  for (ColumnPart& part : parts)
    if (part.part == Part::open)
      part.part = part.facts.constant ? Part::constant : Part::intrinsic;
  NoInputs found;
  found.columns = leave_out_no_inputs(table, guess_of(table, parts), parts);
  for (const LeftOut& item : found.columns)
    found.notices.push_back(fmt::format("Column '{}' {} and does not distinguish configurations.",
                                        item.column, words_for(item)));
  for (const Tie& step : find_steps(parts)) {
    found.in_steps.push_back(step.column);
    found.notices.push_back(notice_of_step(step));
  }
  return found;
}

std::vector<std::string> columns_with_gaps(const Table& table, const RoleRequest& request) {
  if (std::ranges::none_of(table.columns, missing_cells))
    return {};
  Parts parts;
  Obstacles obstacles(table);
  settle_roles(table, request, {}, parts, obstacles);
  std::vector<std::string> out;
  for (const ColumnPart& part : parts)
    if (part.is_input() && !part.by_flag && missing_cells(*part.column) > 0)
      out.push_back(part.column->name);
  return out;
}

std::string RoleOptions::throughput(const std::string& column) const {
  return has_throughput_flag ? fmt::format("--target {} --throughput", shell_word(column))
                             : fmt::format("--throughput-target {}", shell_word(column));
}

Roles roles_around_scale(const Table& table, const RoleRequest& request,
                         const RoleOptions& options) {
  Parts parts;
  Obstacles obstacles(table);
  Roles roles = settle_roles(table, request, options, parts, obstacles);
  require_one_unit(table, roles.target, {request.categorical.begin(), request.categorical.end()});
  return roles;
}

Roles resolve_roles(const Table& table, const RoleRequest& request) {
  Parts parts;
  Obstacles obstacles(table);
  Roles roles = settle_roles(table, request, {}, parts, obstacles);
  check_values(table, parts, obstacles);
  if (request.needs_input)
    require_input(table, roles, obstacles);
  obstacles.throw_if_any();
  tell_units(parts, roles.notices);
  tell_what_was_inferred(request, roles, roles.notices);
  return roles;
}

}  // namespace perfmodel
