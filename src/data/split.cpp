#include "perfmodel/data/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include "base/random.hpp"
#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// The numbers between the colons; nothing where one of them is no number.
std::optional<std::vector<double>> numbers_of(std::string_view text) {
  std::vector<double> numbers;
  for (;;) {
    const std::size_t colon = text.find(':');
    const auto number = parse_number(text.substr(0, colon));
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
    if (colon == std::string_view::npos)
      return numbers;
    text.remove_prefix(colon + 1);
  }
}

bool valid(const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  return (shares.size() == 2 || shares.size() == 3) && shares[0] > 0 && std::isfinite(sum) &&
         std::all_of(shares.begin(), shares.end(), [](double share) { return share >= 0; });
}

std::string text_of(const SplitShares& shares) {
  return to_text(shares.train) + ":" +
         (shares.validation == 0 ? "" : to_text(shares.validation) + ":") + to_text(shares.test);
}

/// The chosen ones of `rows`, in their order.
std::vector<std::size_t> chosen(std::span<const std::size_t> rows,
                                std::span<const std::size_t> choice) {
  std::vector<std::size_t> result(choice.begin(), choice.end());
  std::sort(result.begin(), result.end());
  for (std::size_t& each : result)
    each = rows[each];
  return result;
}

}  // namespace

SplitShares parse_split(std::string_view text) {
  const auto shares = numbers_of(text);
  if (!shares || !valid(*shares)) {
    throw UsageError("split \"" + std::string(text) +
                     "\": expected train:validation:test or train:test, numbers >= 0 with the "
                     "first > 0, for example 60:20:20 or 80:20");
  }
  if (shares->size() == 2)
    return {(*shares)[0], 0, (*shares)[1]};
  return {(*shares)[0], (*shares)[1], (*shares)[2]};
}

Split split_rows(std::span<const std::size_t> all_rows, const SplitShares& shares,
                 std::uint64_t seed) {
  const std::size_t rows = all_rows.size();
  const double total = shares.train + shares.validation + shares.test;
  const auto part = [&](double share) {
    return static_cast<std::size_t>(std::round(static_cast<double>(rows) * share / total));
  };
  // The last part that was asked for takes the rest: rounding neither loses nor invents a row.
  const bool only_train = shares.validation == 0 && shares.test == 0;
  const std::size_t train = only_train ? rows : std::min(part(shares.train), rows);
  const std::size_t validation =
      shares.test == 0 ? rows - train : std::min(part(shares.validation), rows - train);
  const std::size_t test = rows - train - validation;

  const auto refuse_empty = [&](const char* name, double share, std::size_t size) {
    if (share > 0 && size == 0)
      throw UsageError("split " + text_of(shares) + " of " + std::to_string(rows) +
                       (rows == 1 ? " row" : " rows") + " leaves none for " + name +
                       "; give that part a larger share, or add runs");
  };
  refuse_empty("training", shares.train, train);
  refuse_empty("validation", shares.validation, validation);
  refuse_empty("test", shares.test, test);

  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomStream(seed, "split").shuffle(std::span(order));

  const std::span<const std::size_t> all(order);
  return {chosen(all_rows, all.first(train)), chosen(all_rows, all.subspan(train, validation)),
          chosen(all_rows, all.last(test))};
}

}  // namespace perfmodel
