#include "analysis/scaling/kind_of_work.hpp"

#include <algorithm>

#include "model/columns/facts/name_words.hpp"
#include "model/columns/facts/work_names.hpp"

namespace perfmodel::scaling {
namespace {

/// 1 where a column grows with the scale, -1 where it shrinks, 0 otherwise.
int direction(const TiedColumn& column, const std::string& scale) {
  for (const Factor& factor : column.factors)
    if (factor.column == scale)
      return factor.power;
  return 0;
}

std::string in_quotes(const std::string& name) {
  return "'" + name + "'";
}

bool is_of_epoch(const std::string& target) {
  const std::vector<std::string> words = name_words(target);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.starts_with("epoch"); });
}

}  // namespace

KindOfWork kind_of_work(const WorkColumns& columns) {
  const auto held = [&](auto&& is_wanted) {
    return std::find_if(columns.held.begin(), columns.held.end(), is_wanted);
  };
  if (is_of_epoch(columns.target))
    return {Kind::strong, in_quotes(columns.target) + " is of a whole epoch"};
  if (is_batch_name(columns.scale))
    return {Kind::weak, in_quotes(columns.scale) + " is the work of an iteration", false, true};
  const auto of_all =
      held([](const std::string& name) { return is_batch_name(name) && is_total_name(name); });
  if (of_all != columns.held.end())
    return {Kind::strong, in_quotes(*of_all) + " is of all workers and stays the same"};
  for (const TiedColumn& column : columns.tied) {
    const int moves = direction(column, columns.scale);
    if (moves > 0 && is_batch_name(column.name))
      return {Kind::weak, in_quotes(column.name) + " grows with " + in_quotes(columns.scale)};
    if (moves < 0 && is_work_per_worker_name(column.name))
      return {Kind::strong,
              in_quotes(column.name) + " shrinks as " + in_quotes(columns.scale) + " grows"};
  }
  const auto of_one = held(is_work_per_worker_name);
  if (of_one != columns.held.end())
    return {Kind::weak, in_quotes(*of_one) + " is of one worker and stays the same"};
  const auto batch = held(is_batch_name);
  if (batch != columns.held.end())
    return {Kind::strong, in_quotes(*batch) + " may be of one worker or of all", true};
  return {Kind::strong, "no column says whether the work grows with " + in_quotes(columns.scale),
          true};
}

}  // namespace perfmodel::scaling
