#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel::test {

inline bool happens(RandomStream& random, double probability) {
  return random.uniform() < probability;
}

/// One of the items, each with the same probability.
template <class Item, std::size_t N>
Item one_of(RandomStream& random, const Item (&items)[N]) {
  return items[random.below(N)];
}

/// A generated input column; its role is always given, so that no name decides it.
struct GeneratedColumn {
  enum class Role { intrinsic, categorical, extrinsic };

  std::string name;
  Role role = Role::intrinsic;
  std::vector<double> numbers;      ///< one per row, unless it is categorical
  std::vector<std::string> levels;  ///< one per row, if it is categorical
};

/// Constants of Eq. (4) in the order of Eq4Layout, with which times were generated.
struct GeneratedLaw {
  std::vector<double> coefficients;         ///< per intrinsic column
  std::vector<double> powers;               ///< per intrinsic column
  std::vector<std::vector<double>> levels;  ///< per categorical column and sorted level
  std::vector<double> scaling_powers;       ///< per extrinsic column
  double intercept = 0;
};

/// Generated runs: 10 to 40 rows of one to five input columns with values of magnitudes from 1e-6
/// to 1e6, integers or not, few or a different one in every row, zeros in intrinsic columns,
/// repeated configurations, and times of Eq. (4) with a noise of 0 to 30 %.
struct GeneratedRuns {
  std::vector<GeneratedColumn> columns;
  std::vector<DerivedColumn> derived;  ///< intrinsic columns computed from others
  std::vector<double> times;           ///< in the column "time_s"
  std::vector<std::uint32_t> lines;    ///< per row: its line in the file
  GeneratedLaw law;                    ///< without derived columns

  std::size_t rows() const { return times.size(); }
  std::string csv() const;
  RoleRequest roles() const;
  Table table() const;
  /// The options of `fit` that state the roles.
  std::vector<std::string> role_options() const;
};

GeneratedRuns generated_runs(RandomStream& random);

/// The chosen rows, in this order; a row may occur several times.
GeneratedRuns take_rows(const GeneratedRuns& runs, std::span<const std::size_t> rows);

/// Which fits are generated.
struct GeneratedKinds {
  bool raw_penalties = true;    ///< a penalty whose meaning depends on the units
  bool paper = true;            ///< the method of the paper, whose search depends on the units
  bool whole_searches = false;  ///< without a limit of the generations
};

/// A fit of any form: Eq. (4) and sums of given or chosen terms, alone or with a Gaussian process,
/// and now and then the choice among them, with every loss and penalty that the form has. Most
/// searches are cut short: a property holds for them, too.
FitRequest generated_request(const GeneratedRuns& runs, RandomStream& random,
                             const GeneratedKinds& kinds = {});

/// The command-line options of a generated request, its roles included.
std::vector<std::string> options_of(const GeneratedRuns& runs, const FitRequest& request);

/// The options and the file of a generated fit, for the message of a failure.
std::string words_of(const GeneratedRuns& runs, const FitRequest& request);

}  // namespace perfmodel::test
