#include "list.hpp"

namespace {

/// The tests use all tools. Version 3 of Catch2 has a main() of its own, which could not add them.
[[maybe_unused]] const bool has_tools = (perfmodel::add_tools(), true);

}  // namespace
