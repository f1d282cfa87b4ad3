#include "io/large/piped_lines.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "io/file/input_file.hpp"
#include "io/large/line_blocks.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kPipedBlock = std::size_t{1} << 20;

[[noreturn]] void fail_to_read_pipe(const std::string& path, int error) {
  throw InputError("cannot read " + display_name(path) + ": " +
                   std::generic_category().message(error));
}

}  // namespace

bool is_pipe(const std::string& path) {
  std::error_code error;
  return path == "-" || std::filesystem::is_fifo(path, error);
}

PipedLines::PipedLines(const std::string& path, std::size_t beginning)
    : path_(path),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ == -1)
    fail_to_read_pipe(path_, errno);
  bool ended = false;
  while (!ended && bytes_.size() < beginning)
    ended = !read_more();
  find_whole_lines(ended);
}

PipedLines::~PipedLines() {
  if (descriptor_ > STDIN_FILENO)
    ::close(descriptor_);
}

bool PipedLines::read_more() {
  const std::size_t before = bytes_.size();
  bytes_.resize(before + kPipedBlock);
  ssize_t count = -1;
  do {
    count = ::read(descriptor_, bytes_.data() + before, kPipedBlock);
  } while (count == -1 && errno == EINTR);
  if (count == -1)
    fail_to_read_pipe(path_, errno);
  bytes_.resize(before + static_cast<std::size_t>(count));
  digest_.add(std::string_view(bytes_).substr(before));
  return count > 0;
}

void PipedLines::find_whole_lines(bool ended) {
  whole_ = ended ? bytes_.size() : bytes_.rfind('\n') + 1;  // npos + 1 is 0
  if (bytes_.size() - whole_ > kLongestLine)
    throw InputError(display_name(path_) + ": a line is longer than 16 MiB; is this a CSV file?");
}

void PipedLines::for_each_block(
    std::uint64_t begin,
    const std::function<void(std::string_view lines, std::uint64_t offset)>& visit) {
  bytes_.erase(0, begin);
  whole_ -= begin;
  std::uint64_t offset = begin;
  for (bool ended = false; !ended;) {
    if (whole_ > 0)
      visit(beginning(), offset);
    bytes_.erase(0, whole_);
    offset += whole_;
    ended = !read_more();
    find_whole_lines(ended);
  }
  if (whole_ > 0)
    visit(beginning(), offset);
}

}  // namespace perfmodel
