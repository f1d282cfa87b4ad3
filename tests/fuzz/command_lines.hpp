#pragma once

#include <string_view>

namespace perfmodel::fuzz {

/// Runs the command line that these bytes spell in a folder with small files. It ends with a
/// documented exit code other than that of an internal error, and leaves the folders around as they
/// were; else std::logic_error. Not run: compare, which takes seconds.
void read_command_line(std::string_view bytes);

}  // namespace perfmodel::fuzz
