#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/plan/space.hpp"

namespace perfmodel::plan {

/// A configuration with what a model predicts for it.
struct Suggestion {
  Configuration configuration;
  double time = 0;
  double cost = 0;  ///< time * price
};

struct SuggestionRequest {
  std::optional<std::string> price;     ///< per unit of time, over the columns; 1 where not given
  std::vector<std::string> conditions;  ///< over the columns, `time` and `cost`
  std::size_t most = 10;
  std::uint64_t seed = 1;  ///< of the sample where the space is too large to be searched as a whole
};

struct Suggestions {
  std::vector<Suggestion> fastest;   ///< ascending times
  std::vector<Suggestion> cheapest;  ///< ascending costs; only with a price
  std::vector<Suggestion> pareto;    ///< ascending times, falling costs; only with a price
  std::size_t searched = 0;          ///< configurations that the space allows and were looked at
  std::size_t without_time = 0;      ///< of them, those that the model gives no time
  std::size_t allowed = 0;           ///< of them, those that fulfil the conditions
  bool complete = true;              ///< the whole space was searched
};

/// The price of each configuration, 1 where none is given. Throws UsageError where one is no number
/// >= 0.
Eigen::VectorXd prices(const Space& space, const std::optional<std::string>& price,
                       const std::vector<Configuration>& configurations);

/// Predicted times of many configurations at once.
using Predict = std::function<std::vector<double>(const std::vector<Configuration>&)>;

/// Ranks the rows of a space of runs. Searches another of at most ten million configurations as a
/// whole, of others a random sample. Times that are not finite and > 0 are no times: such
/// configurations are left out.
Suggestions suggest(const Space& space, const SuggestionRequest& request, const Predict& predict);

}  // namespace perfmodel::plan
