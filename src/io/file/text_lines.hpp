#pragma once

#include <cstddef>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace perfmodel {

struct TextLine {
  std::size_t number = 0;  ///< from 1
  std::string_view text;   ///< without its newline
  bool whole = true;       ///< not without one: a write that was cut short
  std::size_t offset = 0;  ///< in bytes from the beginning of the file
};

/// The lines of a file, as often as somebody wants to see them. They are read anew each time; what
/// can be read only once, such as a pipe, is kept.
class TextLines {
 public:
  /// "-" is standard input. Throws InputError where the file cannot be read.
  explicit TextLines(const std::string& path);

  /// How messages call it.
  const std::string& source() const { return source_; }
  /// All lines, until `visit` says no.
  void for_each(const std::function<bool(const TextLine&)>& visit) const;
  /// All at once.
  std::string bytes() const;
  /// From the first byte on.
  std::unique_ptr<std::istream> open() const;

 private:
  std::string path_;
  std::string source_;
  std::shared_ptr<const std::string> kept_;  ///< nothing: the file is read again
};

}  // namespace perfmodel
