#pragma once

#include <set>
#include <string>
#include <vector>

#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// [lowest, highest] of the training rows.
inline Json range_to_json(const NumericInput& input) {
  return Json::array({number(input.low), number(input.high)});
}

/// How a 0 counts, put into the item of a numeric column that may have one. `in_products`: else a
/// term of the column is absent there.
void add_zero_to_json(const NumericInput& input, bool in_products, Json& item);

/// Reads the inputs of a model from its field `constants`. All throw InputError, for a column that
/// stands twice, too.
class InputsReader {
 public:
  explicit InputsReader(const ModelSpec& spec) { columns_.insert(spec.target); }

  /// `column`, `range` and, where 0 is among its values, `zero`.
  NumericInput numeric_input(const JsonCursor& item);
  /// `column`, with the levels in their own order: a file that was edited by hand may have them in
  /// any. `name_of` finds the text of each item of `levels`.
  template <class NameOf>
  CategoricalInput categorical_input(const JsonCursor& item, const ModelSpec& spec,
                                     const NameOf& name_of) {
    CategoricalInput input{column(item), {}};
    const bool derived = spec.is_derived(input.column);
    std::set<std::string> levels;
    for (const JsonCursor& level : item.member("levels").items())
      add_level(level, name_of(level), derived, levels);
    input.levels = sorted_levels(item, levels);
    return input;
  }

 private:
  std::set<std::string> columns_;

  std::string column(const JsonCursor& item);
  static void add_level(const JsonCursor& item, const JsonCursor& name, bool derived,
                        std::set<std::string>& levels);
  static std::vector<std::string> sorted_levels(const JsonCursor& item,
                                                const std::set<std::string>& levels);
};

}  // namespace perfmodel
