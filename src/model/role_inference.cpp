#include <algorithm>
#include <optional>

#include "model/column_parts.hpp"
#include "model/well_known_names.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/base/text.hpp"

namespace perfmodel {
namespace {

using Parts = std::vector<ColumnPart>;

bool has(const Parts& parts, Part part) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const ColumnPart& candidate) { return candidate.part == part; });
}

std::vector<ColumnPart*> time_candidates(Parts& parts) {
  std::vector<ColumnPart*> named;
  std::vector<ColumnPart*> with_numbers;
  for (ColumnPart& part : parts) {
    if (part.part == Part::open && is_time_name(part.column->name)) {
      named.push_back(&part);
      if (part.facts.numbers > 0) {
        with_numbers.push_back(&part);
      }
    }
  }
  // A column of decimal commas holds no number at all; it is still the time, and its cells get
  // named.
  return with_numbers.empty() ? named : with_numbers;
}

/// A column of texts or of only 0 and 1 is no scale, whatever its name.
bool is_scale(const ColumnPart& part) {
  return part.part == Part::open && is_scale_name(part.column->name) &&
         part.facts.mostly_numbers() && !part.facts.zero_one;
}

/// A column to put into the flags of the advice where no name tells: any that could play the part.
std::optional<std::string> example_time(const Parts& parts) {
  std::optional<std::string> example;  // the last one: results tend to stand behind settings
  for (const ColumnPart& part : parts) {
    if (part.part == Part::open && part.facts.mostly_numbers() && !part.facts.constant &&
        !is_scale_name(part.column->name)) {
      example = part.column->name;
    }
  }
  return example;
}

std::optional<std::string> example_scale(const Parts& parts, const std::string& time) {
  const auto example = std::find_if(parts.begin(), parts.end(), [&](const ColumnPart& part) {
    return part.part == Part::open && part.facts.mostly_numbers() && part.facts.all_positive &&
           !part.facts.constant && part.column->name != time;
  });
  return example == parts.end() ? std::nullopt : std::optional(example->column->name);
}

/// What could not be inferred, and the flags that would settle it.
struct Doubts {
  std::string questions;  // whole lines
  std::string flags;
  std::string time_example;
  bool scale_guessed = false;

  void about_time(const Table& table, const Parts& parts, const std::vector<ColumnPart*>& found) {
    if (found.empty()) {
      questions += table.source + ": cannot tell which column is the measured time\n";
      time_example = example_time(parts).value_or("COLUMN");
      flags += " " + flag_text("--target", {time_example});
      return;
    }
    std::vector<std::string> names;
    for (const ColumnPart* part : found) {
      names.push_back(part->column->name);
    }
    questions +=
        table.source + ": several columns could be the measured time: " + quoted_list(names) + "\n";
    time_example = names[0];
    flags += " " + flag_text("--target", {time_example}) + " " +
             flag_text("--ignore", {names.begin() + 1, names.end()});
  }

  void about_scale(const Table& table, const Parts& parts) {
    questions +=
        table.source +
        ": cannot tell which columns are extrinsic (the scale: workers, batch size, ...)\n";
    const auto example = example_scale(parts, time_example);
    flags += " " + flag_text("--extrinsic", {example.value_or("none")});
    scale_guessed = example.has_value();
  }
};

}  // namespace

void infer_target_and_extrinsic(const Table& table, const RoleRequest& request, Parts& parts,
                                std::vector<std::string>& notices) {
  Doubts doubts;
  if (!request.target) {
    const std::vector<ColumnPart*> candidates = time_candidates(parts);
    if (candidates.size() == 1) {
      candidates[0]->part = Part::target;
      notices.push_back("Column '" + candidates[0]->column->name +
                        "' is taken as the measured time, by its name.");
    } else {
      doubts.about_time(table, parts, candidates);
    }
  }
  if (!request.extrinsic) {
    for (ColumnPart& part : parts) {
      if (is_scale(part)) {
        part.part = Part::extrinsic;
      }
    }
    if (has(parts, Part::extrinsic)) {
      const std::vector<std::string> names = names_of(parts, Part::extrinsic);
      notices.push_back((names.size() == 1 ? "Column " : "Columns ") + quoted_list(names) +
                        (names.size() == 1 ? " is taken as extrinsic, by its name."
                                           : " are taken as extrinsic, by their names."));
    } else {
      doubts.about_scale(table, parts);
    }
  }
  if (!doubts.questions.empty()) {
    const std::vector<std::string> names = table.names();
    throw InputError(
        doubts.questions + "its columns are " + quoted_list(names) +
        "\npass, for example:" + doubts.flags +
        (doubts.scale_guessed ? "\nwhere no column is a scale, pass: --extrinsic none" : ""));
  }
}

}  // namespace perfmodel
