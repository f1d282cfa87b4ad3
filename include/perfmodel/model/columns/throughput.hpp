#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "perfmodel/base/sentence.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// A measured throughput, of which the time is computed: time = work / throughput.
struct Throughput {
  std::string column;
  std::string work;  ///< a column or a formula, as Formula takes it; empty: 1

  bool operator==(const Throughput&) const = default;
};

/// The time that a throughput gives: "time_per_sample" in "s" of "samples_per_s"; with work,
/// "time_per_iteration". The unit is empty where the name does not tell it.
struct ThroughputTime {
  std::string column;
  std::string unit;
};
ThroughputTime time_of(const Throughput& throughput, const Table& table);

/// "samples_per_s", "images/sec", "throughput".
bool names_throughput(std::string_view name);

/// Of a target that is taken as a time: that it has the name of a throughput. A time falls where
/// that grows, so powers, shares and predictions would speak of its inverse.
std::optional<Sentence> warning_of_throughput(const std::string& target);

/// The table with that time as its column `target`, in place of one that it has; as it is where it
/// has the target and no throughput.
///
/// Throws InputError for a throughput that is missing or, in any row, no number > 0, and for work
/// that is not.
Table with_time_of(const Table& table, const Throughput& throughput, const std::string& target);

/// What the target is, for people: "... is 1 / samples_per_s: the time of one sample, in s".
Sentence words_for(const Throughput& throughput, const ThroughputTime& time, const Table& table);

/// Of work that is of one worker by its name, where the throughput counts that of all.
std::optional<Sentence> warning_of_work(const Throughput& throughput, const Table& table);

}  // namespace perfmodel
