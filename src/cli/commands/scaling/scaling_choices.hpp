#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/scaling/kind_of_work.hpp"
#include "cli/commands/scaling/scaling_command.hpp"
#include "io/documents/scaling_json.hpp"

namespace perfmodel::cli {

/// As a share.
double least_efficiency(const ScalingArguments& arguments);

/// The scale that is asked for, else the only one. Throws UsageError where there are more or none.
std::string choose_column(const std::optional<std::string>& wanted,
                          const std::vector<std::string>& extrinsic);

/// Strong or weak, as asked for or as the columns tell; the document says why.
scaling::Kind settle_kind(const ScalingArguments& arguments, const scaling::WorkColumns& columns,
                          ScalingDocument& document, Console& console);

}  // namespace perfmodel::cli
