#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "io/file/output_file.hpp"

namespace perfmodel {

/// A result that comes line by line and is on disk as it comes: in "FILE.partial", which stays
/// where the program is ended, and which replaces FILE when all is there. What is no regular file
/// is written through.
class LinesFile {
 public:
  /// Finds out at once whether the place can be written. With `resume` what an earlier run left in
  /// the partial file stays (where there is none, what stands in FILE); else it is emptied. Throws
  /// OutputError, also where another program is writing there.
  LinesFile(const std::string& path, bool resume);
  ~LinesFile();
  LinesFile(const LinesFile&) = delete;
  LinesFile& operator=(const LinesFile&) = delete;

  /// Whether an earlier run left anything.
  bool has_kept() const { return has_kept_; }
  /// Shows the whole lines that an earlier run left, with their newlines, one after the other,
  /// until `visit` says no; those that it did not take, and one that was cut, are taken off the
  /// file.
  void keep_lines(const std::function<bool(std::string_view line)>& visit);

  void write(std::string_view line);
  void commit();

  /// Where the lines are until commit(), all of them that were written; empty where they are
  /// written through.
  const std::string& partial() const { return partial_; }

 private:
  OutputFile output_;
  std::string partial_;
  bool has_kept_ = false;
  int descriptor_ = -1;
  std::size_t unsynced_ = 0;

  void append(std::string_view text);
  [[noreturn]] void fail(int error, const std::string& what = {}) const;
};

}  // namespace perfmodel
