#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "io/file/digest.hpp"

namespace perfmodel {

/// The lines of standard input or of a pipe, which can be read once: a beginning that is kept, and
/// what follows in blocks.
class PipedLines {
 public:
  /// "-" is standard input. Reads a beginning of so many bytes. Throws InputError where it cannot.
  PipedLines(const std::string& path, std::size_t beginning);
  ~PipedLines();
  PipedLines(const PipedLines&) = delete;
  PipedLines& operator=(const PipedLines&) = delete;

  /// Whole lines, unless there is but one.
  std::string_view beginning() const { return std::string_view(bytes_).substr(0, whole_); }

  /// Hands the lines from a place in the beginning on to `visit`, in blocks of whole lines with
  /// their place, as for_each_block() does of a file; once.
  void for_each_block(
      std::uint64_t begin,
      const std::function<void(std::string_view lines, std::uint64_t offset)>& visit);

  /// Of all bytes, when they have been read.
  std::string sha256() { return digest_.text(); }

 private:
  std::string path_;
  int descriptor_;
  std::string bytes_;
  std::size_t whole_ = 0;  ///< of them, in whole lines
  Sha256 digest_;

  /// Appends what comes next; false where nothing does.
  bool read_more();
  void find_whole_lines(bool ended);
};

/// Whether the path is standard input, or a pipe in a folder.
bool is_pipe(const std::string& path);

}  // namespace perfmodel
