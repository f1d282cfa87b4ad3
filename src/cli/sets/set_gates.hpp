#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cli/options/gates.hpp"
#include "cli/runs/set_lines.hpp"
#include "cli/sets/set_total.hpp"

namespace perfmodel::cli {

/// Conditions on sets: 'any.mape>20', 'kernel=x,gpu=a.q[gpus]>0.2', 'total.share<95'.
bool is_set_figure(std::string_view name);

/// The words of messages about these.
inline constexpr auto kSetFigureWords =
    "; of many models 'any.' or groups such as 'kernel=x,gpu=a.' before it, constants such as "
    "q[gpus], or refused; or total.share";

/// A condition on any model looks at those that there are
/// (refused: at all); one that names a group without a model cannot be judged and fires. `share` is
/// that of the total.
std::vector<JudgedGate> judged_set_gates(const std::vector<Gate>& gates, const SetLines& set,
                                         const std::optional<SetShare>& share);

/// The same of models as they were fitted: throws GateError as check_gates() does.
void check_set_gates(const std::vector<Gate>& gates, const SetLines& set);

}  // namespace perfmodel::cli
