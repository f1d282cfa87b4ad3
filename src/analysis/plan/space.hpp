#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "data/formula.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel::plan {

/// One column of a space: a list of values, a list of texts, or a range of numbers.
struct SpaceColumn {
  std::string name;
  std::vector<double> values;       ///< of a list of numbers
  std::vector<std::string> levels;  ///< of a list of texts
  double low = 0;                   ///< of a range
  double high = 0;
  bool logarithmic = false;  ///< a range that is even in the logarithm
  bool whole = false;        ///< a range of whole numbers

  bool is_text() const { return !levels.empty(); }
  bool is_range() const { return values.empty() && levels.empty(); }
  /// How many values a list has.
  std::size_t choices() const { return is_text() ? levels.size() : values.size(); }
  /// The value at u in [0, 1): every value of a list has an equal share.
  double value_at(double u) const;
  /// As it is written to a file.
  std::string text(double value) const;
};

/// Columns of runs and which of their values are known to go together.
struct Bond {
  std::vector<std::size_t> columns;
  std::set<std::vector<double>> known;
};

/// What can be configured. A configuration is one number per column: the value, or the index of the
/// level.
struct Space {
  std::string source;  ///< for messages
  std::vector<SpaceColumn> columns;
  std::vector<std::string> extrinsic;          ///< columns of scale, as the file says; may be empty
  std::vector<std::string> where;              ///< conditions, all of which have to hold
  std::vector<std::vector<double>> rows = {};  ///< of runs: those that went well, each once
  std::set<std::vector<double>> failed = {};   ///< of runs: where all failed
  std::vector<Bond> bonds = {};  ///< of runs after bind_columns(): every column is in one

  std::vector<std::string> names() const;
  /// A configuration as it is written to a file, column by column.
  std::vector<std::string> cells(const std::vector<double>& configuration) const;
  /// Product of the choices; nothing where a column is a range or there are more than 2^53.
  std::optional<double> size() const;
};

using Configuration = std::vector<double>;

/// The values that these columns have in runs; `all`: those that failed among them.
Space space_of_runs(const Table& runs, const Table& all, const std::vector<std::string>& columns);

/// Restricts such a space to what can exist as far as the runs tell: columns that follow from
/// others there do, and two texts stand together where they do in a run.
void bind_columns(Space& space, const Table& runs);

/// Whether a configuration keeps to what the runs of a space tell.
bool is_known_to_exist(const Space& space, const Configuration& configuration);

/// The numbers of a configuration as formulas see them: texts by their codes.
std::vector<double> formula_values(const Space& space, TextCodes& codes,
                                   const Configuration& configuration);

/// The conditions of a space.
class Conditions {
 public:
  /// Throws UsageError with file and expression.
  explicit Conditions(const Space& space);
  bool hold(const Configuration& configuration) const;

 private:
  const Space& space_;
  mutable TextCodes codes_;
  std::vector<Formula> formulas_;
};

/// The configurations as a table; `source` and lines are made up.
Table table_of(const Space& space, const std::vector<Configuration>& configurations);

/// Rows of a file as configurations of the space; further columns are not looked at. Throws
/// InputError with file, line and column for a value that the space does not have.
std::vector<Configuration> configurations_of(const Space& space, const Table& table);

}  // namespace perfmodel::plan
