#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "columns/spec.hpp"
#include "perfmodel/design.hpp"

namespace perfmodel {

/// A design with one row per configuration, without times.
Design design_of(const std::vector<Configuration>& configurations, const ModelSpec& spec);

/// make_design() of a table whose columns of units leave no doubt. `remedy`: of measured cells that
/// cannot be used.
Design plain_design(const Table& table, const ModelSpec& spec, Target target,
                    std::optional<std::span<const std::size_t>> rows = std::nullopt,
                    const Remedy& remedy = needs_measured);

/// "'mem' has no units in runs.csv: its numbers are taken as B", for inputs whose runs had units
/// and whose cells in this table are plain numbers; nullopt if there are none.
std::optional<std::string> notice_of_plain_numbers(const Table& table, const ModelSpec& spec);

/// A level in a table that did not occur in the runs of a model.
struct UnknownLevel {
  std::string column;
  std::string level;
  std::size_t rows = 0;
  std::size_t line = 0;  ///< line of the first of these rows
};

/// The rows of a table whose levels a model knows, and the levels because of which the others are
/// excluded.
struct KnownLevelRows {
  std::vector<std::size_t> rows;
  std::vector<UnknownLevel> unknown;  ///< in the order of the spec, then of the table
};

/// Finds the rows with known levels in columns that were read as text. A blank cell is not a level:
/// its row is kept, and make_design() rejects it.
KnownLevelRows rows_of_known_levels(const Table& table, const ModelSpec& spec);

/// "the runs that the model is fitted to have no gpu = "v100" (162 rows, from line 26 on)"; several
/// levels are listed.
std::string because_of(const std::vector<UnknownLevel>& unknown);

/// Matches the cells of a table to the levels of a model.
class LevelMatcher {
 public:
  explicit LevelMatcher(const CategoricalInput& input);

  /// Matches by text. "1.0" also matches "1" (programs differ in how they write integers), but
  /// "1.10" does not match "1.1", since these may be two versions. "TRUE" matches "true".
  std::optional<std::uint32_t> match(const std::string& text) const;

  /// Matches by the shortest text of the number, or else by its value if only one level has it.
  std::optional<std::uint32_t> match(double number) const;

  /// Why a text without a match, which occurs in `rows` rows, cannot be used: lists the known
  /// levels and suggests the most similar one.
  std::string reason(const std::string& text, std::size_t rows) const;

 private:
  const CategoricalInput& input_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

/// True if a column has exactly two different values.
bool has_two_values(const NumericFactor& factor, std::size_t rows);

}  // namespace perfmodel
