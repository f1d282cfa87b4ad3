#include "io/file/temporary_file.hpp"

#include <fcntl.h>
#include <signal.h>  // kill is POSIX, not C++
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

namespace perfmodel {
namespace {

/// What the names begin with. Names have at most 255 bytes, and what follows needs some of them.
std::string stem_of(const std::filesystem::path& target) {
  return target.filename().string().substr(0, 200) + ".perfmodel-";
}

/// The number at the start of the text, which loses it.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0)
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The process in a name that `stem` begins; nothing where another program gave the name.
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

/// Whether it is a file of this user that no program holds open for writing. A process may be
/// unknown here and alive on another machine that shares the directory, or in another container:
/// its lock tells.
bool is_abandoned(const std::filesystem::path& file) {
  // For writing: some file systems lock nothing else.
  const int descriptor =
      ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor == -1)
    return false;
  struct stat status = {};
  const bool abandoned = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                         status.st_uid == ::geteuid() &&
                         (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
  ::close(descriptor);
  return abandoned;
}

}  // namespace

std::filesystem::path directory_of(const std::filesystem::path& file) {
  const auto directory = file.parent_path();
  return directory.empty() ? std::filesystem::path(".") : directory;
}

std::optional<TemporaryFile> create_temporary_beside(const std::filesystem::path& target,
                                                     mode_t permissions) {
  const std::string stem =
      (directory_of(target) / stem_of(target)).string() + std::to_string(::getpid()) + "-";
  constexpr int attempts = 100;
  for (int i = 0; i < attempts; ++i) {
    std::string name = stem + std::to_string(i);
    // O_EXCL: whatever already has this name, a link planted there included, is left alone.
    const int descriptor =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
    if (descriptor != -1) {
      // Where a file system has no locks, there is still the process in the name.
      ::flock(descriptor, LOCK_EX | LOCK_NB);
      return TemporaryFile{std::move(name), descriptor};
    }
    if (errno != EEXIST)
      break;
  }
  return std::nullopt;
}

void remove_left_temporaries(const std::filesystem::path& target) {
  const std::string stem = stem_of(target);
  std::error_code ignored;  // a directory that cannot be listed keeps what it has
  std::filesystem::directory_iterator entry(directory_of(target), ignored);
  for (const std::filesystem::directory_iterator end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::optional<pid_t> process = process_in(entry->path().filename().string(), stem);
    if (process && has_ended(*process) && is_abandoned(entry->path()))
      ::unlink(entry->path().c_str());
  }
}

}  // namespace perfmodel
