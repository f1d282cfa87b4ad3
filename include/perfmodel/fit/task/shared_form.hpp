#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace perfmodel {

/// How much better a shared form predicts rows that were held out than forms of their own do, of
/// groups with so many training rows: (S - O) / (S + O) of the sums of squares S and O of
/// ln(predicted / measured), below 0 where it is better.
struct SharedLead {
  std::size_t rows = 0;
  double mean = 0;
  double scatter = 0;  ///< standard deviation of the groups, without that of held-out rows
  std::size_t groups = 0;
};

/// A sum of product terms that many groups of runs have in common, by the names of their columns:
/// each group has constants of its own, the fewer its rows, the nearer to the common ones.
struct SharedForm {
  std::size_t terms = 1;
  bool intercept = false;          ///< C
  std::vector<std::string> rings;  ///< columns that count by 1 - 1/n
  bool pure_logarithms = false;    ///< terms with log2(n)^r have no n^q beside it
  std::vector<std::map<std::string, int>> log_powers;  ///< r by term and column
  std::vector<std::vector<std::string>> left_out;      ///< by term, columns that play no part in it
  /// The common constants by their names, "q[1,gpus]"; times in units of the typical time of a
  /// group. A name that is not here is a power of 0 or a factor of 1.
  std::map<std::string, double> constants;
  /// Penalties of squared distances from them, of a group, in units of the loss of one row: of
  /// powers and logarithms of factors, and of the logarithms of the sizes of the terms.
  double pull = 1;
  double size_pull = 1;
  std::size_t groups = 0;         ///< that it was chosen on
  std::size_t rows = 0;           ///< of them
  std::vector<SharedLead> leads;  ///< by rows, ascending; none: nothing says that it is better
};

}  // namespace perfmodel
