#pragma once

#include <memory>

#include "base/tasks/processes.hpp"

namespace perfmodel::cli {

/// The processes of the MPI job that this one is of; nothing where it was started on its own, or
/// the program was built without MPI. To be asked for once.
std::unique_ptr<Processes> processes_of_job();

}  // namespace perfmodel::cli
