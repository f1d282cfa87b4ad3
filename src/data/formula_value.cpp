#include "data/formula_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace perfmodel {
namespace {

/// Gives `use` the function of one number that an operation is.
template <class Use>
void with_unary(Operation operation, const Use& use) {
  switch (operation) {
    case Operation::negate:
      return use([](double x) { return -x; });
    case Operation::negation:
      return use([](double x) { return x == 0 ? 1.0 : 0.0; });
    case Operation::abs:
      return use([](double x) { return x >= 0 ? x : -x; });
    case Operation::sign:
      return use([](double x) { return x < 0 ? -1.0 : x > 0 ? 1.0 : 0.0; });
    case Operation::rint:
      return use([](double x) { return std::floor(x + 0.5); });
    case Operation::ceil:
      return use([](double x) { return std::ceil(x); });
    case Operation::floor:
      return use([](double x) { return std::floor(x); });
    case Operation::sqrt:
      return use([](double x) { return std::sqrt(x); });
    case Operation::exp:
      return use([](double x) { return std::exp(x); });
    case Operation::log:
      return use([](double x) { return std::log(x); });
    case Operation::log2:
      return use([](double x) { return std::log(x) / std::numbers::ln2; });
    case Operation::log10:
      return use([](double x) { return std::log10(x); });
    case Operation::sin:
      return use([](double x) { return std::sin(x); });
    case Operation::cos:
      return use([](double x) { return std::cos(x); });
    case Operation::tan:
      return use([](double x) { return std::tan(x); });
    case Operation::asin:
      return use([](double x) { return std::asin(x); });
    case Operation::acos:
      return use([](double x) { return std::acos(x); });
    case Operation::atan:
      return use([](double x) { return std::atan(x); });
    case Operation::sinh:
      return use([](double x) { return std::sinh(x); });
    case Operation::cosh:
      return use([](double x) { return std::cosh(x); });
    case Operation::tanh:
      return use([](double x) { return std::tanh(x); });
    // The last digits of models that are written already come from these three.
    case Operation::asinh:
      return use([](double x) { return std::log(x + std::sqrt(x * x + 1)); });
    case Operation::acosh:
      return use([](double x) { return std::log(x + std::sqrt(x * x - 1)); });
    case Operation::atanh:
      return use([](double x) { return 0.5 * std::log((1 + x) / (1 - x)); });
    default:
      return;
  }
}

double truth(bool holds) {
  return holds ? 1 : 0;
}

template <class Use>
void with_binary(Operation operation, const Use& use) {
  switch (operation) {
    case Operation::add:
      return use([](double a, double b) { return a + b; });
    case Operation::subtract:
      return use([](double a, double b) { return a - b; });
    case Operation::multiply:
      return use([](double a, double b) { return a * b; });
    case Operation::divide:
      return use([](double a, double b) { return a / b; });
    case Operation::power:
      return use([](double a, double b) { return std::pow(a, b); });
    case Operation::less:
      return use([](double a, double b) { return truth(a < b); });
    case Operation::greater:
      return use([](double a, double b) { return truth(a > b); });
    case Operation::less_or_equal:
      return use([](double a, double b) { return truth(a <= b); });
    case Operation::greater_or_equal:
      return use([](double a, double b) { return truth(a >= b); });
    case Operation::equal:
      return use([](double a, double b) { return truth(a == b); });
    case Operation::unequal:
      return use([](double a, double b) { return truth(a != b); });
    case Operation::both:
      return use([](double a, double b) { return truth(a != 0 && b != 0); });
    case Operation::either:
      return use([](double a, double b) { return truth(a != 0 || b != 0); });
    case Operation::minimum:
      return use([](double a, double b) { return std::min(a, b); });
    case Operation::maximum:
      return use([](double a, double b) { return std::max(a, b); });
    case Operation::atan2:
      return use([](double a, double b) { return std::atan2(a, b); });
    default:
      return;
  }
}

/// d f(x) / dx; `y` is f(x).
double unary_slope(Operation operation, double x, double y) {
  switch (operation) {
    case Operation::negate:
      return -1;
    case Operation::abs:
      return x >= 0 ? 1 : -1;
    case Operation::sqrt:
      return 0.5 / y;
    case Operation::exp:
      return y;
    case Operation::log:
      return 1 / x;
    case Operation::log2:
      return 1 / (x * std::numbers::ln2);
    case Operation::log10:
      return 1 / (x * std::numbers::ln10);
    case Operation::sin:
      return std::cos(x);
    case Operation::cos:
      return -std::sin(x);
    case Operation::tan:
      return 1 + y * y;
    case Operation::asin:
      return 1 / std::sqrt(1 - x * x);
    case Operation::acos:
      return -1 / std::sqrt(1 - x * x);
    case Operation::atan:
      return 1 / (1 + x * x);
    case Operation::sinh:
      return std::cosh(x);
    case Operation::cosh:
      return std::sinh(x);
    case Operation::tanh:
      return 1 - y * y;
    case Operation::asinh:
      return 1 / std::sqrt(x * x + 1);
    case Operation::acosh:
      return 1 / std::sqrt(x * x - 1);
    case Operation::atanh:
      return 1 / (1 - x * x);
    default:  // steps: negation, sign, rint, ceil, floor
      return 0;
  }
}

/// What does not depend on the name stays without a slope, also where a factor is infinite.
double times(double factor, double slope) {
  return slope == 0 ? 0 : factor * slope;
}

double binary_slope(Operation operation, const Formula::Slope& a, const Formula::Slope& b,
                    double y) {
  switch (operation) {
    case Operation::add:
      return a.slope + b.slope;
    case Operation::subtract:
      return a.slope - b.slope;
    case Operation::multiply:
      return times(b.value, a.slope) + times(a.value, b.slope);
    case Operation::divide:
      return times(1 / b.value, a.slope) - times(y / b.value, b.slope);
    case Operation::power:
      return times(b.value * std::pow(a.value, b.value - 1), a.slope) +
             times(y * std::log(a.value), b.slope);
    case Operation::minimum:
      return b.value < a.value ? b.slope : a.slope;
    case Operation::maximum:
      return a.value < b.value ? b.slope : a.slope;
    case Operation::atan2: {
      const double square = a.value * a.value + b.value * b.value;
      return times(b.value / square, a.slope) - times(a.value / square, b.slope);
    }
    default:  // comparisons, both, either
      return 0;
  }
}

/// Runs the program over `rows` rows at once; `load` writes those of a name.
template <class Load>
void run(const FormulaProgram& program, std::size_t rows, double* stack, const Load& load) {
  double* top = stack;  // behind the last values
  for (const FormulaStep& step : program.steps) {
    switch (operands_of(step.operation)) {
      case 0:
        if (step.operation == Operation::number)
          std::fill_n(top, rows, step.number);
        else
          load(step.name, top);
        top += rows;
        break;
      case 1: {
        double* const x = top - rows;
        with_unary(step.operation, [&](auto f) { std::transform(x, top, x, f); });
        break;
      }
      case 2: {
        top -= rows;
        double* const a = top - rows;
        with_binary(step.operation, [&](auto f) { std::transform(a, top, top, a, f); });
        break;
      }
      default: {
        top -= 2 * rows;
        double* const condition = top - rows;
        for (std::size_t row = 0; row < rows; ++row)
          condition[row] = condition[row] != 0 ? top[row] : top[rows + row];
      }
    }
  }
}

}  // namespace

