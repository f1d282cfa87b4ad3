#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// What stands behind COL=.
struct Setting {
  std::string column;
  std::string text;
};

/// The numeric input of this name; null where it is none.
const NumericInput* input_called(const ModelSpec& spec, const std::string& column);

/// The levels that the text names. Throws UsageError for one that the model does not know.
Column text_column(const Setting& setting, const CategoricalInput& input);

/// The values that the text stands for: levels or numbers. Throws UsageError for what the column
/// cannot have.
Column column_of(const Setting& setting, const ModelSpec& spec);

/// Row i of the result is row rows[i] of the column.
Column taken_rows(const Column& column, const std::vector<std::size_t>& rows);

}  // namespace perfmodel
