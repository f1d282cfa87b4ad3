#pragma once

#include <string_view>

namespace perfmodel::fuzz {

/// The vector kernels of the program with numbers from these bytes: every instruction set of this
/// machine gives the same bits, which are those of plain loops, or differ from them by rounding.
/// Throws std::logic_error otherwise.
void read_kernel_inputs(std::string_view bytes);

}  // namespace perfmodel::fuzz
