#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/documents.hpp"
#include "suggest/plan.hpp"

namespace perfmodel {

struct PlanDocument {
  const plan::Space& space = kSample<plan::Space>;
  const std::vector<plan::Configuration>& configurations =
      kSample<std::vector<plan::Configuration>>;
};

struct SuggestionDocument {
  const FittedModel& model = kSample<FittedModel>;
  const plan::Space& space = kSample<plan::Space>;
  plan::SuggestionRequest request = {};
  plan::Suggestions suggestions = {};
  std::vector<plan::NextSuggestion> next = {};  ///< --next
  double deviation = 0;              ///< mean deviation over the space, before the runs in `next`
  std::optional<double> level = {};  ///< of the prediction intervals, if the model has any
};

void describe(Fields& f, const PlanDocument& x);
void describe(Fields& f, const SuggestionDocument& x);
void describe(Fields& f, plan::Space& x);

/// The value of each column, by its name.
Json json_of(const plan::Space& space, const plan::Configuration& configuration);

/// Whether a regular file is a space in its short form and no JSON of runs: a single object of
/// values and lists of values, of which none is called `measured`.
bool is_short_space(const std::string& path, const std::string& measured);

/// Reads a space ("-" is standard input):
///
///     {"schema": "perfmodel/space", "schema_version": 1,
///      "columns": [{"column": "filters", "values": [4, 8, 16]},
///                  {"column": "padding", "values": ["valid", "same"]},
///                  {"column": "learning_rate", "range": [1e-6, 0.1], "scale": "log"},
///                  {"column": "batch_size", "range": [8, 128], "whole": true}],
///      "extrinsic": ["workers", "batch_size"],
///      "where": ["filters * batch_size <= 4096"]}
///
/// All but `columns` is optional; `where` may be a single string. In short, it is columns and their
/// values, {"filters": [4, 8, 16], "padding": "valid"}. Of a CSV, it is the rows; of a model.json,
/// space_around(). Throws InputError with file and field or line.
plan::Space read_space(const std::string& path);
/// As read_space(), from the bytes of the file `source`.
plan::Space parse_space(const std::string& source, std::string_view bytes);

}  // namespace perfmodel
