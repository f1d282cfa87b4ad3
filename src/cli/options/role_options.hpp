#pragma once

#include "perfmodel/model/columns/roles.hpp"

namespace CLI {
class App;
}

namespace perfmodel::cli {

/// The options that say which column plays which part, shared by all commands that read runs.
void add_role_options(CLI::App& app, RoleRequest& request);

}  // namespace perfmodel::cli
