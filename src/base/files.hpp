#pragma once

#include <nettle/sha2.h>
#include <cstddef>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace perfmodel {

/// SHA-256 (FIPS 180-4) of bytes that come block by block.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view block);
  /// As 64 lower-case hexadecimal digits, as sha256sum prints it; begins anew.
  std::string text();

 private:
  sha256_ctx context_ = {};
};

/// The same of all bytes.
std::string sha256(std::string_view bytes);

/// Of a file, read piece by piece. Throws InputError where it cannot be read.
std::string sha256_of_file(const std::string& path);

/// All bytes of a file; "-" is standard input. Throws InputError with the path and the reason.
///
/// Reading a file once, as a whole, lets its digest and its rows come from the same bytes even
/// where somebody writes to it meanwhile, and works for pipes.
std::string read_file(const std::string& path);

/// The same block by block.
void for_each_block(const std::string& path,
                    const std::function<void(std::string_view block)>& visit);

/// How messages call the file: the path, or "standard input".
std::string display_name(const std::string& path);

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

struct TextLine {
  std::size_t number = 0;  ///< from 1
  std::string_view text;   ///< without its newline
  bool whole = true;       ///< not without one: a write that was cut short
  std::size_t offset = 0;  ///< in bytes from the beginning of the file
};

/// The lines of a file, as often as somebody wants to see them. They are read anew each time; what
/// can be read only once, such as a pipe, is kept.
class TextLines {
 public:
  /// "-" is standard input. Throws InputError where the file cannot be read.
  explicit TextLines(const std::string& path);

  /// How messages call it.
  const std::string& source() const { return source_; }
  /// All lines, until `visit` says no.
  void for_each(const std::function<bool(const TextLine&)>& visit) const;
  /// All at once.
  std::string bytes() const;
  /// From the first byte on.
  std::unique_ptr<std::istream> open() const;

 private:
  std::string path_;
  std::string source_;
  std::shared_ptr<const std::string> kept_;  ///< nothing: the file is read again
};

}  // namespace perfmodel
