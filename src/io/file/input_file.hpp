#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace perfmodel {

/// All bytes of a file; "-" is standard input. Throws InputError with the path and the reason.
///
/// Reading a file once, as a whole, lets its digest and its rows come from the same bytes even
/// where somebody writes to it meanwhile, and works for pipes.
std::string read_file(const std::string& path);

/// The same block by block.
void for_each_block(const std::string& path,
                    const std::function<void(std::string_view block)>& visit);

/// How messages call the file: the path, or "standard input".
std::string display_name(const std::string& path);

}  // namespace perfmodel
