#include "fit/sum/determined/flat_terms.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/text.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

constexpr double kMovedPart = 1e-3;  // of the largest entry of a direction

/// What a direction moves.
struct Moved {
  std::vector<std::size_t> terms;    ///< numbers of the model's terms, from 1
  std::vector<std::string> columns;  ///< each once, in the order of the spec
  bool intercept = false;
};

Moved moved_by(const VectorXd& direction, const SumPart& part) {
  const MultiLayout layout(part.spec, part.structure);
  const double least = kMovedPart * direction.cwiseAbs().maxCoeff();
  Moved out;
  bool in_term = false;
  const auto look = [&](std::size_t k, const std::string& column) {
    if (std::abs(direction[index(k)]) <= least)
      return;
    in_term = true;
    if (!column.empty() &&
        std::find(out.columns.begin(), out.columns.end(), column) == out.columns.end())
      out.columns.push_back(column);
  };
  for (std::size_t k = 0; k < part.structure.terms; ++k) {
    in_term = false;
    look(layout.coefficient(k), "");
    for (std::size_t i = 0; i < part.spec.intrinsic.size(); ++i)
      look(layout.intrinsic_power(k, i), part.spec.intrinsic[i].column);
    for (std::size_t c = 0; c < part.spec.categorical.size(); ++c)
      for (std::size_t l = 0; l < part.spec.categorical[c].levels.size(); ++l)
        look(layout.level(k, c, l), part.spec.categorical[c].column);
    for (std::size_t j = 0; j < part.spec.extrinsic.size(); ++j)
      look(layout.extrinsic_power(k, j), part.spec.extrinsic[j].column);
    for (std::size_t g = 0; g < part.structure.regimes.size(); ++g) {
      for (const std::size_t side : {0U, 1U})
        look(layout.regime(k, g, side),
             numeric_input(part.spec, part.structure.regimes[g].numeric).column);
    }
    if (in_term)
      out.terms.push_back(part.terms[k] + 1);
  }
  out.intercept = std::abs(direction[index(layout.intercept())]) > least;
  return out;
}

/// "terms 1, 2 and C cannot be told apart: ..." of a direction that leads from one to another.
std::string exchange_of_terms(const Moved& moved) {
  std::vector<std::string> names;
  for (const std::size_t term : moved.terms)
    names.push_back(std::to_string(term));
  if (moved.intercept)
    names.emplace_back("C");
  const std::string last = names.back();
  names.pop_back();
  return (moved.terms.size() > 1 ? "terms " : "term ") + joined(names, ", ") + " and " + last +
         " cannot be told apart: only their sum is determined";
}

std::string within_term(const Moved& moved) {
  const std::string term = " in term " + std::to_string(moved.terms.front());
  if (moved.columns.size() > 1)
    return sorted_list(moved.columns) + " move together" + term +
           ": only their joint effect is determined";
  if (moved.columns.empty())
    return {};
  return "the constants of '" + moved.columns.front() + "'" + term +
         " are not determined one by one, only together";
}

}  // namespace

std::vector<std::string> describe_flat_terms(const Sensitivity& sensitivity, const SumPart& part) {
  const Eigen::MatrixXd directions = sensitivity.flat_directions(
      std::vector<bool>(static_cast<std::size_t>(part.constants.size()), false));
  std::vector<Moved> all;
  for (Eigen::Index d = 0; d < directions.cols(); ++d)
    all.push_back(moved_by(directions.col(d), part));
  std::vector<std::string> out;
  const auto say = [&](const std::string& sentence) {
    if (!sentence.empty() && std::find(out.begin(), out.end(), sentence) == out.end())
      out.push_back(sentence);
  };
  for (const Moved& moved : all) {
    if (moved.terms.size() + (moved.intercept ? 1 : 0) > 1) {
      say(exchange_of_terms(moved));
      continue;
    }
    const auto same_columns = std::count_if(all.begin(), all.end(), [&](const Moved& other) {
      return other.terms.size() == 1 && other.columns == moved.columns;
    });
    // Columns that follow from one another do so in every term.
    if (moved.columns.size() > 1 && static_cast<std::size_t>(same_columns) == part.terms.size())
      say(sorted_list(moved.columns) + " move together: only their joint effect is determined");
    else
      say(within_term(moved));
  }
  return out;
}

}  // namespace perfmodel
