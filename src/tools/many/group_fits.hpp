#pragma once

#include <sys/stat.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/fit.hpp"
#include "report/model_set.hpp"

namespace perfmodel {

/// Largest file that is read as a whole. A file of contiguous groups may have any size.
constexpr std::uintmax_t kMostBytesAsAWhole = std::uintmax_t{1} << 30;

/// Positions of the groups of a CSV file in which the rows of each group are contiguous, so that a
/// group can be read on its own. Indexing parses every line once, so that malformed lines are
/// reported at once.
class GroupIndex {
 public:
  /// Returns nullopt if the rows of some group are not contiguous, and for anything but a regular
  /// comma-separated file (standard input, other separators). Throws InputError for a file that
  /// parse_csv() refuses, and for one that is not contiguous and larger than
  /// `most_bytes_as_a_whole`.
  static std::optional<GroupIndex> of(const std::string& path, const std::vector<std::string>& by,
                                      const std::set<std::string>& texts, const InputOptions& input,
                                      std::uintmax_t most_bytes_as_a_whole = kMostBytesAsAWhole);

  const std::string& path() const { return path_; }
  const std::string& digest() const { return digest_; }  ///< SHA-256 of the file
  std::size_t groups() const { return spans_.size(); }
  const std::vector<std::string>& key(std::size_t group) const { return spans_[group].key; }
  std::size_t rows(std::size_t group) const { return spans_[group].rows; }

  /// The first rows of the file.
  const Table& first_rows() const { return first_rows_; }
  /// The rows of a group, as in a table of the whole file. Throws InputError if the file has
  /// changed since it was indexed.
  Table table(std::size_t group) const;

 private:
  struct Span {
    std::vector<std::string> key;
    std::uint64_t begin = 0;  ///< offset in the file, bytes
    std::uint64_t end = 0;
    std::uint32_t line = 0;  ///< of the first row
    std::size_t rows = 0;
  };

  std::string path_;
  std::set<std::string> texts_;
  std::string digest_;
  std::string header_;     ///< the line
  std::string first_row_;  ///< the line; its cells decide which columns are numeric
  Table first_rows_;
  std::vector<Span> spans_;
  std::set<std::vector<std::string>> seen_;  ///< keys of the groups so far
  struct stat status_ = {};

  /// Adds whole lines that begin at this offset. Returns false if some group is not contiguous.
  bool add(std::string_view lines, std::uint64_t begin, std::uint32_t line,
           const std::vector<std::string>& by);
  Table parsed(std::string_view lines, std::uint32_t line) const;
};

/// The models to be fitted: a task per target of each group, the groups in order of first
/// appearance.
struct GroupJob {
  std::string file;    ///< base names of the files
  std::string digest;  ///< SHA-256 of the files
  std::vector<std::string> by;
  std::vector<std::string> targets;
  std::optional<std::string> time;  ///< the name of the target if it is derived from a throughput
  std::size_t groups = 0;
  std::function<std::vector<std::string>(std::size_t group)> key;
  /// The runs of a group, with all columns. Thread-safe.
  std::function<RunsFile(std::size_t group)> runs;

  std::size_t tasks() const { return groups * targets.size(); }
};

/// Reads the groups of files, which the columns `by` distinguish; without one, all rows are a
/// group. Of a CSV file of contiguous groups, only an index and one group per thread are in memory;
/// other files are read as a whole. The target of the roles is a column of that name if there is
/// one, else a list with commas; without it, the target is inferred from the whole table.
///
/// Throws UsageError for missing columns, and InputError if the target cannot be inferred, a file
/// cannot be read, or it is too large to be read as a whole.
GroupJob read_groups(const std::vector<std::string>& paths, const std::vector<std::string>& by,
                     const RoleRequest& roles, const InputOptions& input);

/// Fits the tasks with these numbers on `request.options.threads` threads. `take` receives the
/// results in the order of `numbers`; a fit that refuses its runs is a result, not an error.
/// Results that a stop request cuts short are discarded.
void fit_groups(const GroupJob& job, const std::vector<std::size_t>& numbers,
                const FitRequest& request, const std::function<void(ModelSetLine)>& take);

}  // namespace perfmodel
