#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

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
