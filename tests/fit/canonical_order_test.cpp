#include "fit/canonical_order.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "fit/fit.hpp"
#include "forms/fit_options.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/design.hpp"
#include "perfmodel/fit_options.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using Eigen::VectorXd;

namespace {

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

/// Names in the opposite order, each behind a letter.
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
  CAPTURE(std::string(to_text(expression_of(options))), std::string(to_text(options.residual)),
          std::string(to_text(options.loss)), given_terms(options).value_or(0));
  CHECK(((times - others).array() / times.array()).abs().maxCoeff() < 1e-9);
}

/// The columns of a canonical order, each with its levels, without the first `letters` of all
/// names.
std::vector<std::string> canonical_names(const ModelSpec& spec, const Design& runs,
                                         std::size_t letters = 0) {
  const ModelSpec sorted = canonical(spec, runs).spec;
  std::vector<std::string> out;
  for (const auto* inputs : {&sorted.intrinsic, &sorted.extrinsic})
    for (const NumericInput& input : *inputs)
      out.push_back(input.column.substr(letters));
  for (const CategoricalInput& input : sorted.categorical) {
    out.push_back(input.column.substr(letters));
    for (const std::string& level : input.levels)
      out.push_back(level.substr(letters));
  }
  return out;
}

}  // namespace

TEST_CASE("the canonical order follows the contents of the distinct rows", "[fit]") {
  for (const NamedRuns& named : {runs_of_products(), runs_of_lenet()}) {
    const test::PaperRuns runs = test::runs_of(named.table, named.roles);
    const std::vector<std::string> names = canonical_names(runs.spec, runs.design);
    const NamedRuns others = renamed_runs(named);
    const test::PaperRuns renamed = test::runs_of(others.table, others.roles);
    CHECK(canonical_names(renamed.spec, renamed.design, 1) == names);
    const test::PaperRuns moved = test::runs_of(shuffled(named.table), named.roles);
    CHECK(canonical_names(moved.spec, moved.design) == names);
    std::vector<std::size_t> thrice;
    for (std::size_t row = 0; row < runs.design.rows; ++row)
      thrice.insert(thrice.end(), 3, row);
    CHECK(canonical_names(runs.spec, take_rows(runs.design, thrice)) == names);
  }
}

TEST_CASE("a width and its square stand in the same order whatever they are called", "[fit]") {
  const auto order = [](const std::string& header) {
    RoleRequest request;
    request.extrinsic = std::vector<std::string>{};
    const test::PaperRuns runs = test::runs_of(
        test::table_of(header + ",time_s\n1,1,2\n2,4,3\n4,16,5\n8,64,9\n3,9,4\n"), request);
    return canonical(runs.spec, runs.design).spec.intrinsic.front().column;
  };
  CHECK((order("a,b") == "a") == (order("b,a") == "b"));
}

TEST_CASE("names of columns and levels decide nothing, whatever the form", "[fit][whole-fits]") {
  FitOptions options;
  for (const Residual residual : {Residual::none, Residual::gp})
    for (const FormOptions& form : std::initializer_list<FormOptions>{
             Eq4Options(), SumOptions(), SumOptions{1}, SumOptions{2}}) {
      options = {};
      options.form = form;
      options.residual = residual;
      options.loss = default_loss(options);
      check_names_do_not_matter(runs_of_products(), 160, options);
      check_names_do_not_matter(runs_of_lenet(), 120, options);
    }
  options = {};
  options.form = AutomaticOptions();
  options.residual = Residual::chosen;
  options.loss = default_loss(options);
  check_names_do_not_matter(runs_of_products(), 160, options);
}
