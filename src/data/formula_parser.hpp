#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#include "data/formula.hpp"
#include "data/formula_program.hpp"

namespace perfmodel {

/// A text that is no formula: why, and at which character, counted from 1.
class FormulaError : public std::runtime_error {
 public:
  explicit FormulaError(const std::string& message,
                        std::optional<std::size_t> character = std::nullopt)
      : std::runtime_error(character ? message + " at position " + std::to_string(*character)
                                     : message),
        has_position_(character.has_value()) {}

  bool has_position() const { return has_position_; }

 private:
  bool has_position_;
};

/// Reads a formula; its names are those that it uses, in the order in which they appear, constants
/// such as _pi among them. Throws FormulaError.
FormulaProgram parse_formula(const std::string& text, TextCodes& codes);

/// The value of a name where no column has it: of _pi and _e.
std::optional<double> formula_constant(const std::string& name);

}  // namespace perfmodel
