#include "io/large/line_blocks.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

[[noreturn]] void fail_to_read(const std::string& path, int error) {
  throw InputError("cannot read " + path + ": " + std::generic_category().message(error));
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ == -1)
      fail_to_read(path, errno);
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  std::uint64_t size() const {
    struct stat status = {};
    if (::fstat(descriptor_, &status) != 0)
      fail_to_read(path_, errno);
    if (!S_ISREG(status.st_mode))
      throw InputError(path_ + " is no regular file, and only such a file can be read in parts");
    return static_cast<std::uint64_t>(status.st_size);
  }

  /// Appends up to a block of the bytes from `offset` on; none at the end of the file.
  std::size_t read(std::uint64_t offset, std::string& bytes) const {
    const std::size_t before = bytes.size();
    bytes.resize(before + kBlock);
    ssize_t count = -1;
    do {
      count = ::pread(descriptor_, bytes.data() + before, kBlock, static_cast<off_t>(offset));
    } while (count == -1 && errno == EINTR);
    if (count == -1)
      fail_to_read(path_, errno);
    bytes.resize(before + static_cast<std::size_t>(count));
    return static_cast<std::size_t>(count);
  }

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace

std::uint64_t regular_file_size(const std::string& path) {
  return OpenFile(path).size();
}

void for_each_block(
    const std::string& path, std::uint64_t begin, std::uint64_t end,
    const std::function<void(std::string_view lines, std::uint64_t offset)>& visit) {
  const OpenFile file(path);
  // One byte earlier: whether a line begins at `begin` is for the byte before it to say.
  bool between_lines = begin == 0;
  std::uint64_t read_to = between_lines ? 0 : begin - 1;
  std::string bytes;
  std::uint64_t offset = read_to;  // of bytes
  for (bool ended = false; !ended && offset < end;) {
    const std::size_t count = file.read(read_to, bytes);
    read_to += count;
    ended = count == 0;
    if (!between_lines) {
      const std::size_t first_end = bytes.find('\n');
      if (first_end == std::string::npos) {
        offset += bytes.size();
        bytes.clear();
        continue;
      }
      bytes.erase(0, first_end + 1);
      offset += first_end + 1;
      between_lines = true;
    }
    std::size_t whole = ended ? bytes.size() : bytes.rfind('\n') + 1;  // npos + 1 is 0
    if (offset + whole > end) {
      // The line in which `end` lies is the last; it is in there unless it goes on behind.
      const std::size_t inside = end > offset ? static_cast<std::size_t>(end - offset) : 0;
      const std::size_t last = inside == 0 ? 0 : bytes.find('\n', inside - 1);
      whole = inside == 0 ? 0 : last == std::string::npos ? bytes.size() : last + 1;
    }
    if (whole > 0)
      visit(std::string_view(bytes).substr(0, whole), offset);
    bytes.erase(0, whole);
    offset += whole;
    if (bytes.size() > kLongestLine)
      throw InputError(path + ": a line is longer than 16 MiB; is this a CSV file?");
  }
}

}  // namespace perfmodel
