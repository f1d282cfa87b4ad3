#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// A configuration that settings start from.
struct BaseConfiguration {
  Table table;       ///< of one row
  std::string name;  ///< "the run of line 212"
};

/// The central run of a model; nothing where its file tells none.
std::optional<BaseConfiguration> central_base(const FittedModel& model);

/// The run of this line of a table, by its columns that the model needs. Throws UsageError where no
/// run stands there.
BaseConfiguration base_of_line(const Table& table, std::uint32_t line, const ModelSpec& spec);

/// Configurations of all columns that a model needs.
struct SetConfigurations {
  Table table;                       ///< a row per configuration
  std::vector<std::string> varied;   ///< columns that were set to several values
  std::vector<std::string> assumed;  ///< "batch=32": as in the base, since nobody set it
  std::vector<std::string> moved;    ///< columns of the base that moved with a scale
};

/// The configurations that `COL=VALUE ...` describe, where a value may be a list or a range
/// (listed_numbers()): of several lists all combinations, those of the last one side by side. What
/// is not set is as in the base, but for columns that are tied to a scale that was set.
///
/// Throws UsageError, as all of it stands on the command line: a setting without '=', a column that
/// the model does not have, that is set twice or that neither settings nor base have, a level it
/// does not know, a value that is no number that the column can have.
SetConfigurations configurations_of_settings(const std::vector<std::string>& settings,
                                             const FittedModel& model,
                                             const std::optional<BaseConfiguration>& base);

}  // namespace perfmodel
