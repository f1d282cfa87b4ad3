#include "analysis/scaling/kind_of_work.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "model/columns/facts/name_words.hpp"
#include "model/columns/facts/work_names.hpp"

namespace perfmodel::scaling {
namespace {

std::string in_quotes(const std::string& name) {
  return "'" + name + "'";
}

// Beside names of scales: "tensor_parallel", "world_size".
constexpr std::array<std::string_view, 5> kShares{"parallel", "world", "dp", "tp", "pp"};
// May do more work with more workers; a sample does not.
constexpr std::array<std::string_view, 8> kIterations{"it",        "its",        "iter", "iters",
                                                      "iteration", "iterations", "step", "steps"};
constexpr std::array<std::string_view, 4> kPieces{"sample", "image", "token", "request"};

bool has_one_of(const std::vector<std::string>& words, std::span<const std::string_view> wanted) {
  return std::find_first_of(words.begin(), words.end(), wanted.begin(), wanted.end()) !=
         words.end();
}

bool is_of_epoch(const std::string& target) {
  const std::vector<std::string> words = name_words(target);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.starts_with("epoch"); });
}

}  // namespace

bool counts_workers(const std::string& scale) {
  return is_worker_count_name(scale) || has_one_of(name_words(scale), kShares);
}

KindOfWork kind_of_work(const WorkColumns& columns) {
  const auto held = [&](auto&& is_wanted) {
    return std::find_if(columns.held.begin(), columns.held.end(), is_wanted);
  };
  const std::string& rate = columns.throughput;
  if (is_rate_of_one_worker_name(rate))
    return {Kind::weak, in_quotes(rate) + " is of one worker"};
  if (!rate.empty() && !has_one_of(name_words(rate), kIterations))
    return {.because = in_quotes(rate) + " counts all work", .holds_all = true};
  if (is_of_epoch(columns.target))
    return {Kind::strong, in_quotes(columns.target) + " is of a whole epoch"};
  const std::vector<std::string> words = name_words(columns.target);
  if (has_one_of({std::find(words.begin(), words.end(), "per"), words.end()}, kPieces))
    return {.because = in_quotes(columns.target) + " is of a fixed amount of work",
            .holds_all = true};
  if (is_batch_name(columns.scale))
    return {Kind::weak, in_quotes(columns.scale) + " is the work of an iteration"};
  if (!counts_workers(columns.scale))
    return {Kind::strong, in_quotes(columns.scale) + " counts no workers by its name", true};
  const auto of_all =
      held([](const std::string& name) { return is_batch_name(name) && is_total_name(name); });
  if (of_all != columns.held.end())
    return {.kind = Kind::strong,
            .because = in_quotes(*of_all) + " is of all workers and stays the same",
            .holds_all = true};
  const MovingColumns moving(columns.tied);
  for (const ColumnProduct& tied : columns.tied) {
    const int power = moving.power(tied.column, columns.scale);
    if (power > 0 && is_batch_name(tied.column))
      return {Kind::weak, in_quotes(tied.column) + " grows with " + in_quotes(columns.scale)};
    if (power < 0 && is_work_per_worker_name(tied.column))
      return {Kind::strong,
              in_quotes(tied.column) + " shrinks as " + in_quotes(columns.scale) + " grows"};
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
