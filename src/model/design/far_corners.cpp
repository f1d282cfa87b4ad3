#include "model/design/far_corners.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kStrips = 16;
constexpr std::size_t kNear = kStrips / 2;  // strips
using Marks = std::array<std::array<bool, kStrips>, kStrips>;

/// Of each pair of strips whether a row is near: within the distance along one axis and the other.
Marks near_rows(const Marks& measured) {
  const auto first = [](std::size_t i) { return i > kNear ? i - kNear : 0; };
  const auto last = [](std::size_t i) { return std::min(kStrips - 1, i + kNear); };
  Marks along{};
  Marks out{};
  for (std::size_t i = 0; i < kStrips; ++i)
    for (std::size_t j = 0; j < kStrips; ++j)
      for (std::size_t k = first(i); k <= last(i); ++k)
        along[i][j] = along[i][j] || measured[k][j];
  for (std::size_t i = 0; i < kStrips; ++i)
    for (std::size_t j = 0; j < kStrips; ++j)
      for (std::size_t k = first(j); k <= last(j); ++k)
        out[i][j] = out[i][j] || along[i][k];
  return out;
}

/// Of each pair of strips whether towards each of the four corners a row lies that is no less far
/// out in both columns.
Marks enclosed(const Marks& measured) {
  Marks out;
  for (auto& row : out)
    row.fill(true);
  for (const bool up : {false, true}) {
    for (const bool right : {false, true}) {
      const auto strip = [](bool from_end, std::size_t k) {
        return from_end ? kStrips - 1 - k : k;
      };
      std::array<bool, kStrips> seen{};  // by strip of b, in the strips of a so far
      for (std::size_t k = 0; k < kStrips; ++k) {
        const std::size_t i = strip(up, k);
        bool any = false;
        for (std::size_t l = 0; l < kStrips; ++l) {
          const std::size_t j = strip(right, l);
          seen[j] = seen[j] || measured[i][j];
          any = any || seen[j];
          out[i][j] = out[i][j] && any;
        }
      }
    }
  }
  return out;
}

/// Strips first..last of both columns.
struct StripRectangle {
  std::size_t first_a;
  std::size_t last_a;
  std::size_t first_b;
  std::size_t last_b;
};

/// Rows of equal runs of far strips are joined.
std::vector<StripRectangle> far_rectangles(const Marks& measured) {
  const Marks close = near_rows(measured);
  const Marks inside = enclosed(measured);
  const auto far = [&](std::size_t i, std::size_t j) { return !close[i][j] && !inside[i][j]; };
  std::vector<StripRectangle> out;
  for (std::size_t i = 0; i < kStrips; ++i) {
    for (std::size_t j = 0; j < kStrips; ++j) {
      if (!far(i, j))
        continue;
      const std::size_t first = j;
      while (j + 1 < kStrips && far(i, j + 1))
        ++j;
      const auto below = std::find_if(out.begin(), out.end(), [&](const StripRectangle& known) {
        return known.last_a + 1 == i && known.first_b == first && known.last_b == j;
      });
      if (below != out.end())
        below->last_a = i;
      else
        out.push_back({i, i, first, j});
    }
  }
  return out;
}

RegionPart part_of(const StripColumn& column, std::size_t first, std::size_t last) {
  return {column.column, column.edges[first], column.edges[last + 1], ""};
}

}  // namespace

StripColumn strips_of(const NumericInput& input, const NumericFactor& factor, std::size_t rows) {
  NumericInput shifted = input;  // where 0 has a way of its own, it is far from nothing else
  if (shifted.zero)
    shifted.zero->apart = false;
  const auto place = [&](double value) { return std::log(shifted.counted(value)); };
  const auto value_at = [&](double at) {
    return shifted.zero ? shifted.zero->unit * std::expm1(at) : std::exp(at);
  };
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    low = std::min(low, factor.value(row));
    high = std::max(high, factor.value(row));
  }
  const double start = place(low);
  const double width = (place(high) - start) / static_cast<double>(kStrips);
  // Numbers for people: no row is so near that a tenth of a strip matters.
  const auto edge_at = [&](double at) {
    const double exact = value_at(at);
    const double rough = parse_number(rounded(exact)).value_or(exact);
    return std::abs(place(rough) - at) < 0.1 * width ? rough : exact;
  };
  StripColumn out;
  out.column = input.column;
  out.edges.push_back(low);
  for (std::size_t strip = 1; strip < kStrips; ++strip)
    out.edges.push_back(edge_at(start + static_cast<double>(strip) * width));
  out.edges.push_back(high);
  for (std::size_t row = 0; row < rows; ++row) {
    const double strip = std::floor((place(factor.value(row)) - start) / width);
    out.of_row.push_back(
        static_cast<std::uint8_t>(std::clamp(strip, 0.0, static_cast<double>(kStrips - 1))));
  }
  return out;
}

std::vector<UnmeasuredRegion> far_corners(const StripColumn& a, const StripColumn& b) {
  Marks measured{};
  for (std::size_t row = 0; row < a.of_row.size(); ++row)
    measured[a.of_row[row]][b.of_row[row]] = true;
  std::vector<UnmeasuredRegion> out;
  for (const StripRectangle& far : far_rectangles(measured))
    out.push_back({{part_of(a, far.first_a, far.last_a), part_of(b, far.first_b, far.last_b)}});
  return out;
}

}  // namespace perfmodel
