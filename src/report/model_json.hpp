#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "fit/fit.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// model.json. Fields that follow from the constants (formulas, scaling powers, differences of
/// levels) are checked when read. Throws InputError, which names the field.
void describe(Fields& f, FittedModel& model);

// Parts shared with other documents
void describe(Fields& f, Metrics& x);
void describe(Fields& f, PartMetrics& x);
void describe(Fields& f, FailedRuns& x);
/// The files of a result, with failed runs.
void describe(Fields& f, Provenance& x);
void describe(Fields& f, NoiseFloor& x);

/// read_model() of a program that knows these forms.
FittedModel read_model(const std::string& path, const std::vector<FormKind>& kinds);

/// A model that stands at this place of a document.
FittedModel read_model(const JsonCursor& root, const std::vector<FormKind>& kinds);

}  // namespace perfmodel
