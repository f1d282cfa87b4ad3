#pragma once

#include <string>

#include "analysis/plan/space.hpp"

namespace perfmodel {

/// Reads a space (schema perfmodel/space, version 1; "-" is standard input):
///
///     {"schema": "perfmodel/space", "schema_version": 1,
///      "columns": [{"column": "filters", "values": [4, 8, 16]},
///                  {"column": "padding", "values": ["valid", "same"]},
///                  {"column": "learning_rate", "range": [1e-6, 0.1], "scale": "log"},
///                  {"column": "batch_size", "range": [8, 128], "whole": true}],
///      "extrinsic": ["workers", "batch_size"],
///      "where": ["filters * batch_size <= 4096"]}
///
/// `extrinsic` and `where` may be left out; `where` may be one text. Throws InputError with file
/// and field.
plan::Space read_space(const std::string& path);

}  // namespace perfmodel
