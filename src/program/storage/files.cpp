#include "storage/files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/types.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "perfmodel/error.hpp"

namespace perfmodel {

Sha256::Sha256() {
  sha256_init(&context_);
}

void Sha256::add(std::string_view block) {
  static_assert(sizeof(char) == sizeof(std::uint8_t));
  sha256_update(&context_, block.size(), reinterpret_cast<const std::uint8_t*>(block.data()));
}

std::string Sha256::text() {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context_, digest.size(), digest.data());
  constexpr std::string_view hexadecimal = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += hexadecimal[byte >> 4U];
    text += hexadecimal[byte & 0xFU];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.text();
}

std::string sha256_of_file(const std::string& path) {
  Sha256 digest;
  for_each_block(path, [&](std::string_view block) { digest.add(block); });
  return digest.text();
}

void Descriptor::close() {
  if (number_ != -1)
    ::close(std::exchange(number_, -1));
}

int open_to_read(const std::string& path) {
  const int out = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                              : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (out == -1)
    fail_to_read(path, errno);
  return out;
}

void fail_to_read(const std::string& path, int error) {
  throw InputError(fmt::format("cannot read {}: {}", display_name(path),
                               std::generic_category().message(error)));
}

std::string read_file(const std::string& path) {
  std::string bytes;
  std::error_code error;
  const auto size = path == "-" ? 0 : std::filesystem::file_size(path, error);
  if (path != "-" && !error)
    bytes.reserve(size);
  for_each_block(path, [&](std::string_view block) { bytes += block; });
  return bytes;
}

void for_each_block(const std::string& path,
                    const std::function<void(std::string_view block)>& visit) {
  const Descriptor source(open_to_read(path));
  struct stat status = {};
  if (::fstat(source.number(), &status) != 0)
    fail_to_read(path, errno);
  if (S_ISDIR(status.st_mode))
    fail_to_read(path, EISDIR);
  std::vector<char> block(std::size_t{1} << 18);
  while (true) {
    const ssize_t count = ::read(source.number(), block.data(), block.size());
    if (count == 0)
      return;
    if (count > 0)
      visit({block.data(), static_cast<std::size_t>(count)});
    else if (errno != EINTR)
      fail_to_read(path, errno);
  }
}

std::string display_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

namespace {

constexpr std::size_t kSyncedBytes = std::size_t{1} << 18;  // at most lost in a power failure

/// Writes the whole text; false if that fails, with the reason in errno.
bool has_written(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      return false;
  }
  return true;
}

}  // namespace

LinesFile::LinesFile(const std::string& path, bool resume, Kind kind) : output_(path), kind_(kind) {
  if (!output_.replaces_file())
    return;
  partial_ = kind == Kind::journal ? path : path + ".partial";
  const bool has_partial = std::filesystem::exists(partial_);
  const bool is_complete = resume && !has_partial && std::filesystem::exists(path);
  descriptor_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ == -1)
    fail(errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(descriptor_);
    fail(error, "another program writes there");
  }
  if (!(resume && has_partial) && ::ftruncate(descriptor_, 0) != 0)
    fail(errno);
  if (is_complete)
    for_each_block(path, [&](std::string_view block) { append(block); });
  struct stat status = {};
  has_kept_ = ::fstat(descriptor_, &status) == 0 && status.st_size > 0;
}

LinesFile::~LinesFile() {
  if (descriptor_ == -1)
    return;
  struct stat status = {};
  if (::fstat(descriptor_, &status) == 0 && status.st_size == 0)
    ::unlink(partial_.c_str());  // an empty file is of no use to a later run
  ::close(descriptor_);
}

void LinesFile::keep_lines(const std::function<bool(std::string_view)>& visit) {
  if (!has_kept_)
    return;
  std::ifstream file(partial_, std::ios::binary);
  std::size_t whole = 0;
  for (std::string line; std::getline(file, line) && !file.eof();) {
    line += '\n';
    if (!visit(line))
      break;
    whole += line.size();
  }
  has_kept_ = whole > 0;
  if (::ftruncate(descriptor_, static_cast<off_t>(whole)) != 0)
    fail(errno);
}

void LinesFile::write(std::string_view line) {
  if (descriptor_ == -1)
    output_.write(line);
  else
    append(line);
}

void LinesFile::append(std::string_view text) {
  unsynced_ += text.size();
  if (!has_written(descriptor_, text))
    fail(errno);
  if (unsynced_ >= kSyncedBytes)
    sync();
}

void LinesFile::sync() {
  if (descriptor_ != -1 && ::fsync(descriptor_) != 0)
    fail(errno);
  unsynced_ = 0;
}

