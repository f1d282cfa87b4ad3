#pragma once

#include "perfmodel/model/columns/roles.hpp"

namespace perfmodel::cli {

class OptionSet;

/// The options that say which column plays which part, shared by all commands that read runs.
void add_role_options(OptionSet& app, RoleRequest& request);

}  // namespace perfmodel::cli
