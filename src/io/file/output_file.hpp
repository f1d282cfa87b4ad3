#pragma once

#include <string>
#include <string_view>

namespace perfmodel {

/// A result on its way to a file or to standard output ("-").
///
/// A regular file is written beside its target and renamed over it only by `commit`: until then,
/// and after any failure, an old file stays as it was and nothing else is left behind; what a
/// killed program left there the next one with the same target removes. The old file's permissions
/// are kept (without setuid and its like), its owner and group where the user may, and a symbolic
/// link stays one: what it points to is replaced. Pipes, devices and the program's own descriptors
/// (/dev/stdout, /dev/fd/3) are written through. Every failure throws OutputError with the path and
/// the reason, a pipe without a reader ReaderGone.
///
/// The program has to ignore SIGPIPE and SIGXFSZ, so that these are such failures too.
class OutputFile {
 public:
  /// Finds out at once whether the place can be written, and leaves no trace there: the temporary
  /// file comes into being with the first block that is written.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  /// Flush, fsync, rename, fsync of the directory.
  void commit();

  /// Whether an old file can survive an interruption: false where the target is written through.
  bool replaces_file() const { return !target_.empty(); }

 private:
  std::string path_;       ///< as the user wrote it, for messages
  std::string target_;     ///< the file to replace; empty where the target is written through
  std::string temporary_;  ///< empty until the first block
  int descriptor_ = -1;
  bool owns_descriptor_ = false;
  bool has_old_file_ = false;
  unsigned permissions_ = 0;  ///< of the old file, and so are these
  unsigned owner_ = 0;
  unsigned group_ = 0;
  std::string buffer_;

  void open_through(const std::string& path, int flags);
  void create_temporary();
  void remove_temporary();
  void flush();
  void take_over_ownership();
  void sync_and_rename();
  [[noreturn]] void fail(int error, const std::string& what = {}) const;
};

}  // namespace perfmodel
