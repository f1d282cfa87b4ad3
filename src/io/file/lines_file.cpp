#include "io/file/lines_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "io/file/input_file.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kSyncedBytes = std::size_t{1} << 18;  // at most lost with the power

}  // namespace

LinesFile::LinesFile(const std::string& path, bool resume) : output_(path) {
  if (!output_.replaces_file())
    return;
  partial_ = path + ".partial";
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
    ::unlink(partial_.c_str());  // there is nothing to go on with
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
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      fail(errno);
  }
  if (unsynced_ >= kSyncedBytes) {
    if (::fsync(descriptor_) != 0)
      fail(errno);
    unsynced_ = 0;
  }
}

void LinesFile::commit() {
  if (descriptor_ != -1)
    for_each_block(partial_, [&](std::string_view block) { output_.write(block); });
  output_.commit();
  if (descriptor_ != -1)
    ::unlink(partial_.c_str());
}

void LinesFile::fail(int error, const std::string& what) const {
  throw OutputError("cannot write " + partial_ + ": " +
                    (what.empty() ? std::generic_category().message(error) : what));
}

}  // namespace perfmodel
