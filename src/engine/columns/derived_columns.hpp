#pragma once

#include <string>

#include "columns/spec.hpp"
#include "perfmodel/columns.hpp"

namespace perfmodel {

/// "4 * nodes", "256 / gpus", "gpus / 4".
std::string scaled_product(double factor, const std::vector<Factor>& factors);

/// Throws UsageError, which begins with `where`, if a column of the formula is missing.
void refuse_unknown(const Table& table, const std::string& formula, const std::string& where);

/// with_time_of(), with what is said of a throughput that cannot be used.
Table with_computed_time(const Table& table, const Throughput& throughput,
                         const std::string& target, const Remedy& remedy);

}  // namespace perfmodel
