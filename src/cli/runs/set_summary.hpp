#pragma once

#include <string>
#include <vector>

#include "cli/options/gates.hpp"
#include "cli/terminal/console.hpp"
#include "io/model/model_set.hpp"

namespace perfmodel::cli {

/// The models of a set by what they weigh: a table per target with the largest ones, and what
/// became of the rest.
std::string set_summary(const ModelSet& set, const Console& console);

/// "2 of 9 models are missing: kernel=x time_s: ..."; empty where none are.
std::string refused_text(const ModelSet& set);

/// Conditions on sets: 'any.mape>20', 'kernel=x,gpu=a.q[gpus]>0.2'.
bool is_set_figure(std::string_view name);

/// The words of messages about these.
inline constexpr auto kSetFigureWords =
    "; of many models 'any.' or groups such as 'kernel=x,gpu=a.' before it, constants such as "
    "q[gpus], or refused";

/// Throws GateError as check_gates() does. A condition on any model looks at those that there are
/// (refused: at all); one that names a group without a model cannot be judged and fires.
void check_set_gates(const std::vector<Gate>& gates, const ModelSet& set);

}  // namespace perfmodel::cli