void LinesFile::commit() {
  if (kind_ == Kind::journal && descriptor_ != -1) {
    sync();
    return;
  }
  if (descriptor_ != -1)
    for_each_block(partial_, [&](std::string_view block) { output_.write(block); });
  output_.commit();
  if (descriptor_ != -1)
    ::unlink(partial_.c_str());
}

void LinesFile::fail(int error, const std::string& what) const {
  throw OutputError(fmt::format("cannot write {}: {}", partial_,
                                what.empty() ? std::generic_category().message(error) : what));
}

namespace {

constexpr std::size_t kBlockSize = std::size_t{1} << 20;

/// Parses the number at the start of the text and removes it.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0)
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The descriptor behind names such as /dev/stdout. Opening such a name would start at the
/// beginning of a file that the shell has opened for appending.
std::optional<int> own_descriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.starts_with(prefix)) {
      path.remove_prefix(prefix.size());
      const std::optional<int> descriptor = take_number(path);
      if (descriptor && path.empty())
        return descriptor;
    }
  }
  return std::nullopt;
}

/// The end of a chain of symbolic links; it need not exist.
std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int longest_chain = 40;  // the limit of Linux
  for (int i = 0; i < longest_chain && std::filesystem::is_symlink(path); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path);
  return path;
}

/// Prefix of the names of temporary files. Names have at most 255 bytes, including the suffix.
std::string stem_of(const std::filesystem::path& target) {
  return target.filename().string().substr(0, 200) + ".perfmodel-";
}

/// The process id in a temporary file's name; nullopt if another program chose the name.
std::optional<pid_t> process_in(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem))
    return std::nullopt;
  name.remove_prefix(stem.size());
  const std::optional<int> process = take_number(name);
  if (!process || *process == 0 || !name.starts_with("-"))
    return std::nullopt;
  name.remove_prefix(1);
  return take_number(name) && name.empty() ? process : std::nullopt;
}

bool has_ended(pid_t process) {
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

/// Whether this is a file of the user that no program holds open for writing. Its process may be
/// alive on another machine or in another container with the same directory; hence the lock.
bool is_abandoned(const std::filesystem::path& file) {
  // For writing, since some file systems cannot lock otherwise.
  const Descriptor descriptor(
      ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status = {};
  return descriptor.number() != -1 && ::fstat(descriptor.number(), &status) == 0 &&
         S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         (::flock(descriptor.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
}

/// The directory of a file; "." if the path has none.
std::filesystem::path directory_of(const std::filesystem::path& file) {
  const auto directory = file.parent_path();
  return directory.empty() ? std::filesystem::path(".") : directory;
}

/// A new file, open for writing, locked as long as its descriptor is open.
struct TemporaryFile {
  std::string path;
  int descriptor = -1;
};

/// Creates a file "TARGET.perfmodel-PID-N" in the target's directory, so that a rename can replace
/// the target. nullopt if that fails, with the reason in errno.
std::optional<TemporaryFile> create_temporary_beside(const std::filesystem::path& target,
                                                     mode_t permissions) {
  const std::string stem =
      (directory_of(target) / stem_of(target)).string() + std::to_string(::getpid()) + "-";
  constexpr int attempts = 100;
  for (int i = 0; i < attempts; ++i) {
    std::string name = stem + std::to_string(i);
    // O_EXCL: an existing file of this name, also a malicious link, is left alone.
    const int descriptor =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
    if (descriptor != -1) {
      // A file system without locks still has the process id in the name.
      ::flock(descriptor, LOCK_EX | LOCK_NB);
      return TemporaryFile{std::move(name), descriptor};
    }
    if (errno != EEXIST)
      break;
  }
  return std::nullopt;
}

/// Removes temporary files of this target and user whose program was killed.
void remove_left_temporaries(const std::filesystem::path& target) {
  const std::string stem = stem_of(target);
  std::error_code ignored;  // in a directory that cannot be listed, old files stay
  std::filesystem::directory_iterator entry(directory_of(target), ignored);
  for (const std::filesystem::directory_iterator end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::optional<pid_t> process = process_in(entry->path().filename().string(), stem);
    if (process && has_ended(*process) && is_abandoned(entry->path()))
      ::unlink(entry->path().c_str());
  }
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty())
    throw OutputError("cannot write to a file without a name");
  if (const auto descriptor = own_descriptor(path_)) {
    descriptor_ = *descriptor;
    if (::fcntl(descriptor_, F_GETFD) == -1)
      fail(errno);
    return;
  }
  struct stat status = {};
  if (::stat(path_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode))
      fail(EISDIR);
    if (!S_ISREG(status.st_mode)) {
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
      if (descriptor_ == -1)
        fail(errno);
      owns_descriptor_ = true;
      return;
    }
    // A rename would replace even a write-protected file.
    if (::access(path_.c_str(), W_OK) != 0)
      fail(errno);
    old_file_ = status;
  } else if (errno != ENOENT) {
    fail(errno);
  }
  try {
    target_ = follow_links(path_).string();
  } catch (const std::filesystem::filesystem_error& link_error) {
    fail(link_error.code().value());
  }
  remove_left_temporaries(target_);
  create_temporary();
  remove_temporary();
}

OutputFile::~OutputFile() {
  remove_temporary();
}

void OutputFile::write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBlockSize)
    flush();
}

