#include "perfmodel/error.hpp"
#include "perfmodel/table.hpp"

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"
#include "support/rows.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::Message;

std::vector<std::size_t> first_rows(std::size_t count) {
  return test::rows_between(0, count);
}

std::vector<std::size_t> all_rows(const Split& split) {
  std::vector<std::size_t> rows = split.train;
  rows.insert(rows.end(), split.validation.begin(), split.validation.end());
  rows.insert(rows.end(), split.test.begin(), split.test.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST_CASE("two shares are train and test, three have validation between", "[split]") {
  const SplitShares two = parse_split("80:20");
  CHECK(two.train == 80);
  CHECK(two.validation == 0);
  CHECK(two.test == 20);
  const SplitShares three = parse_split("0.6:0.2:0.2");
  CHECK(three.train == 0.6);
  CHECK(three.validation == 0.2);
  CHECK(three.test == 0.2);
}

TEST_CASE("text that is no split is refused with an example", "[split]") {
  for (const std::string text : {"", "80", "80:", ":20", "60:20:10:10", "0:50:50", "-80:20",
                                 "80:-20", "a:b", "80 : 20", "nan:20", "1e308:1e308"}) {
    CAPTURE(text);
    CHECK_THROWS_MATCHES(
        parse_split(text), UsageError,
        Message(
            "split \"" + text +
            "\": expected train:validation:test or train:test, numbers >= 0 with the first > 0, "
            "for example 60:20:20 or 80:20"));
  }
}

TEST_CASE("parts are as large as their shares", "[split]") {
  const Split split = split_rows(first_rows(1500), parse_split("60:20:20"), 1);
  CHECK(split.train.size() == 900);
  CHECK(split.validation.size() == 300);
  CHECK(split.test.size() == 300);
  // A part that was not asked for gets no row from rounding.
  const Split halves = split_rows(first_rows(3), parse_split("1:1:0"), 1);
  CHECK(halves.train.size() == 2);
  CHECK(halves.validation.size() == 1);
  CHECK(halves.test.empty());
  // Without shares all rows are training rows.
  CHECK(split_rows(first_rows(4), SplitShares{}, 1).train == first_rows(4));
}

TEST_CASE("every row is in exactly one part, and each part ascends", "[split]") {
  for (const std::string text : {"60:20:20", "80:20", "1:0:0", "1:1:0", "1:1:1", "0.1:0.7:0.2"}) {
    for (const std::size_t rows : {10U, 11U, 37U}) {
      CAPTURE(text, rows);
      const Split split = split_rows(first_rows(rows), parse_split(text), 3);
      CHECK(all_rows(split) == first_rows(rows));
      CHECK(std::is_sorted(split.train.begin(), split.train.end()));
      CHECK(std::is_sorted(split.validation.begin(), split.validation.end()));
      CHECK(std::is_sorted(split.test.begin(), split.test.end()));
    }
  }
}

TEST_CASE("the same seed gives the same split, another seed another", "[split]") {
  const SplitShares shares = parse_split("60:20:20");
  CHECK(split_rows(first_rows(100), shares, 5).train ==
        split_rows(first_rows(100), shares, 5).train);
  CHECK(split_rows(first_rows(100), shares, 5).train !=
        split_rows(first_rows(100), shares, 6).train);
}

TEST_CASE("over many seeds every row is tested equally often", "[split]") {
  std::vector<int> tested(10);
  constexpr int seeds = 2000;
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    for (const std::size_t row : split_rows(first_rows(10), parse_split("80:20"), seed).test)
      ++tested[row];
  for (const int count : tested) {
    // Binomial with p = 0.2: five standard deviations.
    CHECK(std::abs(count - 0.2 * seeds) < 5 * std::sqrt(seeds * 0.2 * 0.8));
  }
}

TEST_CASE("a part that would be empty is refused", "[split]") {
  CHECK_THROWS_MATCHES(split_rows(first_rows(2), parse_split("60:20:20"), 1), UsageError,
                       Message("split 60:20:20 of 2 rows leaves none for validation; give that "
                               "part a larger share, or add runs"));
  CHECK_THROWS_MATCHES(split_rows(first_rows(1), parse_split("80:20"), 1), UsageError,
                       Message("split 80:20 of 1 row leaves none for test; give that part a "
                               "larger share, or add runs"));
  CHECK_THROWS_MATCHES(split_rows(first_rows(3), parse_split("1:99"), 1), UsageError,
                       Message("split 1:99 of 3 rows leaves none for training; give that part a "
                               "larger share, or add runs"));
}

}  // namespace
}  // namespace perfmodel
