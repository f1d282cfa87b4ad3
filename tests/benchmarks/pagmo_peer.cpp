// pagmo2's differential evolution (best/1/bin) on Eq. (4) in scaled log coordinates, the objective
// written with Eigen: the time until the cost is at most GOAL.
//
//     perfmodel_pagmo_peer TABLE GOAL SEED
//
// TABLE, as search_engine.py writes it: rows, intrinsic, level and extrinsic columns; then per row
// the centred logs, the indicators, the centred logs and the time.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/de.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <utility>

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Eq4 {
  MatrixXd intrinsic, levels, extrinsic;
  VectorXd time;

  pagmo::vector_double fitness(const pagmo::vector_double& x) const {
    const Index n = intrinsic.cols(), l = levels.cols(), m = extrinsic.cols();
    const Eigen::Map<const VectorXd> v(x.data(), static_cast<Index>(x.size()));
    const VectorXd a = v.head(n + l).array().exp();
    const auto powers = intrinsic.array().rowwise() * v.segment(n + l, n).transpose().array();
    const VectorXd sum = powers.exp().matrix() * a.head(n) + levels * a.tail(l);
    const ArrayXd product = (extrinsic * v.segment(2 * n + l, m)).array().exp();
    const ArrayXd predicted = sum.array() * product + std::exp(v[v.size() - 1]);
    return {(time.array() - predicted).abs().mean()};
  }

  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    VectorXd sorted = time;
    std::sort(sorted.data(), sorted.data() + sorted.size());
    const double low = std::log(1e-4 * sorted[sorted.size() / 2]);
    const double high = std::log(2 * sorted[sorted.size() - 1]);
    const auto coefficients = static_cast<std::size_t>(intrinsic.cols() + levels.cols());
    const auto powers = static_cast<std::size_t>(intrinsic.cols() + extrinsic.cols());
    pagmo::vector_double lower(coefficients, low), upper(coefficients, high);
    lower.insert(lower.end(), powers, -5);
    upper.insert(upper.end(), powers, 5);
    lower.push_back(low);
    upper.push_back(high);
    return {lower, upper};
  }
};

int main(int count, char** arguments) {
  if (count != 4)
    return 2;
  std::ifstream file(arguments[1]);
  Index rows = 0, n = 0, l = 0, m = 0;
  file >> rows >> n >> l >> m;
  Eq4 eq{MatrixXd(rows, n), MatrixXd(rows, l), MatrixXd(rows, m), VectorXd(rows)};
  for (Index r = 0; r < rows; ++r) {
    for (Index i = 0; i < n; ++i)
      file >> eq.intrinsic(r, i);
    for (Index i = 0; i < l; ++i)
      file >> eq.levels(r, i);
    for (Index i = 0; i < m; ++i)
      file >> eq.extrinsic(r, i);
    file >> eq.time[r];
  }
  const double goal = std::atof(arguments[2]);
  const auto seed = static_cast<unsigned>(std::atoi(arguments[3]));
  const auto members = static_cast<unsigned>(15 * (2 * n + l + m + 1));
  const auto begin = std::clock();
  const auto seconds = [&] { return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; };
  pagmo::population population{pagmo::problem{eq}, members, seed};
  const pagmo::algorithm de{pagmo::de(10, 0.75, 0.7, 6u, 0, 0, seed)};
  while (population.champion_f()[0] > goal && seconds() < 60)
    population = de.evolve(population);
  std::printf("%.4f %.9g %llu\n", seconds(), population.champion_f()[0],
              static_cast<unsigned long long>(population.get_problem().get_fevals()));
  return 0;
}
