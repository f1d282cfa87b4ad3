#pragma once

#include <optional>

#include "perfmodel/model/columns/roles.hpp"

namespace perfmodel::cli {

class OptionSet;

/// The options that say which column plays which part, and how files are read, shared by all
/// commands that read runs.
void add_role_options(OptionSet& app, RoleRequest& request, std::optional<char>& separator);

}  // namespace perfmodel::cli
