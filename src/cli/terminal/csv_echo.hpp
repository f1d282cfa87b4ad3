#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace perfmodel::cli {

/// The lines of a CSV file as they stand in it, without their line ends; for output that repeats
/// its input byte for byte. The file has been parsed before, so its shape is known to be sound.
class LineEcho {
 public:
  explicit LineEcho(std::string_view bytes);

  /// The first line that is not blank.
  std::string_view header();
  /// The line with this number (from 1); each call asks for a later one.
  std::string_view line(std::uint32_t number);

 private:
  std::string_view rest_;
  std::uint32_t next_number_ = 1;

  std::string_view next();
};

/// The text as a CSV field, with quotes where it needs them.
std::string csv_field(const std::string& text, char separator = ',');

}  // namespace perfmodel::cli
