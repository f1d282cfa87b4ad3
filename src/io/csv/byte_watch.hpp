#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfmodel {

/// Looks at the bytes of a text file, block by block, for what no line reader should see: another
/// encoding or file format, NUL bytes, carriage returns that are not part of a CRLF.
class ByteWatch {
 public:
  /// `source` names the file in messages.
  explicit ByteWatch(std::string source) : source_(std::move(source)) {}

  /// Throws InputError that says what the file is and what to do.
  void watch(std::string_view block);

  /// To be called when there are no more bytes.
  void end() const;

  /// Whether the last line lacks its line end.
  bool line_open() const { return last_ != '\n' && !first_block_; }

 private:
  [[noreturn]] void refuse_nul(std::string_view block, std::size_t position) const;
  [[noreturn]] void refuse_bare_return(std::string_view before, std::string_view after) const;
  /// "runs.csv:41" for the place after these bytes of the current block.
  std::string where(std::string_view before) const;

  std::string source_;
  std::size_t lines_ = 0;    ///< line ends in all earlier blocks
  bool first_block_ = true;  ///< nothing was seen yet
  char last_ = '\0';         ///< the last byte of the earlier block
};

}  // namespace perfmodel
