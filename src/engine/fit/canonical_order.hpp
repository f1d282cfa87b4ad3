#pragma once

#include <cstddef>
#include <vector>

#include "forms/form.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// The runs of a fit with columns, levels and rows sorted by content. A search draws random numbers
/// per column and sums over rows; in this order it finds the same model regardless of the order of
/// the file and the names of columns and levels. Names only break ties between identical columns.
struct CanonicalRuns {
  ModelSpec spec;
  Design training;
  ColumnOrder order;  ///< of the columns and levels of `given`
  ModelSpec given;
};

CanonicalRuns canonical(const ModelSpec& spec, const Design& training);

/// The inverse: a model of canonical runs in the order of columns and levels of the given spec.
FittedModel restored(FittedModel model, const CanonicalRuns& runs);

/// The rows by time, then by their inputs.
std::vector<std::size_t> canonical_rows(const Design& design);

}  // namespace perfmodel
