#include "support/certified.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/form.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel::test {
namespace {

struct NistConstant {
  std::string name;
  double start = 0;
  double other_start = 0;
  double certified = 0;
};

/// A file of nonlinear regression in NIST's Statistical Reference Datasets.
struct NistProblem {
  std::string name;
  std::string formula;
  bool of_logarithm = false;  ///< the errors are those of ln y
  std::vector<NistConstant> constants;
  double sum_of_squares = 0;
  std::vector<double> y;
  std::vector<std::vector<double>> x;  ///< [column][row]
};

/// The formula in the syntax of Formula: NIST writes exp[-b*x**2].
std::string formula_of(std::string text) {
  const std::vector<std::pair<const char*, const char*>> words = {
      {R"(\s*\+\s*e\s*$)", ""}, {R"(\*\*)", "^"}, {R"(\[)", "("}, {R"(\])", ")"},
      {"arctan", "atan"},       {"pi", "_pi"},    {R"(\s+)", " "}};
  for (const auto& [from, to] : words)
    text = std::regex_replace(text, std::regex(from), to);
  return text;
}

void read_row(const std::string& line, NistProblem& problem) {
  std::istringstream numbers(line);
  std::string number;
  for (std::size_t column = 0; numbers >> number; ++column) {
    const double value = std::strtod(number.c_str(), nullptr);  // also .591E0
    if (column == 0)
      problem.y.push_back(value);
    else if (column > problem.x.size())
      problem.x.push_back({value});
    else
      problem.x[column - 1].push_back(value);
  }
}

NistProblem read_problem(const std::string& text) {
  NistProblem out;
  std::istringstream lines(text);
  std::string formula;
  bool in_formula = false;
  std::smatch found;
  const std::regex name(R"(Dataset Name:\s*(\S+).*)");
  const std::regex begin(R"(\s*(y|log\[y\])\s*=(.*))");
  const std::regex constant(R"(\s*(b\d)\s*=\s*(\S+)\s+(\S+)\s+(\S+)\s+\S+\s*)");
  const std::regex sum(R"(Residual Sum of Squares:\s*(\S+)\s*)");
  const std::regex data(R"(Data:\s+y\s+x.*)");
  bool in_data = false;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, name)) {
      out.name = found[1];
    } else if (formula.empty() && std::regex_match(line, found, begin)) {
      out.of_logarithm = found[1] != "y";
      formula = found[2];
      in_formula = true;
    } else if (std::regex_match(line, found, constant)) {
      out.constants.push_back(
          {found[1], std::stod(found[2]), std::stod(found[3]), std::stod(found[4])});
    } else if (std::regex_match(line, found, sum)) {
      out.sum_of_squares = std::stod(found[1]);
    } else if (std::regex_match(line, data)) {
      in_data = true;
    } else if (in_data) {
      read_row(line, out);
    } else if (in_formula) {
      formula += line;
    }
    in_formula = in_formula && !std::regex_search(line, std::regex(R"(\+\s*e\s*$)"));
  }
  if (formula.empty() || out.constants.empty() || out.y.empty() || out.x.empty())
    throw InputError("this is no file of nonlinear regression of NIST's reference datasets");
  out.formula = formula_of(formula);
  return out;
}

/// Columns must not be negative, and the measured one is above 0: moves or mirrors those that are
/// not, which the formula undoes.
void make_positive(NistProblem& problem) {
  for (std::size_t c = 0; c < problem.x.size(); ++c) {
    const double low = *std::ranges::min_element(problem.x[c]);
    if (low >= 0)
      continue;
    const std::string name = problem.x.size() == 1 ? "x" : "x" + std::to_string(c + 1);
    const double shift = std::ceil(-low);
    for (double& value : problem.x[c])
      value += shift;
    problem.formula = std::regex_replace(problem.formula, std::regex("\\b" + name + "\\b"),
                                         "(" + name + " - " + to_text(shift) + ")");
  }
  if (*std::ranges::max_element(problem.y) < 0) {
    for (double& value : problem.y)
      value = -value;
    problem.formula = "-(" + problem.formula + ")";
  }
  if (problem.of_logarithm)
    problem.formula = "exp(" + problem.formula + ")";
}

