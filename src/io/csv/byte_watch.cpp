#include "io/csv/byte_watch.hpp"

#include <algorithm>
#include <array>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view verdict;
};

/// What is often passed for CSV, by the bytes it begins with.
constexpr std::array kSignatures{
    Signature{"\xFF\xFE"sv, "is UTF-16 text; save it as UTF-8"},
    Signature{"\xFE\xFF"sv, "is UTF-16 text; save it as UTF-8"},
    Signature{"PK\x03\x04"sv, "is a spreadsheet or a zip archive; save the sheet as CSV (UTF-8)"},
    Signature{"\xD0\xCF\x11\xE0"sv, "is an old spreadsheet (xls); save the sheet as CSV (UTF-8)"},
    Signature{"\x1F\x8B"sv, "is compressed by gzip; unpack it first (gunzip)"},
};

std::size_t line_ends(std::string_view bytes) {
  return static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

}  // namespace

void ByteWatch::watch(std::string_view block) {
  if (block.empty())
    return;
  if (first_block_) {
    for (const Signature& signature : kSignatures)
      if (block.starts_with(signature.bytes))
        throw InputError(source_ + " " + std::string(signature.verdict));
  }
  if (last_ == '\r' && block[0] != '\n')
    refuse_bare_return({}, block);
  // Find() is memchr: a clean file costs one fast pass for each of the two bytes.
  if (const std::size_t nul = block.find('\0'); nul != std::string_view::npos)
    refuse_nul(block, nul);
  for (std::size_t at = block.find('\r'); at != std::string_view::npos;
       at = block.find('\r', at + 1))
    if (at + 1 < block.size() && block[at + 1] != '\n')
      refuse_bare_return(block.substr(0, at), block.substr(at));
  first_block_ = false;
  lines_ += line_ends(block);
  last_ = block.back();
}

void ByteWatch::end() const {
  if (last_ == '\r')
    refuse_bare_return({}, {});
}

void ByteWatch::refuse_nul(std::string_view block, std::size_t position) const {
  // ASCII characters in UTF-16 have a NUL as every other byte.
  const std::string_view begin = block.substr(0, 64);
  const auto nuls = static_cast<std::size_t>(std::count(begin.begin(), begin.end(), '\0'));
  if (first_block_ && position < 2 && begin.find("\0\0"sv) == begin.npos && 4 * nuls > begin.size())
    throw InputError(source_ + " is UTF-16 text; save it as UTF-8");
  throw InputError(where(block.substr(0, position)) +
                   ": a NUL byte; the file is damaged or not a text file");
}

void ByteWatch::refuse_bare_return(std::string_view before, std::string_view after) const {
  if (lines_ == 0 && line_ends(before) == 0 && line_ends(after) == 0) {
    throw InputError(source_ +
                     ": the lines end in bare carriage returns (old Macintosh style); save it with "
                     "LF or CRLF line ends, for example: tr '\\r' '\\n'");
  }
  throw InputError(where(before) +
                   ": a carriage return that is not part of a line end (CRLF); remove it");
}

std::string ByteWatch::where(std::string_view before) const {
  return source_ + ":" + std::to_string(lines_ + line_ends(before) + 1);
}

}  // namespace perfmodel