double formula_value(const FormulaProgram& program, std::span<const double> values) {
  const auto run_on = [&](double* stack) {
    run(program, 1, stack, [&](std::size_t name, double* to) { *to = values[name]; });
    return *stack;
  };
  std::array<double, 32> usual;
  if (program.depth <= usual.size())
    return run_on(usual.data());
  std::vector<double> deep(program.depth);
  return run_on(deep.data());
}

void formula_values(const FormulaProgram& program, FormulaColumns columns, std::size_t first,
                    std::size_t rows, double* stack) {
  run(
      program, rows, stack,
      [&](std::size_t name, double* to) { std::copy_n(columns[name] + first, rows, to); });
}

Formula::Slope formula_slope(const FormulaProgram& program, std::span<const double> values,
                             std::size_t name) {
  std::vector<Formula::Slope> stack;
  for (const FormulaStep& step : program.steps) {
    if (step.operation == Operation::number) {
      stack.push_back({step.number, 0});
      continue;
    }
    if (step.operation == Operation::name) {
      stack.push_back({values[step.name], step.name == name ? 1.0 : 0.0});
      continue;
    }
    const std::size_t count = operands_of(step.operation);
    const std::size_t at = stack.size() - count;
    Formula::Slope& a = stack[at];
    if (count == 1) {
      const double x = a.value;
      with_unary(step.operation, [&](auto f) { a.value = f(x); });
      a.slope = times(unary_slope(step.operation, x, a.value), a.slope);
    } else if (count == 2) {
      double value = 0;
      with_binary(step.operation, [&](auto f) { value = f(a.value, stack[at + 1].value); });
      a = {value, binary_slope(step.operation, a, stack[at + 1], value)};
    } else {
      a = a.value != 0 ? stack[at + 1] : stack[at + 2];
    }
    stack.resize(at + 1);
  }
  return stack.back();
}

}  // namespace perfmodel
