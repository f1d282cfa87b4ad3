#include "fit/sum/choose/choice_folds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/design/row_folds.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Rows = std::vector<Index>;

constexpr std::size_t kParts = 5;
constexpr double kFarShare = 0.2;
constexpr double kLeastShare = 0.25;  // of the rows that stay
constexpr std::size_t kFewestConfigurations = 5;
constexpr double kScaleRange = 100;
/// Values of a scale that stay where its far end is held out; two points say nothing of a curve.
constexpr std::size_t kFewestValues = 2;
constexpr std::size_t kFewestValuesOfFew = 3;
constexpr std::size_t kFewestForManyFolds = 10;
/// Each scale costs a fit of every candidate or two: of more, those are judged that reach furthest.
constexpr std::size_t kMostScales = 12;

/// Rows of equal features, which stand side by side in sorted data, in random order.
std::vector<std::vector<std::size_t>> shuffled_configurations(const TermData& data,
                                                              std::uint64_t seed) {
  RowGroups groups;
  for (Index row = 0; row < data.rows(); ++row) {
    if (row == 0 || data.features.row(row) != data.features.row(row - 1))
      ++groups.count;
    groups.of_row.push_back(groups.count - 1);
  }
  return shuffled_groups(groups, seed);
}

void add_random_parts(const std::vector<std::vector<std::size_t>>& configurations,
                      std::vector<Fold>& folds) {
  const auto parts = deal_groups(configurations, kParts);
  for (std::size_t held_out = 0; held_out < parts.size(); ++held_out) {
    Fold fold;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      Rows& rows = part == held_out ? fold.held_out : fold.training;
      rows.insert(rows.end(), parts[part].begin(), parts[part].end());
    }
    folds.push_back(std::move(fold));
  }
}

/// A numeric column in the coordinates.
struct Scale {
  std::size_t input;
  Index feature;
};

/// Holds out the rows from `threshold` on.
Fold far_end(const TermData& data, const Rows& rows, const Scale& scale, double threshold) {
  Fold fold;
  fold.scale = scale.input;
  for (const Index row : rows)
    (data.features(row, scale.feature) >= threshold ? fold.held_out : fold.training).push_back(row);
  return fold;
}

/// Two folds: the largest values with a fifth of the rows, and the upper half of the scale, as far
/// as a quarter of the rows and the fewest values stay.
void add_far_ends(const TermData& data, const Rows& rows, const Scale& scale,
                  std::size_t fewest_values, std::vector<Fold>& folds) {
  std::map<double, std::size_t> counts;
  for (const Index row : rows)
    ++counts[data.features(row, scale.feature)];
  if (counts.size() <= fewest_values)
    return;
  const double all = static_cast<double>(rows.size());
  const double middle = 0.5 * (counts.begin()->first + counts.rbegin()->first);
  double near = 0;
  double deep = 0;
  std::size_t held_out = 0;
  std::size_t values_left = counts.size();
  bool near_found = false;
  for (auto entry = counts.rbegin(); entry != counts.rend() && values_left > fewest_values;
       ++entry) {
    const double before = static_cast<double>(held_out);
    held_out += entry->second;
    --values_left;
    const double share = static_cast<double>(held_out) / all;
    const bool first = before == 0;
    if (!first && (share > 1 - kLeastShare || (near_found && entry->first < middle)))
      break;
    deep = entry->first;
    if (!near_found)
      near = entry->first;
    near_found = near_found || share >= kFarShare;
  }
  folds.push_back(far_end(data, rows, scale, near));
  if (deep < near)
    folds.push_back(far_end(data, rows, scale, deep));
}

double lowest(const NumericInput& input) {
  return input.zero ? input.zero->unit : input.low;
}

bool is_scale(const NumericInput& intrinsic) {
  return intrinsic.high >= kScaleRange * lowest(intrinsic);
}

/// The numeric columns whose far ends are held out, extrinsic ones before intrinsic ones.
std::vector<std::size_t> scales_of(const ModelSpec& spec, std::size_t numerics) {
  std::vector<std::size_t> out;
  for (std::size_t input = 0; input < numerics; ++input)
    if (input < spec.extrinsic.size() || is_scale(numeric_input(spec, input)))
      out.push_back(input);
  if (out.size() > kMostScales) {
    const auto order = [&](std::size_t n) {
      const NumericInput& input = numeric_input(spec, n);
      return std::tuple(n >= spec.extrinsic.size(), lowest(input) / input.high, input.column);
    };
    std::sort(out.begin(), out.end(),
              [&](std::size_t a, std::size_t b) { return order(a) < order(b); });
    out.resize(kMostScales);
    std::sort(out.begin(), out.end());
  }
  return out;
}

}  // namespace

std::vector<Fold> make_folds(const TermCoordinates& coordinates, const ModelSpec& spec,
                             std::size_t most_rows, std::uint64_t seed) {
  const TermData& data = coordinates.data();
  auto configurations = shuffled_configurations(data, seed);
  std::vector<Fold> folds;
  if (configurations.size() < kFewestConfigurations)
    return folds;
  Rows rows;
  std::size_t used = 0;
  while (used < configurations.size() && rows.size() < most_rows) {
    rows.insert(rows.end(), configurations[used].begin(), configurations[used].end());
    ++used;
  }
  configurations.resize(used);
  std::sort(rows.begin(), rows.end());
  add_random_parts(configurations, folds);
  const std::vector<Index> features = coordinates.numeric_features();
  const std::size_t fewest_values =
      configurations.size() <= kFewestForManyFolds ? kFewestValuesOfFew : kFewestValues;
  for (const std::size_t input : scales_of(spec, features.size()))
    add_far_ends(data, rows, {input, features[input]}, fewest_values, folds);
  for (Fold& fold : folds) {
    std::sort(fold.training.begin(), fold.training.end());
    std::sort(fold.held_out.begin(), fold.held_out.end());
  }
  return folds;
}

}  // namespace perfmodel