/// Ten times as wide as the range of NIST's starting values, to either side.
BoundOverride bound_around(const NistConstant& constant) {
  constexpr double reach = 10;
  const double low = std::min(std::abs(constant.start), std::abs(constant.other_start)) / reach;
  const double high = std::max(std::abs(constant.start), std::abs(constant.other_start)) * reach;
  BoundOverride out{.constant = constant.name, .column = {}, .low = low, .high = high};
  if (constant.start < 0)
    out = {.constant = constant.name, .column = {}, .low = -high, .high = -low};
  return out;
}

/// The constants in the order b1, b2, ... Terms of the sums of exponentials can be interchanged:
/// NIST has Lanczos's by their rates, and Gauss's two peaks by their places.
std::vector<double> constants_in_order(const NistProblem& problem, const FittedModel& model) {
  const std::vector<std::string> names = constant_names(model);
  std::vector<double> out;
  for (const NistConstant& constant : problem.constants)
    out.push_back(model.constants[std::ranges::find(names, constant.name) - names.begin()]);
  const auto at = [&](std::size_t k) { return out.begin() + static_cast<std::ptrdiff_t>(k); };
  for (std::size_t k = 2; problem.name.starts_with("Lanczos") && k < out.size(); k += 2)
    for (std::size_t i = k; i > 0 && out[i + 1] < out[i - 1]; i -= 2)
      std::swap_ranges(at(i), at(i + 2), at(i - 2));
  if (problem.name.starts_with("Gauss") && out[6] < out[3])
    std::swap_ranges(at(2), at(5), at(5));
  return out;
}

}  // namespace

double matching_digits(double computed, double certified) {
  constexpr double most = 15;
  if (computed == certified)
    return most;
  const double digits = -std::log10(std::abs(computed - certified) / std::abs(certified));
  return digits >= 0 ? std::min(digits, most) : 0;
}

std::vector<CertifiedFigure> nist_figures(const std::string& text, std::uint64_t seed) {
  constexpr double exact = 1e-20;  // sums of squares below this are rounding of the data
  NistProblem problem = read_problem(text);
  make_positive(problem);
  Design runs;
  runs.rows = problem.y.size();
  runs.time = Eigen::Map<const Eigen::VectorXd>(problem.y.data(), index(problem.y.size()));
  ModelSpec spec;
  spec.target = "y";
  for (std::size_t c = 0; c < problem.x.size(); ++c) {
    const auto [low, high] = std::ranges::minmax(problem.x[c]);
    spec.intrinsic.push_back(
        {problem.x.size() == 1 ? "x" : "x" + std::to_string(c + 1), low, high});
    runs.intrinsic.push_back({problem.x[c], {}});
  }
  FitOptions options;
  OwnOptions own{.formula = {.target = "y", .text = problem.formula}};
  options.loss = problem.of_logarithm ? Loss::rmsle : Loss::mse;
  options.seed = seed;
  for (const NistConstant& constant : problem.constants)
    own.search.bounds.push_back(bound_around(constant));
  options.form = own;
  const FittedModel model = fit(spec, runs, options);
  const std::vector<double> constants = constants_in_order(problem, model);
  std::vector<CertifiedFigure> out;
  const auto add = [&](const std::string& quantity, double certified, double computed) {
    out.push_back(
        {"NIST StRD " + problem.name + ", y = " + problem.formula, quantity, certified, computed});
  };
  for (std::size_t k = 0; k < constants.size(); ++k)
    add(problem.constants[k].name, problem.constants[k].certified, constants[k]);
  const double cost = model.search.cost;
  if (problem.sum_of_squares > exact)
    add("sum of squares", problem.sum_of_squares,
        static_cast<double>(runs.rows) * (problem.of_logarithm ? cost * cost : cost));
  return out;
}

}  // namespace perfmodel::test