void OutputFile::commit() {
  flush();
  if (replaces_file()) {
    sync_and_rename();
  } else if (owns_descriptor_) {
    // Some file systems report a full disk only here.
    owns_descriptor_ = false;
    if (::close(std::exchange(descriptor_, -1)) != 0)
      fail(errno);
  }
}

void OutputFile::create_temporary() {
  // Nobody else may read the new version of an old file before it has the old permissions.
  constexpr mode_t private_to_owner = 0600;
  constexpr mode_t up_to_umask = 0666;
  auto temporary = create_temporary_beside(target_, old_file_ ? private_to_owner : up_to_umask);
  if (!temporary)
    fail(errno,
         fmt::format("cannot create a file in directory '{}'", directory_of(target_).string()));
  descriptor_ = temporary->descriptor;
  owns_descriptor_ = true;
  temporary_ = std::move(temporary->path);
}

void OutputFile::remove_temporary() {
  if (owns_descriptor_) {
    ::close(std::exchange(descriptor_, -1));
    owns_descriptor_ = false;
  }
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
    temporary_.clear();
  }
}

void OutputFile::flush() {
  if (replaces_file() && temporary_.empty())
    create_temporary();
  if (!has_written(descriptor_, buffer_))
    fail(errno);
  buffer_.clear();
}

/// Gives the new file the owner, group and permissions of the old one, as far as the user may: only
/// root can change the owner.
void OutputFile::take_over_ownership() {
  const bool keeps_group = ::fchown(descriptor_, old_file_->st_uid, old_file_->st_gid) == 0 ||
                           ::fchown(descriptor_, static_cast<uid_t>(-1), old_file_->st_gid) == 0;
  // No setuid: new content must not run as the owner.
  const mode_t permissions = old_file_->st_mode & 0777U;
  // Members of a new group were "others" to the old file and must not get more rights.
  const mode_t group_rights = (permissions & 07U) << 3U | 0707U;
  if (::fchmod(descriptor_, keeps_group ? permissions : permissions & group_rights) != 0)
    fail(errno);
}

void OutputFile::sync_and_rename() {
  if (old_file_)
    take_over_ownership();
  if (::fsync(descriptor_) != 0)
    fail(errno);
  owns_descriptor_ = false;
  if (::close(std::exchange(descriptor_, -1)) != 0)
    fail(errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
    fail(errno);
  temporary_.clear();

  // The new name is on disk only once its directory is. Some file systems cannot sync one (EINVAL),
  // but the file is complete either way, so that errors are ignored.
  const Descriptor directory(
      ::open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ::fsync(directory.number());
}

void OutputFile::fail(int error, const std::string& what) const {
  const std::string place = path_ == "-" ? "standard output" : path_;
  const std::string message =
      fmt::format("cannot write {}: {}{}{}", place, what, what.empty() ? "" : ": ",
                  std::generic_category().message(error));
  if (error == EPIPE)
    throw ReaderGone(message);
  throw OutputError(message);
}

TextLines::TextLines(const std::string& path) : path_(path), source_(display_name(path)) {
  std::error_code error;
  const bool again = path != "-" && std::filesystem::is_regular_file(path, error) &&
                     std::ifstream(path, std::ios::binary).is_open();
  if (!again)
    kept_ = std::make_shared<const std::string>(read_file(path));
}

std::unique_ptr<std::istream> TextLines::open() const {
  if (kept_)
    return std::make_unique<std::istringstream>(*kept_);
  auto file = std::make_unique<std::ifstream>(path_, std::ios::binary);
  if (!file->is_open())
    throw InputError(fmt::format("cannot read {} again", source_));
  return file;
}

std::string TextLines::bytes() const {
  return kept_ ? *kept_ : read_file(path_);
}

void TextLines::for_each(const std::function<bool(const TextLine&)>& visit) const {
  const auto stream = open();
  std::string text;
  TextLine line;
  while (std::getline(*stream, text)) {
    line.number += 1;
    line.text = text;
    line.whole = !stream->eof();
    if (!visit(line))
      return;
    line.offset += text.size() + 1;
  }
  if (stream->bad())
    throw InputError("cannot read " + source_);
}

}  // namespace perfmodel
