#include "perfmodel/io/output_file.hpp"

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

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 20;

/// The descriptor behind names such as /dev/stdout. Opening such a name anew would begin at the
/// start of a file that the shell has opened for appending.
std::optional<int> own_descriptor(std::string_view path) {
  if (path == "-" || path == "/dev/stdout") {
    return STDOUT_FILENO;
  }
  if (path == "/dev/stderr") {
    return STDERR_FILENO;
  }
  for (const std::string_view prefix : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.starts_with(prefix)) {
      path.remove_prefix(prefix.size());
      int descriptor = -1;
      const auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), descriptor);
      if (error == std::errc{} && end == path.data() + path.size() && descriptor >= 0) {
        return descriptor;
      }
    }
  }
  return std::nullopt;
}

/// The file that a chain of symbolic links ends at; it need not exist.
std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int longest_chain = 40;  // as Linux has it
  for (int i = 0; i < longest_chain && std::filesystem::is_symlink(path); ++i) {
    path = path.parent_path() / std::filesystem::read_symlink(path);
  }
  return path;
}

std::filesystem::path directory_of(const std::filesystem::path& file) {
  const auto directory = file.parent_path();
  return directory.empty() ? std::filesystem::path(".") : directory;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) {
    throw OutputError("cannot write to a file without a name");
  }
  if (const auto descriptor = own_descriptor(path_)) {
    descriptor_ = *descriptor;
    if (::fcntl(descriptor_, F_GETFD) == -1) {
      fail(errno);
    }
    return;
  }
  struct stat status = {};
  if (::stat(path_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      fail(EISDIR);
    }
    if (!S_ISREG(status.st_mode)) {
      open_through(path_, O_WRONLY | O_CLOEXEC | O_NOCTTY);
      return;
    }
    // A rename would replace even a file that is protected against writing.
    if (::access(path_.c_str(), W_OK) != 0) {
      fail(errno);
    }
    has_old_file_ = true;
    permissions_ = status.st_mode & 07777U;
  } else if (errno != ENOENT) {
    fail(errno);
  }
  try {
    target_ = follow_links(path_).string();
  } catch (const std::filesystem::filesystem_error& link_error) {
    fail(link_error.code().value());
  }
  create_temporary();
  remove_temporary();
}

OutputFile::~OutputFile() {
  remove_temporary();
}

void OutputFile::write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= block_size) {
    flush();
  }
}

void OutputFile::commit() {
  flush();
  if (replaces_file()) {
    sync_and_rename();
  } else if (owns_descriptor_) {
    // Some file systems report a full disk only here.
    owns_descriptor_ = false;
    if (::close(std::exchange(descriptor_, -1)) != 0) {
      fail(errno);
    }
  }
}

void OutputFile::open_through(const std::string& path, int flags) {
  descriptor_ = ::open(path.c_str(), flags);
  if (descriptor_ == -1) {
    fail(errno);
  }
  owns_descriptor_ = true;
}

void OutputFile::create_temporary() {
  const std::filesystem::path target(target_);
  // Names have at most 255 bytes; what follows needs some of them.
  const std::string stem = (directory_of(target) / target.filename().string().substr(0, 200));
  constexpr int attempts = 100;
  for (int i = 0; i < attempts; ++i) {
    const std::string name =
        stem + ".perfmodel-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    // O_EXCL: whatever already has this name, a link planted there included, is left alone.
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ != -1) {
      owns_descriptor_ = true;
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) {
      break;
    }
  }
  fail(errno, "cannot create a file in directory '" + directory_of(target).string() + "'");
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
  if (replaces_file() && temporary_.empty()) {
    create_temporary();
  }
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
  buffer_.clear();
}

void OutputFile::sync_and_rename() {
  if (has_old_file_ && ::fchmod(descriptor_, permissions_) != 0) {
    fail(errno);
  }
  if (::fsync(descriptor_) != 0) {
    fail(errno);
  }
  owns_descriptor_ = false;
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    fail(errno);
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail(errno);
  }
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
  throw OutputError("cannot write " + place + ": " + (what.empty() ? "" : what + ": ") +
                    std::generic_category().message(error));
}

}  // namespace perfmodel
