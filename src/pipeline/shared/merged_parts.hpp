#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// A file that a shard of a job wrote.
struct PartFile {
  std::string name;
  std::string_view bytes;
};

/// One file from the parts of a job: the same bytes that the job without shards writes.
///
/// Throws InputError that names what is wrong: a part of another job, a line that is cut short, a
/// task that two parts hold or none; and which shards have to run again.
std::string merged_parts(const std::vector<PartFile>& parts);

}  // namespace perfmodel
