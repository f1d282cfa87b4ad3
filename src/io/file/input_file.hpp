#pragma once

#include <string>

namespace perfmodel {

/// All bytes of a file; "-" is standard input. Throws InputError with the path and the reason.
///
/// Reading a file once, as a whole, lets its digest and its rows come from the same bytes even
/// where somebody writes to it meanwhile, and works for pipes.
std::string read_file(const std::string& path);

/// How messages call the file: the path, or "standard input".
std::string display_name(const std::string& path);

}  // namespace perfmodel
