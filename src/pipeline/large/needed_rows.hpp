#pragma once

#include "perfmodel/pipeline/fit_runs.hpp"

namespace perfmodel {

/// What is asked for that needs every row where it stands in the file; empty where nothing is.
Sentence needs_rows_of_file(const FitRequest& request);
/// What is asked for that needs every run as a row, wherever that stands.
Sentence needs_single_rows(const FitRequest& request);

}  // namespace perfmodel
