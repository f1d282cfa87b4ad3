#include "analysis/rearrangement.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "table/formula.hpp"

using namespace perfmodel;
using Catch::Approx;

namespace {

double time_in_valley(double x, double y) {
  return 2 + (x - 5) * (x - 5) / 8 + y / 4;
}

/// Configurations of x = 1, ..., 9 and y = 1, ..., 4, with their times.
std::string valley() {
  std::string csv = "x,y,t\n";
  for (int x = 1; x <= 9; ++x)
    for (int y = 1; y <= 4; ++y)
      csv += to_text(x) + "," + to_text(y) + "," + to_text(time_in_valley(x, y)) + "\n";
  return csv;
}

/// A model that is exact there, and has its least times at x = 5.
const FittedModel& model_of_valley() {
  static const FittedModel model = [] {
    FitRequest request;
    request.options.expression = Expression::formula;
    request.options.formula = parse_own_formula("t = a + b * (x - 5)^2 + c * y");
    request.options.loss = Loss::mse;
    request.roles.formula = request.options.formula;
    request.held_out.intervals = false;
    return fit_runs(test::table_of(valley()), request).model;
  }();
  return model;
}

Eigen::VectorXd rearranged_times(const FittedModel& model, const Table& rows,
                                 const std::vector<Monotone>& directions) {
  Eigen::VectorXd out = predict(model, make_design(rows, model.spec, Target::absent));
  rearrange(model, rows, directions, out);
  return out;
}

}  // namespace

TEST_CASE("rearranged times are those along the column in order", "[rearrangement]") {
  const Table rows = test::table_of("x,y\n9,2\n1,2\n2,2\n5,2\n8,2\n");
  const std::vector<Monotone> rising = {{"x", true}};
  const Eigen::VectorXd times = rearranged_times(model_of_valley(), rows, rising);

  std::vector<double> axis = {1, 2, 5, 8, 9};
  for (int k = 1; k < 16; ++k)
    axis.push_back(std::pow(9, k / 16.0));  // 1 and 9 are the ends of the range
  std::ranges::sort(axis);
  std::vector<double> sorted;
  for (const double x : axis)
    sorted.push_back(time_in_valley(x, 2));
  std::ranges::sort(sorted);
  const auto expected = [&](double x) {
    return sorted[static_cast<std::size_t>(std::ranges::lower_bound(axis, x - 1e-9) -
                                           axis.begin())];
  };
  const std::vector<double> asked = {9, 1, 2, 5, 8};
  for (std::size_t row = 0; row < asked.size(); ++row)
    CHECK(times[index(row)] == Approx(expected(asked[row])).epsilon(1e-7));
  CHECK(times[0] == Approx(time_in_valley(9, 2)));  // the largest one
  CHECK(times[1] == Approx(time_in_valley(5, 2)));  // the least one

  const std::vector<Monotone> falling = {{"x", false}};
  const Eigen::VectorXd other = rearranged_times(model_of_valley(), rows, falling);
  CHECK(other[0] == Approx(times[1]));
  CHECK(other[1] == Approx(times[0]));
}

TEST_CASE("predictions that are monotone stay as they are", "[rearrangement]") {
  const FittedModel& model = model_of_valley();
  const Table rows = test::table_of(valley());
  const std::vector<Monotone> rising = {{"y", true}};
  const Eigen::VectorXd plain = predict(model, make_design(rows, model.spec, Target::absent));
  CHECK(rearranged_times(model, rows, rising) == plain);
}

TEST_CASE("times can be monotone in several columns", "[rearrangement]") {
  const FittedModel& model = model_of_valley();
  const Table rows = test::table_of(valley());
  const std::vector<Monotone> ways = {{"x", true}, {"y", false}};
  const Eigen::VectorXd times = rearranged_times(model, rows, ways);
  for (Eigen::Index x = 0; x < 9; ++x) {
    for (Eigen::Index y = 0; y < 4; ++y) {
      if (x > 0)
        CHECK(times[4 * x + y] >= times[4 * (x - 1) + y]);
      if (y > 0)
        CHECK(times[4 * x + y] <= times[4 * x + y - 1]);
    }
  }
  const std::vector<Monotone> other_order = {ways[1], ways[0]};
  const Eigen::VectorXd same = rearranged_times(model, rows, other_order);
  CHECK((same - times).cwiseAbs().maxCoeff() < 1e-12);

  std::vector<std::size_t> backwards(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row)
    backwards[row] = rows.rows() - 1 - row;
  CHECK(rearranged_times(model, take_rows(rows, backwards), ways) == times.reverse());
}

TEST_CASE("columns that cannot direct a prediction are refused", "[rearrangement]") {
  const auto refusal = [](const std::vector<Monotone>& directions) {
    try {
      check_directions(model_of_valley().spec, directions);
      return std::string();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
  };
  CHECK(refusal({{"x", true}, {"y", false}}).empty());
  CHECK(refusal({{"xx", true}}).find("'xx' is no numeric input of the model") != std::string::npos);
  CHECK(refusal({{"x", true}, {"x", false}}).find("names 'x' twice") != std::string::npos);
  CHECK(refusal({{"x", true}, {"y", true}, {"a", true}, {"b", true}}).find("3 columns at most") !=
        std::string::npos);
}
