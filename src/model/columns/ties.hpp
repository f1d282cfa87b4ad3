#pragma once

#include <vector>

#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// Which numeric inputs move with which scales, by the identities that hold among the inputs in
/// every row: what follows from a scale moves along, over however many identities and whoever named
/// it. A scale that itself follows from others moves the first of these that is not one, or else
/// the first.
std::vector<Tie> ties_of(const Table& table, const ModelSpec& spec);

}  // namespace perfmodel
