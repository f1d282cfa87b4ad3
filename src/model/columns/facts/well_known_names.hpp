#pragma once

#include <string>
#include <string_view>

namespace perfmodel {

/// Whether a column of this name usually holds a measured time: "time_s", "Iteration Time (ms)",
/// "t".
bool is_time_name(std::string_view name);

/// Whether a name ends in a unit of time: "epoch_s", "gpu_time_us". Settings can do so as well.
bool has_time_unit(std::string_view name);

/// Whether a column of this name usually holds a scale: "gpus", "num_workers", "mpi_procs",
/// "batch-size".
bool is_scale_name(std::string_view name);

/// The unit in the name of a time column, "ms" for "step_time_ms" and "Step Time (ms)"; empty where
/// there is none.
std::string unit_of(std::string_view name);

/// Whether it stands in brackets.
bool has_bracketed_unit(std::string_view name);

}  // namespace perfmodel
