#include "fit/process/kernel/coordinates.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

double transformed(CoordinateForm form, double unit, double value) {
  switch (form) {
    case CoordinateForm::log:
      return std::log(value);
    case CoordinateForm::log_one_plus:
      return std::log1p(value / unit);
    case CoordinateForm::ring:
      return 1 - 1 / value;
  }
  return value;
}

double smallest_above_zero(const VectorXd& values) {
  double out = 0;
  for (const double value : values)
    if (value > 0 && (out == 0 || value < out))
      out = value;
  return out > 0 ? out : 1;
}

}  // namespace

double Coordinate::at(double value) const {
  const double place = (transformed(form, unit, std::min(value, most)) - centre) / scale;
  return std::nearbyint(place * 0x1p30) * 0x1p-30;
}

double Coordinate::value(double place) const {
  const double transformed = place * scale + centre;
  switch (form) {
    case CoordinateForm::log:
      return std::exp(transformed);
    case CoordinateForm::log_one_plus:
      return unit * std::expm1(transformed);
    case CoordinateForm::ring:
      return 1 / (1 - transformed);
  }
  return place;
}

VectorXd Coordinate::at(const VectorXd& values) const {
  return values.unaryExpr([&](double value) { return at(value); });
}

CoordinateForm usual_form(const VectorXd& values) {
  return (values.array() > 0).all() ? CoordinateForm::log : CoordinateForm::log_one_plus;
}

Coordinate standardised(CoordinateForm form, const VectorXd& values) {
  Coordinate out;
  out.form = form;
  if (form == CoordinateForm::log_one_plus)
    out.unit = smallest_above_zero(values);
  const VectorXd places =
      values.unaryExpr([&](double value) { return transformed(form, out.unit, value); });
  out.centre = places.mean();
  const double variance = (places.array() - out.centre).square().mean();
  const double rounding = 1e-12 * (1 + std::abs(out.centre));
  if (variance > rounding * rounding)
    out.scale = std::sqrt(variance);
  return out;
}

Inputs take_rows(const Inputs& inputs, std::span<const Index> rows) {
  Inputs out{.numbers = Eigen::MatrixXd(index(rows.size()), inputs.numbers.cols()),
             .levels = Levels(index(rows.size()), inputs.levels.cols())};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.numbers.row(index(i)) = inputs.numbers.row(rows[i]);
    out.levels.row(index(i)) = inputs.levels.row(rows[i]);
  }
  return out;
}

Inputs placed(const Inputs& inputs, const std::vector<Coordinate>& coordinates) {
  Inputs out = inputs;
  for (std::size_t j = 0; j < coordinates.size(); ++j)
    out.numbers.col(index(j)) = coordinates[j].at(VectorXd(inputs.numbers.col(index(j))));
  return out;
}

}  // namespace perfmodel::process
