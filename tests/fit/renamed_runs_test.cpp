#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "fit/fit.hpp"
#include "perfmodel/io/csv/csv.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"

// Names are no part of what was measured: a fit to runs whose columns and levels are all called
// otherwise predicts the same.

using namespace perfmodel;
using Eigen::VectorXd;

namespace {

/// Names in the opposite order.
std::vector<std::string> turned_names(const std::vector<std::string>& names) {
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const auto place = std::find(sorted.begin(), sorted.end(), name) - sorted.begin();
    out.push_back(std::string(1, static_cast<char>('z' - place)) + name);
  }
  return out;
}

struct NamedRuns {
  Table table;
  RoleRequest roles;
};

NamedRuns renamed_runs(NamedRuns runs) {
  std::vector<std::string> names;
  for (const Column& column : runs.table.columns)
    names.push_back(column.name);
  const std::vector<std::string> others = turned_names(names);
  const auto other = [&](const std::string& name) {
    const auto place = std::find(names.begin(), names.end(), name) - names.begin();
    return others[static_cast<std::size_t>(place)];
  };
  for (Column& column : runs.table.columns) {
    column.name = other(column.name);
    column.levels = turned_names(column.levels);
  }
  runs.roles.target = other(*runs.roles.target);
  for (auto* columns : {&*runs.roles.extrinsic, &*runs.roles.intrinsic, &runs.roles.categorical})
    for (std::string& name : *columns)
      name = other(name);
  return runs;
}

NamedRuns runs_of_products() {
  NamedRuns out{read_csv(PERFMODEL_SOURCE_DIR "/tests/data/optima/three_products.csv"), {}};
  out.roles.target = "time_s";
  out.roles.extrinsic = {"gpus", "batch"};
  out.roles.intrinsic = {"size", "depth"};
  out.roles.categorical = {"kind"};
  return out;
}

/// Runs of a network with five columns of levels; 120 of them.
NamedRuns runs_of_lenet() {
  NamedRuns out{read_csv(PERFMODEL_SOURCE_DIR "/data/lenet5_test300.csv"), {}};
  out.roles.target = "time_s";
  out.roles.extrinsic = {"workers", "batch_size"};
  out.roles.intrinsic = std::vector<std::string>{};
  for (const Column& column : out.table.columns)
    if (!column.is_numeric())
      out.roles.categorical.push_back(column.name);
    else if (column.name != "time_s" && column.name != "workers" && column.name != "batch_size")
      out.roles.intrinsic->push_back(column.name);
  return out;
}

void check_names_do_not_matter(const NamedRuns& runs, std::size_t rows, const FitOptions& options) {
  const auto predicted = [&](const NamedRuns& named) {
    const test::PaperRuns own = test::runs_of(named.table, named.roles);
    std::vector<std::size_t> fitted(std::min(rows, own.design.rows));
    std::iota(fitted.begin(), fitted.end(), std::size_t{0});
    return predict(fit(own.spec, take_rows(own.design, fitted), options), own.design);
  };
  const VectorXd times = predicted(runs);
  const VectorXd others = predicted(renamed_runs(runs));
  CAPTURE(std::string(to_text(options.expression)), std::string(to_text(options.residual)),
          std::string(to_text(options.loss)), options.terms.value_or(0));
  CHECK(((times - others).array() / times.array()).abs().maxCoeff() < 1e-9);
}

}  // namespace

TEST_CASE("names of columns and levels decide nothing, whatever the form", "[fit][whole-fits]") {
  FitOptions options;
  for (const Expression expression : {Expression::generic, Expression::multi}) {
    options = {};
    options.expression = expression;
    for (const std::optional<std::size_t> terms : {std::optional<std::size_t>{}, {1}, {2}}) {
      options.terms = terms;
      options.residual = Residual::none;
      options.loss = default_loss(options);
      check_names_do_not_matter(runs_of_products(), 160, options);
      check_names_do_not_matter(runs_of_lenet(), 120, options);
      if (expression == Expression::generic)
        break;
      options.residual = Residual::process;
      check_names_do_not_matter(runs_of_products(), 160, options);
      check_names_do_not_matter(runs_of_lenet(), 120, options);
    }
  }
  options = {};
  options.expression = Expression::automatic;
  options.residual = Residual::chosen;
  options.loss = default_loss(options);
  check_names_do_not_matter(runs_of_products(), 160, options);
}
