#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

namespace perfmodel {

/// A new file, open for writing and locked by its descriptor as long as that is open.
struct TemporaryFile {
  std::string path;
  int descriptor = -1;
};

/// "." of a file without one.
std::filesystem::path directory_of(const std::filesystem::path& file);

/// A file in the target's directory that a rename can put in its place: "TARGET.perfmodel-PID-N".
/// Nothing where none can be created; errno says why.
std::optional<TemporaryFile> create_temporary_beside(const std::filesystem::path& target,
                                                     mode_t permissions);

/// Removes such files of the same target and user whose program ended without doing so.
void remove_left_temporaries(const std::filesystem::path& target);

}  // namespace perfmodel
