#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/table.hpp"

namespace perfmodel {

/// What is known of a column, by the names of the table of weights: "n any:time", "c bits"; what is
/// not there is 0.
using Evidence = std::map<std::string, double, std::less<>>;

/// Evidence that is 0 is left out.
inline void put(std::string_view feature, double value, Evidence& evidence) {
  if (value != 0)
    evidence.emplace(feature, value);
}

/// A column of the sampled rows.
struct SampledColumn {
  const Column* column = nullptr;
  bool is_number = false;  ///< most cells that are not missing are numbers
  bool is_date = false;
  std::vector<double> numbers;      ///< one per sampled row; NaN where there is none; empty: texts
  std::vector<std::string> cells;   ///< one per sampled row
  std::vector<bool> missing;        ///< one per sampled row
  std::vector<std::size_t> counts;  ///< how often each distinct cell occurs
  std::size_t alone = 0;            ///< rows whose value no other row of the table has
  std::size_t distinct() const { return counts.size(); }
  const std::string& name() const { return column->name; }
};

/// At most 256 rows of a table, chosen by their cells alone, so that the order of rows says
/// nothing.
struct Sample {
  std::size_t rows = 0;
  std::vector<SampledColumn> columns;  ///< all of the table, in its order
  std::vector<Evidence> first;         ///< one per column: of its name and its cells
};

/// Adds evidence of the cells of a column that is not constant, "c bits" and the like, to that of
/// its name.
void add_cell_evidence(const Sample& sample, std::size_t place, Evidence& evidence);

/// Samples a table and computes the evidence of names and cells, which needs no roles of others.
Sample sample_of(const Table& table);

/// Probabilities of a column; they sum to 1.
struct RoleOdds {
  double input = 1;
  double result = 0;
  double label = 0;
  double none() const { return 1 - input; }
};

/// What a flag or a format said of a column, which is not doubted.
enum class Told { nothing, input, target, result, ignored };

/// What the first pass says of a column and of those with names like its own.
std::vector<Evidence> second_evidence(const Sample& sample, const std::vector<RoleOdds>& first_pass,
                                      const std::vector<Told>& told);

/// Evidence of each column that can be what was measured; none of the others. `odds` are those of
/// the second pass without a target.
std::vector<Evidence> target_evidence(const Sample& sample, const std::vector<RoleOdds>& odds);

/// Named weights of the tables in weights.tsv.
struct Weights {
  struct Of {
    double result = 0;
    double label = 0;
  };
  std::map<std::string, Of, std::less<>> first;  ///< "intercept" among them
  std::map<std::string, Of, std::less<>> second;
  std::map<std::string, double, std::less<>> target;
  std::map<std::string, double, std::less<>> constants;
  double threshold() const { return constants.at("threshold"); }  ///< an input iff none() is below
  /// Accepted as the target from this probability.
  double target_threshold() const { return constants.at("target threshold"); }
};

/// The weights of the program; parsed once.
const Weights& learnt_weights();
/// Parses the text of weights.tsv.
Weights parse_weights(std::string_view text);

/// What a table's columns are.
struct Classified {
  std::vector<RoleOdds> odds;      ///< one per column
  std::vector<double> as_target;   ///< probabilities; empty if a target was named
  std::vector<Evidence> evidence;  ///< first and second, of the last pass
};
Classified classify(const Sample& sample, const std::vector<Told>& told, const Weights& weights);

/// The inputs of a table, by their places: what was told, and what is surely enough no result and
/// no label. Empty if even the least doubtful column is none.
std::vector<std::size_t> taken_inputs(const Sample& sample, const Classified& classified,
                                      const std::vector<Told>& told, const Weights& weights);

/// The columns that are most likely the target, the likeliest first; empty if one was told.
std::vector<std::size_t> best_targets(const Sample& sample, const Classified& classified,
                                      std::size_t most = 3);

}  // namespace perfmodel
