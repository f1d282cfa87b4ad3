#pragma once

#include <string>

namespace perfmodel {

/// Whether a cell in place of a time says that its run failed.
bool says_failed(const std::string& cell);

}  // namespace perfmodel
