#include "io/file/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// Closes what it opened, not the program's own standard input.
class Source {
 public:
  explicit Source(const std::string& path)
      : descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Source() {
    if (descriptor_ > STDIN_FILENO)
      ::close(descriptor_);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError("cannot read " + display_name(path) + ": " +
                   std::generic_category().message(error));
}

}  // namespace

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
  const Source source(path);
  struct stat status = {};
  if (source.descriptor() == -1 || ::fstat(source.descriptor(), &status) != 0)
    fail(path, errno);
  if (S_ISDIR(status.st_mode))
    fail(path, EISDIR);
  std::vector<char> block(std::size_t{1} << 18);
  while (true) {
    const ssize_t count = ::read(source.descriptor(), block.data(), block.size());
    if (count == 0)
      return;
    if (count > 0)
      visit({block.data(), static_cast<std::size_t>(count)});
    else if (errno != EINTR)
      fail(path, errno);
  }
}

std::string display_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

}  // namespace perfmodel
