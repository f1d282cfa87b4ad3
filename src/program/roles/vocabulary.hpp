#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roles/evidence.hpp"

// What the name of a column says, by a vocabulary whose words have kinds: time, size, limit.

namespace perfmodel {

/// Kinds of words, a bit each.
using Kinds = std::uint64_t;

/// The bits of kinds between blanks. Throws std::out_of_range for unknown ones.
Kinds kind_mask(std::string_view kinds);
/// The kinds of a word, maybe in its plural, or of a quantile ("p95"); 0 if it is unknown.
Kinds kinds_of(std::string_view word);

/// Whether a word of a name, or of its unit, is of one of the kinds between blanks.
bool has_kind(std::string_view name, std::string_view kinds);

/// The member of a nested object that a name denotes: "batch_size" of "config.batch_size"; the
/// whole name if it has no such parts ("p99.9_ms").
std::string_view last_part(std::string_view name);

/// The words of a column's name, in lower case; numbers are the word "0".
struct NameParts {
  std::vector<std::string> path;   ///< before the last point: of objects within objects
  std::vector<std::string> words;  ///< of the rest
  std::vector<std::string> body;   ///< of those, the ones that say what it is: "time" of "time_s"
  std::vector<std::string> units;
  bool per_time = false;   ///< "tokens_per_s"
  bool per_thing = false;  ///< "time_per_step"
  std::string head;        ///< the last word that says what it is; empty of an empty name
};
NameParts name_parts(std::string_view name);

/// Whether a column of this name usually holds what a run measured: "gpu_util", but not
/// "time_limit".
bool names_measured(std::string_view name);
/// Whether that is a time: "latency", "step_ms".
bool names_time(std::string_view name);

/// "n any:time", "n head:rate", "n short name", ...: see the table of weights.
Evidence name_evidence(std::string_view name);

}  // namespace perfmodel
