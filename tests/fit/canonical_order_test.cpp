#include "fit/canonical_order.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "fit/fit.hpp"
#include "perfmodel/io/csv/csv.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using Eigen::VectorXd;

namespace {

Table table_of_runs() {
  return read_csv(PERFMODEL_SOURCE_DIR "/tests/data/optima/three_products.csv");
}

RoleRequest roles() {
  RoleRequest request;
  request.extrinsic = {"gpus", "batch"};
  return request;
}

/// The same runs with columns and rows in another order.
Table shuffled(const Table& table) {
  RandomStream random(3, "shuffled");
  Table out = table;
  random.shuffle(std::span(out.columns));
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  random.shuffle(std::span(rows));
  for (Column& column : out.columns) {
    const Column from = column;
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (column.is_numeric())
        column.numbers[row] = from.numbers[rows[row]];
      else
        column.codes[row] = from.codes[rows[row]];
  }
  return out;
}

Table in_units(const Table& table, const std::string& name, double factor) {
  Table out = table;
  for (Column& column : out.columns) {
    if (column.name != name)
      continue;
    for (double& number : column.numbers)
      number *= factor;
  }
  return out;
}

struct Kind {
  Expression expression;
  std::optional<std::size_t> terms;
  Loss loss;
};

/// Eq. (4), sums of two products and chosen ones, under every loss.
std::vector<Kind> kinds() {
  std::vector<Kind> out;
  for (const Loss loss : {Loss::mae, Loss::mape, Loss::mse, Loss::rmsle}) {
    out.push_back({Expression::generic, {}, loss});
    out.push_back({Expression::multi, 2, loss});
  }
  out.push_back({Expression::multi, {}, Loss::soft_l1});
  out.push_back({Expression::multi, {}, Loss::mse});
  return out;
}

FittedModel fitted(const test::PaperRuns& runs, const Kind& kind) {
  FitOptions options;
  options.expression = kind.expression;
  options.terms = kind.terms;
  options.loss = kind.loss;
  return fit(runs.spec, runs.design, options);
}

double worst_difference(const VectorXd& a, const VectorXd& b) {
  return ((a - b).array() / a.array()).abs().maxCoeff();
}

}  // namespace

TEST_CASE("a fit does not depend on the order of rows and columns", "[fit][whole-fits]") {
  const test::PaperRuns runs = test::runs_of(table_of_runs(), roles());
  const Table other_order = shuffled(runs.table);
  RoleRequest other_roles = roles();
  std::reverse(other_roles.extrinsic->begin(), other_roles.extrinsic->end());
  const test::PaperRuns other = test::runs_of(other_order, other_roles);
  REQUIRE(other.spec.extrinsic.front().column != runs.spec.extrinsic.front().column);
  for (const Kind& kind : kinds()) {
    const FittedModel model = fitted(runs, kind);
    const FittedModel same = fitted(other, kind);
    CAPTURE(std::string(to_text(kind.expression)), std::string(to_text(kind.loss)));
    const Design of_same = make_design(runs.table, same.spec, Target::required);
    CHECK(worst_difference(predict(model, runs.design), predict(same, of_same)) < 1e-9);
    CHECK(same.search.cost == Catch::Approx(model.search.cost).epsilon(1e-12));
    // Each constant stands with its own column.
    const std::vector<std::string> names = constant_names(model);
    const std::vector<std::string> other_names = constant_names(same);
    REQUIRE(names.size() == other_names.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
      const auto at = std::find(other_names.begin(), other_names.end(), names[k]);
      CAPTURE(names[k]);
      REQUIRE(at != other_names.end());
      const auto index = static_cast<std::size_t>(at - other_names.begin());
      CHECK(same.constants[static_cast<Eigen::Index>(index)] ==
            Catch::Approx(model.constants[static_cast<Eigen::Index>(k)]).epsilon(1e-9));
      CHECK(same.identifiability->constants[index] == model.identifiability->constants[k]);
    }
  }
}

TEST_CASE("a fit does not depend on units", "[fit][whole-fits]") {
  const Table table = table_of_runs();
  const test::PaperRuns runs = test::runs_of(table, roles());
  const test::PaperRuns slower =
      test::runs_of(in_units(in_units(table, "time_s", 1e3), "size", 0.7), roles());
  for (const Kind& kind : kinds()) {
    CAPTURE(std::string(to_text(kind.expression)), std::string(to_text(kind.loss)));
    const VectorXd seconds = predict(fitted(runs, kind), runs.design);
    const VectorXd milliseconds = predict(fitted(slower, kind), slower.design);
    CHECK(worst_difference(1e3 * seconds, milliseconds) < 1e-9);
  }
}
