#pragma once

#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// The configuration that `--set COL=VALUE ...` describes, as a table of one row.
///
/// Throws UsageError, as all of it stands on the command line: a setting without '=', a column that
/// the model does not have, that is missing or given twice, a level it does not know, a value that
/// is not a number > 0.
Table table_of_settings(const std::vector<std::string>& settings, const ModelSpec& spec);

}  // namespace perfmodel
