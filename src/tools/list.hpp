#pragma once

namespace perfmodel {

/// Adds the tools of this build to the program; later calls do nothing. Thread-safe.
void add_tools();

}  // namespace perfmodel
