#include "io/csv/csv_lines.hpp"

// Its reader thread does not pay: reading the bytes is not what takes the time.
#define CSV_IO_NO_THREAD
// GCC complains of csv.h's strncpy where it is inlined here, though the header is a system header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wstringop-truncation"
#include <csv.h>
#pragma GCC diagnostic pop

#include <cstring>
#include <memory>
#include <string_view>

#include "io/csv/byte_watch.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// The bytes on their way into LineReader, which would cut a line at a NUL byte.
class WatchedBytes : public io::ByteSourceBase {
 public:
  WatchedBytes(std::string_view bytes, const std::string& source,
               const std::function<void(std::size_t)>& handed_on)
      : rest_(bytes), all_(bytes.size()), watch_(source), handed_on_(handed_on) {}

  /// Fills the buffer as far as there are bytes: LineReader takes a short read for the end.
  int read(char* buffer, int size) override {
    if (ended_)
      return 0;
    if (handed_on_)
      handed_on_(all_ - rest_.size());
    const auto capacity = static_cast<std::size_t>(size);
    std::size_t count = rest_.copy(buffer, capacity);
    rest_.remove_prefix(count);
    watch_.watch({buffer, count});
    if (count < capacity) {
      ended_ = true;
      watch_.end();
      // LineReader looks at the byte after a last line without line end, and what is there may be a
      // line end from an earlier block. So every file gets its last line end here.
      if (watch_.line_open())
        buffer[count++] = '\n';
    }
    return static_cast<int>(count);
  }

 private:
  std::string_view rest_;
  std::size_t all_;
  ByteWatch watch_;
  const std::function<void(std::size_t)>& handed_on_;
  bool ended_ = false;
};

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == line.npos;
}

}  // namespace

void for_each_line(std::string_view bytes, const std::string& source,
                   const std::function<void(std::span<char> line, std::uint32_t number)>& visit,
                   const std::function<void(std::size_t bytes)>& handed_on) {
  try {
    io::LineReader reader(source, std::make_unique<WatchedBytes>(bytes, source, handed_on));
    while (char* const line = reader.next_line()) {
      const std::size_t length = std::strlen(line);
      if (!is_blank({line, length}))
        visit({line, length}, reader.get_file_line());
    }
  } catch (const io::error::line_length_limit_exceeded& error) {
    throw InputError(source + ":" + std::to_string(error.file_line) +
                     ": the line is longer than 16 MiB; is this a CSV file?");
  }
}

}  // namespace perfmodel
