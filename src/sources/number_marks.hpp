#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/table.hpp"

namespace perfmodel {

/// The number that a cell is if this is its decimal mark, ',' or '.': "1092.9" of "1.092,9" for
/// ','. Commas or points, blanks, apostrophes and underscores may stand between groups of three
/// digits. nullopt for any other text.
std::optional<std::string> number_with(std::string_view text, char decimal);

/// True for texts such as "1,884,602", "0,5" and "285,1 ms": numbers, maybe with a unit, that
/// parse_number() and parse_quantity() refuse for their marks.
bool has_number_marks(std::string_view cell);

/// The decimal marks of the columns of a file, and the marks of thousands in them.
///
/// A cell with both marks ("1.092,9"), with several groups of thousands ("1,884,602") or without a
/// whole group ("0,5") tells the marks of its column. What can be read both ways ("1,024") follows
/// the other cells of its column, or else those of the file, in which programs and people keep to
/// one decimal mark. Where commas separate, those within a cell are decimal marks only if no number
/// of the file has a decimal point: "640,480" may be a shape.
class NumberMarks {
 public:
  /// The number, for messages, of a line of `bytes`.
  using LineNumber = std::function<std::uint32_t(std::uint32_t line)>;

  /// Judges all cells of a file, except those of `text_columns`. Throws InputError for all columns
  /// that may be read both ways without evidence, or that need both.
  NumberMarks(std::string_view bytes, const std::string& source,
              const std::set<std::string>& text_columns, CellStyle style,
              const LineNumber& number_of);

  /// Changes the cell of the field, from 0, to a number that parse_number() or parse_quantity()
  /// reads if it is one. Returns what is left of it.
  std::string_view read(std::size_t field, std::span<char> cell) const;

  /// The style with an example of a decimal comma and of marks of thousands, if there are any.
  const CellStyle& style() const { return style_; }

 private:
  struct Evidence {
    std::string name;
    std::size_t numbers = 0;
    std::size_t others = 0;
    bool comma = false;        ///< a number that needs the decimal comma
    bool both = false;         ///< one with marks of thousands, too
    bool point = false;        ///< a number that needs the decimal point
    bool whole = false;        ///< a number below 1000
    bool ungrouped = false;    ///< a number from 1000 without marks
    std::string doubtful{};    ///< the first number that can be read both ways, and its line
    std::string with_comma{};  ///< the first with a decimal comma alone
    std::string grouped{};     ///< the first that surely has marks of thousands
    std::uint32_t line = 0;

    bool is_of_numbers() const { return numbers > others; }
    /// The mark of the doubtful number; '\0' if there is none.
    char mark() const {
      const std::size_t at = doubtful.find_first_of(",.");
      return at == std::string::npos ? '\0' : doubtful[at];
    }
  };

  static void note(std::string_view cell, std::uint32_t line, Evidence& column);
  static std::string question(const Evidence& column, const std::string& source);
  void decide(const std::vector<Evidence>& columns, const std::string& source);
  void tell(const Evidence& column, char decimal);

  CellStyle style_;
  std::vector<char> decimals_;  ///< by field; '\0': the cells stay as they are
};

}  // namespace perfmodel
