#pragma once

#include <nettle/sha2.h>
#include <sys/stat.h>
#include <cstddef>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace perfmodel {

/// SHA-256 (FIPS 180-4) of bytes that arrive in blocks.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view block);
  /// The digest as 64 lower-case hexadecimal digits, as sha256sum prints it. Resets the state.
  std::string text();

 private:
  sha256_ctx context_ = {};
};

std::string sha256(std::string_view bytes);

/// Digest of a file, read in blocks. Throws InputError if it cannot be read.
std::string sha256_of_file(const std::string& path);

/// The descriptor of an open file, which is closed at the end; -1 is none.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  void close();

 private:
  int number_;
};

/// Opens a file, or a copy of standard input for "-". Throws InputError if it cannot be read.
int open_to_read(const std::string& path);

/// Throws InputError with the reason of this system error.
[[noreturn]] void fail_to_read(const std::string& path, int error);

/// All bytes of a file; "-" is standard input. Throws InputError with the path and the reason.
///
/// Reading a file as a whole and once means that its digest and its rows come from the same bytes
/// even if another program writes to it meanwhile, and works for pipes.
std::string read_file(const std::string& path);

/// As read_file(), block by block.
void for_each_block(const std::string& path,
                    const std::function<void(std::string_view block)>& visit);

/// The name of the file in messages: the path, or "standard input".
std::string display_name(const std::string& path);

/// A result on its way to a file or to standard output ("-").
///
/// A regular file is written to a temporary file beside its target, which `commit` renames over it:
/// until then, and after any failure, an old file is unchanged and nothing is left behind. What a
/// killed program left is removed by the next one with the same target. The old file's permissions
/// are kept (without setuid and the like), its owner and group if the user may set them; the target
/// of a symbolic link is replaced, not the link. Pipes, devices and the program's own descriptors
/// (/dev/stdout, /dev/fd/3) are written directly. Every failure throws OutputError with the path
/// and the reason, a pipe without a reader ReaderGone.
///
/// The program has to ignore SIGPIPE and SIGXFSZ, so that they become such failures, too.
class OutputFile {
 public:
  /// Checks at once whether the target can be written, but leaves no trace: the temporary file is
  /// created with the first block that is written.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  /// Flush, fsync, rename, fsync of the directory.
  void commit();

  /// Whether an old file survives an interruption: false if the target is written directly.
  bool replaces_file() const { return !target_.empty(); }

 private:
  std::string path_;       ///< as the user wrote it, for messages
  std::string target_;     ///< the file to replace; empty if the target is written directly
  std::string temporary_;  ///< empty until the first block
  int descriptor_ = -1;
  bool owns_descriptor_ = false;
  std::optional<struct stat> old_file_;
  std::string buffer_;

  void create_temporary();
  void remove_temporary();
  void flush();
  void take_over_ownership();
  void sync_and_rename();
  [[noreturn]] void fail(int error, const std::string& what = {}) const;
};

/// A result that is written line by line to "FILE.partial", which survives the end of the program,
/// so that a later run can resume; commit() moves it to FILE. A journal is FILE itself, which
/// always has all lines. Pipes and devices are written directly.
class LinesFile {
 public:
  enum class Kind { result, journal };

  /// Checks at once whether FILE can be written. With `resume`, keeps what an earlier run left in
  /// the partial file, or the content of FILE if there is none; otherwise the partial file is
  /// emptied. Throws OutputError, also if another program is writing to it.
  LinesFile(const std::string& path, bool resume, Kind kind = Kind::result);
  ~LinesFile();
  LinesFile(const LinesFile&) = delete;
  LinesFile& operator=(const LinesFile&) = delete;

  /// Whether an earlier run left any lines.
  bool has_kept() const { return has_kept_; }
  /// Passes the complete lines that an earlier run left to `visit`, with their newlines, until it
  /// returns false. Truncates the file there, or before an incomplete last line.
  void keep_lines(const std::function<bool(std::string_view line)>& visit);

  void write(std::string_view line);
  /// The lines written so far survive a power failure.
  void sync();
  void commit();

  /// Path of the file that holds all lines until commit(); empty if they are written directly.
  const std::string& partial() const { return partial_; }

 private:
  OutputFile output_;
  Kind kind_;
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
  bool whole = true;       ///< false if there is no newline: the write was interrupted
  std::size_t offset = 0;  ///< in bytes from the beginning of the file
};

/// The lines of a file, which can be visited repeatedly. The file is read anew each time; what can
/// be read only once, such as a pipe, is kept in memory.
class TextLines {
 public:
  /// "-" is standard input. Throws InputError if the file cannot be read.
  explicit TextLines(const std::string& path);

  /// The name of the file in messages.
  const std::string& source() const { return source_; }
  /// Visits all lines until `visit` returns false.
  void for_each(const std::function<bool(const TextLine&)>& visit) const;
  /// The whole content.
  std::string bytes() const;
  /// A stream from the first byte on.
  std::unique_ptr<std::istream> open() const;

 private:
  std::string path_;
  std::string source_;
  std::shared_ptr<const std::string> kept_;  ///< null: the file is read again
};

}  // namespace perfmodel
