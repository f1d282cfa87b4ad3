#pragma once

#include "fit/process/residual_process.hpp"
#include "fit/residual/process_form.hpp"
#include "fit/result/inputs_json.hpp"

namespace perfmodel {

/// The field `process` of the constants: all that predictions take. Distinct coordinates stand once
/// per column, and rows say which of them they have.
Json process_to_json(const KnownProcess& known, const ProcessColumns& columns,
                     const ModelSpec& spec);

struct ReadProcess {
  process::ResidualProcess process;
  ProcessColumns columns;
};

/// Throws InputError for fields that do not fit each other or the inputs of the spec.
ReadProcess read_process(const JsonCursor& node, const ModelSpec& spec);

}  // namespace perfmodel
