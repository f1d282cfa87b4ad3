#include "io/file/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "io/file/temporary_file.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kBlockSize = std::size_t{1} << 20;

/// The descriptor behind names such as /dev/stdout. Opening such a name anew would begin at the
/// start of a file that the shell has opened for appending.
std::optional<int> own_descriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout")
    return STDOUT_FILENO;
  if (path == "/dev/stderr")
    return STDERR_FILENO;
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.starts_with(prefix)) {
      path.remove_prefix(prefix.size());
      int descriptor = -1;
      const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), descriptor);
      if (error == std::errc{} && end == path.data() + path.size() && descriptor >= 0)
        return descriptor;
    }
  }
  return std::nullopt;
}

/// The file that a chain of symbolic links ends at; it need not exist.
std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int longest_chain = 40;  // as Linux has it
  for (int i = 0; i < longest_chain && std::filesystem::is_symlink(path); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path);
  return path;
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
      open_through(path_, O_WRONLY | O_CLOEXEC | O_NOCTTY);
      return;
    }
    // A rename would replace even a file that is protected against writing.
    if (::access(path_.c_str(), W_OK) != 0)
      fail(errno);
    has_old_file_ = true;
    permissions_ = status.st_mode & 0777U;  // what ran as its owner is not to run what we write
    owner_ = status.st_uid;
    group_ = status.st_gid;
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

void OutputFile::open_through(const std::string& path, int flags) {
  descriptor_ = ::open(path.c_str(), flags);
  if (descriptor_ == -1)
    fail(errno);
  owns_descriptor_ = true;
}

void OutputFile::create_temporary() {
  // Nobody reads a new version of an old file before it has the old one's permissions.
  constexpr mode_t private_to_owner = 0600;
  constexpr mode_t up_to_umask = 0666;
  auto temporary = create_temporary_beside(target_, has_old_file_ ? private_to_owner : up_to_umask);
  if (!temporary)
    fail(errno, "cannot create a file in directory '" + directory_of(target_).string() + "'");
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
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0)
      rest.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      fail(errno);
  }
  buffer_.clear();
}

/// Gives the new file the owner, the group and the permissions of the old one, as far as the user
/// may: only root can give a file away.
void OutputFile::take_over_ownership() {
  const bool keeps_group = ::fchown(descriptor_, owner_, group_) == 0 ||
                           ::fchown(descriptor_, static_cast<uid_t>(-1), group_) == 0;
  // Who is of the new file's group was one of the others before: no right more than they had.
  const unsigned others = permissions_ & 07U;
  const unsigned group_rights = others << 3U | 0707U;
  if (::fchmod(descriptor_, keeps_group ? permissions_ : permissions_ & group_rights) != 0)
    fail(errno);
}

void OutputFile::sync_and_rename() {
  if (has_old_file_)
    take_over_ownership();
  if (::fsync(descriptor_) != 0)
    fail(errno);
  owns_descriptor_ = false;
  if (::close(std::exchange(descriptor_, -1)) != 0)
    fail(errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0)
    fail(errno);
  temporary_.clear();

  // The new name is on disk only once its directory is. Not every file system can say so (EINVAL),
  // and the file itself is whole either way: no reason to fail.
  const int directory = ::open(directory_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory != -1) {
    ::fsync(directory);
    ::close(directory);
  }
}

void OutputFile::fail(int error, const std::string& what) const {
  const std::string place = path_ == "-" ? "standard output" : path_;
  const std::string message = "cannot write " + place + ": " + (what.empty() ? "" : what + ": ") +
                              std::generic_category().message(error);
  if (error == EPIPE)
    throw ReaderGone(message);
  throw OutputError(message);
}

}  // namespace perfmodel
