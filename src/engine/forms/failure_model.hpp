#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/eigen.hpp"
#include "gp/classification.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

class Fields;

/// An input of a FailureModel.
struct FailureInput {
  std::string column;
  std::vector<std::string> levels = {};  ///< empty: its cells are numbers
  std::string unit = {};                 ///< of the cells, if they had one
  /// If all runs that finished had one value: the value of configurations without this column.
  std::string usual = {};
};

/// A FailureModel as in model.json.
struct FailureFacts {
  std::size_t failed = 0;            ///< runs that failed
  std::size_t finished = 0;          ///< runs that did not
  std::vector<FailureInput> inputs;  ///< numbers first, in the order of the classification
  gp::Classification classification;
};
void describe(Fields& f, FailureFacts& x);

/// The probability that a run of a configuration fails.
class FailureModel {
 public:
  explicit FailureModel(FailureFacts facts);

  const FailureFacts& facts() const { return facts_; }

  /// Per row of a table with the columns of the inputs, in any order; NaN if a cell is no value of
  /// its column.
  VectorXd probabilities(const Table& configurations) const;

  /// At one configuration of the inputs of a model; NaN if it does not tell the value of an input.
  double probability(const ModelSpec& spec, const Configuration& at) const;

  /// The most that is accepted of what is suggested: of four runs, one fails.
  static constexpr double most_accepted = 0.25;

  /// Per row, whether the probability is above `most`.
  std::vector<bool> are_likely(const Table& configurations, double most = most_accepted) const;

 private:
  FailureFacts facts_;
  gp::Classifier classifier_;
};

/// Fits the probability that a run fails to the runs that finished and those that failed. Its
/// inputs come in any order.
///
/// Null if there are fewer than five runs of each kind whose cells are values of their columns, if
/// rows stand for several runs, and after a stop request. Of failed runs, those with a level that
/// no other run has are left out: see always_failing().
std::shared_ptr<const FailureModel> fit_failures(const std::vector<FailureInput>& inputs,
                                                 const Table& finished, const Table& failed,
                                                 const FitOptions& options);

/// "all 12 runs with gpu = v100 failed", for each level that the model lacks.
std::vector<std::string> always_failing(const Table& failed, const ModelSpec& spec);

}  // namespace perfmodel
