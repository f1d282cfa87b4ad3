#include "model/columns/left_out/left_out.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/columns/facts/column_part.hpp"
#include "model/columns/left_out/by_products.hpp"
#include "model/columns/left_out/identities.hpp"
#include "model/columns/left_out/run_labels.hpp"

namespace perfmodel {
namespace {

using Parts = std::vector<ColumnPart>;

/// Takes a column out where another input stays. Returns whether it did.
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

/// Longer lists of flags are not written out.
constexpr std::size_t kMostNamesToPaste = 8;

/// The flags that say what is an input now, and these columns, too.
Sentence flags_to_keep(const std::vector<std::string>& columns, const Parts& parts) {
  std::vector<std::string> numbers = columns;
  std::vector<std::string> levels;
  for (const ColumnPart& part : parts)
    if (part.is_levels())
      levels.push_back(part.column->name);
    else if (part.part == Part::intrinsic)
      numbers.push_back(part.column->name);
  if (numbers.size() + levels.size() > kMostNamesToPaste) {
    return Sentence("name ") + (columns.size() == 1 ? "it" : "one") + " in " + Field{"intrinsic"} +
           ", with the other inputs, to keep it";
  }
  return "pass " + Sentence(Field{"intrinsic", numbers}) +
         (levels.empty() ? Sentence() : " " + Sentence(Field{"categorical", levels})) +
         " to keep " + (columns.size() == 1 ? "it" : "them");
}

std::vector<std::string> names_of_reason(const std::vector<LeftOut>& left_out,
                                         LeftOut::Because because) {
  std::vector<std::string> names;
  for (const LeftOut& item : left_out)
    if (item.because == because)
      names.push_back(item.column);
  return names;
}

}  // namespace

std::vector<LeftOut> leave_out_no_inputs(const Table& table, Parts& parts) {
  std::vector<LeftOut> left_out;
  const RunLabels labels = find_run_labels(table, parts);
  for (const std::string& column : labels.repetitions)
    if (take_out(parts, column))
      left_out.push_back({column, LeftOut::Because::repetition, {}, {}});
  for (const std::string& column : labels.labels)
    if (take_out(parts, column))
      left_out.push_back({column, LeftOut::Because::label, {}, {}});
  for (const ByProduct& item : find_by_products(table, parts))
    if (take_out(parts, item.column))
      left_out.push_back({item.column, LeftOut::Because::result, item.law, {}});
  for (const Identity& item : find_identities(table, parts))
    if (take_out(parts, item.column))
      left_out.push_back({item.column, LeftOut::Because::identity, item.law, item.factors});
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
                 : "is " + left_out.identity + ", up to a factor, in every row";
    case LeftOut::Because::identity:
      return "is " + left_out.identity + " in every row";
    case LeftOut::Because::constant:
      return left_out.value.empty() ? "is blank in every row"
                                    : "has the value " + left_out.value + " in every row";
  }
  return "";
}

std::vector<Sentence> left_out_notices(const std::vector<LeftOut>& left_out, const Parts& parts) {
  std::vector<Sentence> notices;
  for (const LeftOut& item : left_out) {
    const bool repeats = item.because == LeftOut::Because::repetition;
    if (repeats || item.because == LeftOut::Because::label)
      notices.push_back(
          "Column '" + item.column + "' " + words_for(item) + " and is left out" +
          (repeats ? ": rows that differ in it alone are runs of one configuration" : "") +
          "; pass " + Field{"categorical", {item.column}} + " to keep it.");
  }
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::result && !item.identity.empty())
      notices.push_back("Column '" + item.column + "' " + words_for(item) + ".");
  const std::vector<std::string> results = names_of_reason(left_out, LeftOut::Because::result);
  if (!results.empty()) {
    const bool one = results.size() == 1;
    notices.push_back((one ? "Column " : "Columns ") + quoted_list(results) +
                      (one ? " looks like a result of the runs, not an input, and is left out; "
                           : " look like results of the runs, not inputs, and are left out; ") +
                      flags_to_keep(results, parts) + ".");
  }
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::identity)
      notices.push_back("Column '" + item.column + "' " + words_for(item) +
                        " and is left out; name it in " + Field{"intrinsic"} + " or " +
                        Field{"extrinsic"} + " to keep it.");
  return notices;
}

}  // namespace perfmodel
