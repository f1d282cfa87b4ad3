#include "support/paper_runs.hpp"

#include <cmath>
#include <map>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "suggest/suggest_documents.hpp"
#include "support/rows.hpp"
#include "table/expressions.hpp"

namespace perfmodel::test {
namespace {

struct Term {
  double a;
  double p;
};

/// Table 3 of Kavarakuntla et al. 2024, means.
struct Constants {
  std::map<std::string, Term> intrinsic;
  std::map<std::string, std::map<std::string, double>> categorical;
  std::map<std::string, double> extrinsic;
  double intercept;
};

const Constants& table3(Framework framework) {
  static const Constants mxnet{
      {{"filters", {554.87, -4.06}},
       {"kernel_size", {10.57, -4.1}},
       {"pool_size", {18.08, -4.21}},
       {"learning_rate", {459.5, 3.68}},
       {"stride", {17.29, -0.83}},
       {"dropout", {1.79, 2.24}}},
      {{"padding", {{"same", 2.5}, {"valid", 1.56}}},
       {"activation", {{"sigmoid", 23.25}, {"relu", 21.9}, {"tanh", 23.14}}},
       {"dataset", {{"mnist", 35.75}, {"fashion_mnist", 35.94}, {"cifar10", 18.57}}},
       {"optimizer", {{"sgd", 16.68}, {"adam", 16.85}}}},
      {{"batch_size", -0.99}, {"gpus", -0.99}},
      3.703};
  static const Constants pytorch{
      {{"filters", {423.36, -2.88}},
       {"kernel_size", {168.54, -2.34}},
       {"pool_size", {209.14, -3.31}},
       {"learning_rate", {489.52, 3.21}},
       {"stride", {140.64, -0.63}},
       {"dropout", {437.06, 1.8}}},
      {{"padding", {{"same", 11.02}, {"valid", 0.77}}},
       {"activation", {{"sigmoid", 475.92}, {"relu", 475.56}, {"tanh", 444.48}}},
       {"dataset", {{"mnist", 815.62}, {"fashion_mnist", 815.68}, {"cifar10", 308.73}}},
       {"optimizer", {{"sgd", 361.65}, {"adam", 720.15}}}},
      {{"batch_size", -1.13}, {"gpus", -1.029}},
      12.677};
  static const Constants tensorflow{
      {{"filters", {346.73, -3.22}},
       {"kernel_size", {54.78, -4.0}},
       {"pool_size", {79.45, -3.48}},
       {"learning_rate", {458.34, 3.26}},
       {"stride", {29.0, -1.85}},
       {"dropout", {10.23, 1.87}}},
      {{"padding", {{"same", 6.14}, {"valid", 1.61}}},
       {"activation", {{"sigmoid", 251.57}, {"relu", 255.93}, {"tanh", 254.28}}},
       {"dataset", {{"mnist", 232.24}, {"fashion_mnist", 231.33}, {"cifar10", 124.56}}},
       {"optimizer", {{"sgd", 158.74}, {"adam", 168.55}}}},
      {{"batch_size", -1.35}, {"gpus", -0.74}},
      1.93};
  if (framework == Framework::mxnet)
    return mxnet;
  return framework == Framework::pytorch ? pytorch : tensorflow;
}

Column numeric_column(const std::string& name, const std::vector<double>& values, std::size_t rows,
                      RandomStream& random) {
  Column column;
  column.name = name;
  for (std::size_t r = 0; r < rows; ++r)
    column.numbers.push_back(values[random.below(values.size())]);
  return column;
}

Column text_column(const std::string& name, const std::vector<std::string>& levels,
                   std::size_t rows, RandomStream& random) {
  Column column;
  column.name = name;
  column.kind = Column::Kind::text;
  column.levels = levels;
  for (std::size_t r = 0; r < rows; ++r)
    column.codes.push_back(static_cast<std::uint32_t>(random.below(levels.size())));
  return column;
}

/// Table 2's value sets.
Table configurations(std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, "configurations");
  Table table;
  table.source = "simulated.csv";
  table.columns = {
      numeric_column("kernel_size", {2, 3, 4, 5}, rows, random),
      numeric_column("pool_size", {2, 3, 4, 5}, rows, random),
      text_column("activation", {"relu", "tanh", "sigmoid"}, rows, random),
      text_column("optimizer", {"adam", "sgd"}, rows, random),
      text_column("dataset", {"mnist", "fashion_mnist", "cifar10"}, rows, random),
      numeric_column("filters", {4, 8, 16, 32, 64}, rows, random),
      numeric_column("learning_rate", {0.1, 0.01, 0.001, 0.0001, 1e-05, 1e-06}, rows, random),
      text_column("padding", {"valid", "same"}, rows, random),
      numeric_column("stride", {1, 2, 3}, rows, random),
      numeric_column("dropout", {0.2, 0.5, 0.8}, rows, random),
      numeric_column("gpus", {1, 2, 3}, rows, random),
      numeric_column("batch_size", {8, 16, 32, 64, 128}, rows, random)};
  for (std::size_t r = 0; r < rows; ++r)
    table.lines.push_back(static_cast<std::uint32_t>(r + 2));
  return table;
}

/// Eq. (4) written out on its own, so that it can check the program's.
double time_of(const Table& table, const Constants& constants, std::size_t row) {
  double sum = 0;
  for (const auto& [name, term] : constants.intrinsic)
    sum += term.a * std::pow(table.find(name)->numbers[row], term.p);
  for (const auto& [name, levels] : constants.categorical)
    sum += levels.at(table.find(name)->text(row));
  double product = 1;
  for (const auto& [name, q] : constants.extrinsic)
    product *= std::pow(table.find(name)->numbers[row], q);
  return sum * product + constants.intercept;
}

Eigen::VectorXd in_layout(const ModelSpec& spec, const Constants& constants) {
  const Eq4Layout layout(spec);
  Eigen::VectorXd out(static_cast<Eigen::Index>(layout.size()));
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    const Term term = constants.intrinsic.at(spec.intrinsic[i].column);
    out[static_cast<Eigen::Index>(layout.coefficient(i))] = term.a;
    out[static_cast<Eigen::Index>(layout.intrinsic_power(i))] = term.p;
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    for (std::size_t l = 0; l < input.levels.size(); ++l) {
      out[static_cast<Eigen::Index>(layout.level(c, l))] =
          constants.categorical.at(input.column).at(input.levels[l]);
    }
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    out[static_cast<Eigen::Index>(layout.extrinsic_power(j))] =
        constants.extrinsic.at(spec.extrinsic[j].column);
  }
  out[static_cast<Eigen::Index>(layout.intercept())] = constants.intercept;
  return out;
}

}  // namespace

PaperRuns runs_of(Table table, const RoleRequest& request) {
  PaperRuns out;
  out.table = std::move(table);
  out.spec =
      make_spec(out.table, resolve_roles(out.table, request), rows_between(0, out.table.rows()));
  out.design = make_design(out.table, out.spec, Target::required);
  return out;
}

PaperRuns paper_runs(Framework framework, std::size_t rows, double noise, std::uint64_t seed) {
  Table table = configurations(rows, seed);
  Column time;
  time.name = "time_s";
  RandomStream random(seed, "noise");
  for (std::size_t r = 0; r < rows; ++r) {
    time.numbers.push_back(time_of(table, table3(framework), r) *
                           std::exp(noise * random.normal()));
  }
  table.columns.push_back(std::move(time));
  PaperRuns out = runs_of(std::move(table));
  out.constants = in_layout(out.spec, table3(framework));
  return out;
}

plan::Space paper_space() {
  return read_space(PERFMODEL_SOURCE_DIR "/data/paper/table2.json");
}

Eq4Options within(const std::vector<std::string>& bounds) {
  return {.search = {.bounds = mapped(bounds, parse_bound)}};
}

}  // namespace perfmodel::test
