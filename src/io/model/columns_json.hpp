#pragma once

#include <vector>

#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// "central_run" of model.json.
Json central_run_to_json(const ModelSpec& spec, const CentralRun& central);
/// Nothing where the file does not tell.
std::optional<CentralRun> read_central_run(const ModelSpec& spec, const JsonCursor& root);

/// "tied" of model.json.
Json ties_to_json(const std::vector<Tie>& ties);
/// Nothing where the model has none.
std::vector<Tie> read_ties(const ModelSpec& spec, const JsonCursor& root);

/// "left_out" of model.json.
Json left_out_to_json(const std::vector<LeftOut>& left_out);
/// Nothing where the file does not tell.
std::vector<LeftOut> read_left_out(const JsonCursor& root);

}  // namespace perfmodel
