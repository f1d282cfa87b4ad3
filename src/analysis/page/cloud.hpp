#pragma once

#include <cstddef>
#include <vector>

#include "analysis/page/range.hpp"

namespace perfmodel::page {

struct Point {
  double x = 0;
  double y = 0;
};

/// A cell of a grid, as its borders, and how many points it holds.
struct Cell {
  double x_low = 0;
  double x_high = 0;
  double y_low = 0;
  double y_high = 0;
  std::size_t count = 0;
};

/// The points of a figure, each of them or, where there are too many to be told apart, counted in
/// the cells of a grid; so a figure of a million points is no larger than one of some thousand.
struct Cloud {
  static constexpr std::size_t most_points = 2000;
  static constexpr std::size_t cells_per_side = 60;

  Range x;
  Range y;
  std::vector<Point> points;  ///< empty where they are counted
  std::vector<Cell> cells;    ///< those that hold points, by x, then by y
  std::size_t inside = 0;     ///< points in both ranges
  std::size_t outside = 0;    ///< points beyond them, which the figure does not show
};

Cloud cloud_of(const std::vector<Point>& points, const Range& x, const Range& y);

}  // namespace perfmodel::page
