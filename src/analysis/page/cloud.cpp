#include "analysis/page/cloud.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace perfmodel::page {
namespace {

std::size_t cell_of(double position) {
  const auto cells = static_cast<double>(Cloud::cells_per_side);
  const double cell = std::floor(position * cells);
  return static_cast<std::size_t>(std::clamp(cell, 0.0, cells - 1));
}

std::vector<Cell> counted(const std::vector<Point>& points, const Range& x, const Range& y) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> counts;
  for (const Point& point : points)
    ++counts[{cell_of(x.position(point.x)), cell_of(y.position(point.y))}];
  const auto border = [](const Range& range, std::size_t cell) {
    return range.value(static_cast<double>(cell) / static_cast<double>(Cloud::cells_per_side));
  };
  std::vector<Cell> cells;
  for (const auto& [place, count] : counts) {
    const auto [column, row] = place;
    cells.push_back(
        {border(x, column), border(x, column + 1), border(y, row), border(y, row + 1), count});
  }
  return cells;
}

}  // namespace

Cloud cloud_of(const std::vector<Point>& points, const Range& x, const Range& y) {
  Cloud cloud{.x = x, .y = y, .points = {}, .cells = {}};
  for (const Point& point : points)
    if (x.contains(point.x) && y.contains(point.y))
      cloud.points.push_back(point);
  cloud.inside = cloud.points.size();
  cloud.outside = points.size() - cloud.inside;
  if (cloud.inside > Cloud::most_points) {
    cloud.cells = counted(cloud.points, x, y);
    cloud.points.clear();
  }
  return cloud;
}

}  // namespace perfmodel::page
