#include "model/columns/left_out.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/columns/by_products.hpp"

namespace perfmodel {
namespace {

using Parts = std::vector<ColumnPart>;

bool is_used(const ColumnPart& part) {
  return part.part == Part::intrinsic || part.part == Part::extrinsic ||
         part.part == Part::categorical;
}

/// Takes a column out where another input stays. Returns whether it did.
bool take_out(Parts& parts, const std::string& column) {
  ColumnPart* found = nullptr;
  std::size_t others = 0;
  for (ColumnPart& part : parts)
    if (part.column->name == column)
      found = &part;
    else if (is_used(part))
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
  for (const ColumnPart& part : parts) {
    const bool texts = part.part == Part::intrinsic && !part.by_flag &&
                       (!part.column->is_numeric() || part.facts.zero_one);
    if (texts || part.part == Part::categorical)
      levels.push_back(part.column->name);
    else if (part.part == Part::intrinsic)
      numbers.push_back(part.column->name);
  }
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
  for (const ByProduct& item : find_by_products(table, parts))
    if (take_out(parts, item.column))
      left_out.push_back({item.column, LeftOut::Because::result, item.law});
  return left_out;
}

std::vector<Sentence> left_out_notices(const std::vector<LeftOut>& left_out, const Parts& parts) {
  std::vector<Sentence> notices;
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::result && !item.identity.empty())
      notices.push_back("Column '" + item.column + "' is " + item.identity +
                        ", up to a factor, in every row.");
  const std::vector<std::string> results = names_of_reason(left_out, LeftOut::Because::result);
  if (!results.empty()) {
    const bool one = results.size() == 1;
    notices.push_back((one ? "Column " : "Columns ") + quoted_list(results) +
                      (one ? " looks like a result of the runs, not an input, and is left out; "
                           : " look like results of the runs, not inputs, and are left out; ") +
                      flags_to_keep(results, parts) + ".");
  }
  return notices;
}

}  // namespace perfmodel
