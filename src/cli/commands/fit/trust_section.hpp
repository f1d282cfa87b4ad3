#pragma once

#include <string>

#include "cli/terminal/text_table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::cli {

/// Marks behind the constants of a table that are not to be quoted.
class ConstantMarks {
 public:
  explicit ConstantMarks(const FittedModel& model);

  /// "*" at a bound, "?" not determined, else a blank; nothing where no constant has a mark.
  std::string of(std::size_t constant) const;
  /// The same without the blank.
  std::string behind(std::size_t constant) const;
  /// Of the scaling power of an extrinsic column; of Eq. (4) a blank where derived columns add to
  /// it.
  std::string of_scaling_power(std::size_t extrinsic) const;
  /// What the marks that were set mean; empty where there are none.
  std::string legend() const;

 private:
  std::string marks_;           ///< one character per constant
  std::string scaling_powers_;  ///< and per local scaling power
  bool of_a_bound_ = false;
  bool of_data_ = false;
};

/// Intervals of the constants that can be quoted: scaling powers, C, powers, differences of levels;
/// of a sum of product terms its local scaling powers, C and the powers term by term.
TextTable uncertainty_table(const FittedModel& model, const Uncertainty& uncertainty);

}  // namespace perfmodel::cli
