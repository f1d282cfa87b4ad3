#include "fit/sum/shared_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "fit/sum/descent/approach.hpp"
#include "fit/sum/terms/regimes.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kLeastShareOfTime = 0.1;

/// The shape of the form for the columns of a task; what it says of others plays no part.
SumShape shape_of_form(const SelectionTask& task, const SharedForm& form) {
  SumShape out;
  out.terms = index(form.terms);
  out.plain_features = task.coordinates.plain_features();
  out.numeric_features = task.coordinates.numeric_features();
  for (std::size_t g = 0; g < task.coordinates.regimes().size(); ++g)
    out.regimes.push_back(index(g));
  out.intercept = form.intercept;
  out.pure_logarithms = form.pure_logarithms;
  const std::size_t columns = numeric_count(task.spec);
  out.log_powers.assign(form.terms, std::vector<int>(columns, 0));
  out.left_out.resize(form.left_out.size());
  for (std::size_t n = 0; n < columns; ++n) {
    const std::string& column = numeric_input(task.spec, n).column;
    const auto has = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), column) != names.end();
    };
    if (has(form.rings) && is_count(numeric_factor(task.training, n), task.training.rows))
      out.rings.push_back(n);
    for (std::size_t k = 0; k < form.left_out.size(); ++k)
      if (has(form.left_out[k]))
        out.left_out[k].push_back(n);
    for (std::size_t k = 0; k < form.log_powers.size(); ++k)
      if (const auto power = form.log_powers[k].find(column); power != form.log_powers[k].end())
        out.log_powers[k][n] = power->second;
  }
  return out;
}

/// A column may be intrinsic in one group and a scale in another.
std::string other_name(std::string name) {
  if (name.starts_with("p["))
    name.front() = 'q';
  else if (name.starts_with("q["))
    name.front() = 'p';
  return name;
}

/// The common constants as coordinates of a task, moved to the typical time of its rows.
VectorXd common_theta(const SelectionTask& task, const SharedForm& form, const SumShape& shape,
                      const TermData& data) {
  const MultiStructure structure = task.coordinates.structure(shape);
  const MultiLayout layout(task.spec, structure);
  VectorXd constants(index(layout.size()));
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const std::string& name = layout.name(i);
    const bool is_power = name.starts_with("p[") || name.starts_with("q[");
    auto known = form.constants.find(name);
    if (known == form.constants.end() && is_power)
      known = form.constants.find(other_name(name));
    constants[index(i)] = known != form.constants.end() ? known->second : is_power ? 0 : 1;
  }
  VectorXd out = task.coordinates.theta(shape, constants);
  const VectorXd total = evaluate_sum(data, shape, out).total;
  const double shift = (data.time.array() / total.array()).log().mean();
  // What others have next to nothing of: no descent of its logarithm would lead away from there.
  const double least = std::log(kLeastShareOfTime * data.time.minCoeff());
  for (Index k = 0; k < shape.terms; ++k) {
    double& size = out[k * shape.features()];
    size = std::max(size + shift, least);
  }
  if (shape.intercept)
    out[out.size() - 1] = std::max(out[out.size() - 1] + shift, least);
  return out;
}

}  // namespace

SharedForm shared_form_of(const SelectionTask& task, const SumShape& shape,
                          const Eigen::VectorXd& theta) {
  SharedForm out;
  out.terms = static_cast<std::size_t>(shape.terms);
  out.intercept = shape.intercept;
  out.pure_logarithms = shape.pure_logarithms;
  const auto column = [&](std::size_t n) { return numeric_input(task.spec, n).column; };
  for (const std::size_t n : shape.rings)
    out.rings.push_back(column(n));
  out.log_powers.resize(out.terms);
  out.left_out.resize(out.terms);
  for (std::size_t k = 0; k < out.terms; ++k) {
    for (std::size_t n = 0; n < numeric_count(task.spec); ++n) {
      if (n < shape.log_powers[k].size() && shape.log_powers[k][n] != 0)
        out.log_powers[k][column(n)] = shape.log_powers[k][n];
      if (shape.leaves_out(index(k), n))
        out.left_out[k].push_back(column(n));
    }
  }
  const VectorXd constants = task.coordinates.constants(shape, theta);
  const MultiLayout layout(task.spec, task.coordinates.structure(shape));
  for (std::size_t i = 0; i < layout.size(); ++i)
    if (shape.intercept || i != layout.intercept())
      out.constants[layout.name(i)] = constants[index(i)];
  return out;
}

SumOfTerms search_shared_sum(const SelectionTask& task, const SharedForm& form) {
  const SumShape shape = shape_of_form(task, form);
  const TermData data = task.coordinates.data(shape);
  const double rows = static_cast<double>(data.rows());
  VectorXd penalties = VectorXd::Constant(shape.size(), form.pull / rows);
  for (Index k = 0; k < shape.terms; ++k)
    penalties[k * shape.features()] = form.size_pull / rows;
  if (shape.intercept)
    penalties[shape.size() - 1] = form.size_pull / rows;
  const SumFit found = approach_near(data, shape, task.options, std::move(penalties),
                                     common_theta(task, form, shape, data));
  return {task.coordinates.structure(shape),
          task.coordinates.constants(shape, found.theta),
          found.evaluations,
          found.gap,
          {std::nullopt, {{.ridge = 0, .intercept = shape.intercept}}}};
}

}  // namespace perfmodel
