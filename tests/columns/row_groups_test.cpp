#include "columns/replicates.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

namespace {

/// Random rows of one column of each kind; few distinct values, so that many rows are equal.
/// `coded` says how the numeric column is stored.
Design random_design(std::size_t rows, bool coded, std::uint64_t seed) {
  RandomStream random(seed, "row groups");
  Design out;
  out.rows = rows;
  const std::vector<double> values = {1, 2, 1024, 1e-6, 3.5};
  NumericFactor numeric;
  if (coded)
    numeric.values = values;
  LevelFactor levels{.levels = 3, .codes = {}};
  NumericFactor scale{.values = {1, 2, 4, 8}, .codes = {}};
  out.time.resize(static_cast<Eigen::Index>(rows));
  for (double& time : out.time) {
    const auto code = static_cast<std::uint32_t>(random.below(values.size()));
    if (coded)
      numeric.codes.push_back(code);
    else
      numeric.values.push_back(values[code]);
    levels.codes.push_back(static_cast<std::uint32_t>(random.below(3)));
    scale.codes.push_back(static_cast<std::uint32_t>(random.below(4)));
    time = 0.25 * static_cast<double>(1 + random.below(2));
  }
  out.intrinsic = {numeric};
  out.categorical = {levels};
  out.extrinsic = {scale};
  return out;
}

/// The plain way: an ordered map of whole rows.
RowGroups grouped_by_map(const Design& design, bool with_time) {
  std::map<std::vector<double>, std::size_t> known;
  RowGroups out;
  for (std::size_t row = 0; row < design.rows; ++row) {
    std::vector<double> key = {design.intrinsic[0].value(row),
                               static_cast<double>(design.categorical[0].codes[row]),
                               design.extrinsic[0].value(row)};
    if (with_time)
      key.push_back(design.time[static_cast<Eigen::Index>(row)]);
    out.of_row.push_back(known.try_emplace(key, known.size()).first->second);
  }
  out.count = known.size();
  return out;
}

}  // namespace

TEST_CASE("rows are grouped by all of their columns, in order of first appearance", "[model]") {
  for (const bool coded : {true, false}) {
    for (const std::size_t rows : {1U, 7U, 100U, 5000U}) {
      const Design design = random_design(rows, coded, rows);
      CAPTURE(coded, rows);
      const RowGroups configurations = grouped_by_map(design, false);
      CHECK(configuration_groups(design).count == configurations.count);
      CHECK(configuration_groups(design).of_row == configurations.of_row);
      const RowGroups equal = grouped_by_map(design, true);
      CHECK(equal_row_groups(design).count == equal.count);
      CHECK(equal_row_groups(design).of_row == equal.of_row);
    }
  }
}

TEST_CASE("of many rows, repeats are left out before groups are", "[model][property]") {
  RandomStream random(5, "fewer repeats");
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    std::vector<std::vector<std::size_t>> groups(1 + random.below(30));
    std::size_t rows = 0;
    for (auto& group : groups)
      for (std::size_t size = 1 + random.below(round % 3 == 0 ? 2 : 40); size > 0; --size)
        group.push_back(rows++);
    const std::size_t most = 1 + random.below(2 * rows);
    const auto kept = with_fewer_repeats(groups, most);
    REQUIRE(kept.size() == groups.size());
    std::size_t all = 0;
    std::size_t largest = 0;  // of the groups that were thinned
    std::size_t smallest = rows;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      all += kept[g].size();
      REQUIRE_FALSE(kept[g].empty());
      CHECK(std::ranges::includes(groups[g], kept[g]));
      CHECK(std::set(kept[g].begin(), kept[g].end()).size() == kept[g].size());
      largest = std::max(largest, kept[g].size());
      if (kept[g].size() < groups[g].size())
        smallest = std::min(smallest, kept[g].size());
    }
    CHECK(all == std::max(groups.size(), std::min(rows, most)));
    CHECK((all == rows || largest <= smallest + 1));
  }
}

TEST_CASE("the rows that a group keeps are its median and quantiles", "[model]") {
  std::vector<std::size_t> rows(9);
  std::iota(rows.begin(), rows.end(), 0U);
  const auto left = [&](std::size_t most) {
    return with_fewer_repeats(std::vector(1, rows), most).front();
  };
  CHECK(left(1) == std::vector<std::size_t>{4});
  CHECK(left(3) == std::vector<std::size_t>{1, 4, 7});
  CHECK(left(9) == rows);
}

TEST_CASE("drawn rows are the first of a random order, but have all configurations that they can",
          "[model]") {
  const Design design = random_design(2000, true, 3);
  const RowGroups groups = configuration_groups(design);  // 60 of about 33 rows each
  std::vector<std::size_t> order(design.rows);
  std::iota(order.begin(), order.end(), 0U);
  RandomStream(1, "order").shuffle(std::span(order));
  for (const std::size_t most : {std::size_t{20}, std::size_t{60}, std::size_t{500}}) {
    const std::vector<std::size_t> drawn = drawn_rows(groups, order, most);
    CHECK(drawn.size() == most);
    std::set<std::size_t> seen;
    for (const std::size_t row : drawn)
      seen.insert(groups.of_row[row]);
    CHECK(seen.size() == std::min(most, groups.count));
  }
  RowGroups alone{.of_row = order, .count = order.size()};
  CHECK(drawn_rows(alone, order, 77) == std::vector(order.begin(), order.begin() + 77));
}
