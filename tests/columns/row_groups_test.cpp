#include "columns/replicates.hpp"

#include <map>
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
