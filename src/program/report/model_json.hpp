#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "fit/fit.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// Newest supported version; newer files are rejected. A model's own version depends on its form
/// and on whether columns may be 0.
inline constexpr std::uint64_t kModelSchemaVersion = 5;

/// Describes model.json. Reading checks the fields that follow from the constants (formulas,
/// scaling powers, differences of levels). Throws InputError, which names the field.
void describe(Fields& f, FittedModel& model);

// Parts shared with other documents
void describe(Fields& f, Metrics& x);
void describe(Fields& f, PartMetrics& x);
void describe(Fields& f, FailedRuns& x);
/// Input files of a result, with failed runs.
void describe(Fields& f, Provenance& x);
void describe(Fields& f, NoiseFloor& x);
void describe(Fields& f, BoundUse& x);

/// Like read_model(), for a program that supports these forms.
FittedModel read_model(const std::string& path, const std::vector<FormKind>& kinds);

/// Reads the model at this node of a document.
FittedModel read_model(const JsonCursor& root, const std::vector<FormKind>& kinds);

}  // namespace perfmodel
