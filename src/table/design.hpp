#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// A design of these rows, without times.
Design design_of(const std::vector<Configuration>& configurations, const ModelSpec& spec);

/// A level in a table that the runs behind a model did not have.
struct UnknownLevel {
  std::string column;
  std::string level;
  std::size_t rows = 0;
  std::size_t line = 0;  ///< of the first of these rows
};

/// The rows of a table whose levels a model knows, and the levels that keep the others out.
struct KnownLevelRows {
  std::vector<std::size_t> rows;
  std::vector<UnknownLevel> unknown;  ///< in the order of the spec, then of the table
};

/// Looks at columns that were read as text. A blank cell is no level: its row stays, and
/// make_design() refuses it.
KnownLevelRows rows_of_known_levels(const Table& table, const ModelSpec& spec);

/// "the runs that the model is fitted to have no gpu = "v100" (162 rows, from line 26 on)", several
/// levels one after the other.
std::string because_of(const std::vector<UnknownLevel>& unknown);

/// Finds the cells of a table among the levels of a model.
class LevelMatcher {
 public:
  explicit LevelMatcher(const CategoricalInput& input);

  /// By the text. "1.0" also finds "1" (programs differ in how they write a whole number); "1.10"
  /// does not find "1.1", for they may be two versions. "TRUE" finds "true".
  std::optional<std::uint32_t> match(const std::string& text) const;

  /// By the shortest text of the number, or else by its value where one level alone has it.
  std::optional<std::uint32_t> match(double number) const;

  /// Why a text that matches nothing, and that stands in so many rows, cannot be used: the levels
  /// that are known, and the likely one.
  std::string reason(const std::string& text, std::size_t rows) const;

 private:
  std::optional<std::uint32_t> match_value(double number) const;
  std::optional<std::uint32_t> match_truth(const std::string& text) const;

  const CategoricalInput& input_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

}  // namespace perfmodel
