#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "sources/csv.hpp"

namespace perfmodel {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes;
  std::string_view verdict;
};

/// The first bytes of files that are often mistaken for tables of text.
constexpr std::array kSignatures{
    Signature{"\xFF\xFE"sv, "is UTF-16 text; save it as UTF-8"},
    Signature{"\xFE\xFF"sv, "is UTF-16 text; save it as UTF-8"},
    Signature{"\xD0\xCF\x11\xE0"sv, "is an old spreadsheet (xls); save the sheet as CSV (UTF-8)"},
    Signature{"\x1F\x8B"sv, "is compressed by gzip; unpack it first (gunzip)"},
    Signature{"%PDF-"sv, "is a PDF; copy the table of numbers from it into a CSV"},
    Signature{"\x89PNG"sv, "is a picture (PNG); write the numbers that it shows as CSV"},
    Signature{"\xFF\xD8\xFF"sv, "is a picture (JPEG); write the numbers that it shows as CSV"},
    Signature{"GIF8"sv, "is a picture (GIF); write the numbers that it shows as CSV"},
    Signature{"{\\rtf"sv, "is formatted text (RTF); save it as plain text (UTF-8)"},
    Signature{"PAR1"sv,
              "is a Parquet file; write it as CSV, for example with pandas: "
              "read_parquet(FILE).to_csv(\"runs.csv\", index=False)"},
    Signature{"ARROW1"sv,
              "is an Arrow (Feather) file; write it as CSV, for example with pandas: "
              "read_feather(FILE).to_csv(\"runs.csv\", index=False)"},
    Signature{"FEA1"sv,
              "is a Feather file; write it as CSV, for example with pandas: "
              "read_feather(FILE).to_csv(\"runs.csv\", index=False)"},
    Signature{"\x89HDF"sv,
              "is an HDF5 file; write its table as CSV, for example with pandas: "
              "read_hdf(FILE).to_csv(\"runs.csv\", index=False)"},
    Signature{"\x93NUMPY"sv,
              "is a NumPy array without names of columns; write it as CSV with a "
              "header, for example with numpy.savetxt(..., header=...)"},
};

/// What is in an archive: the names of its files stand in it as they are.
std::string_view verdict_of_archive(std::string_view bytes) {
  const auto has = [&](std::string_view text) { return bytes.find(text) != bytes.npos; };
  if (has("xl/workbook") || has("xl/worksheets") || has("xl/_rels"))
    return "is a spreadsheet (xlsx); save the sheet as CSV (UTF-8)";
  if (has("application/vnd.oasis.opendocument.spreadsheet"))
    return "is a spreadsheet (ods); save the sheet as CSV (UTF-8)";
  if (has(".npy"))
    return "is an archive of NumPy arrays (npz); write them as the columns of a CSV";
  return "is a spreadsheet or a zip archive; save the sheet as CSV (UTF-8), or unpack the archive";
}

bool is_html(std::string_view bytes) {
  const std::size_t first = std::min(bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), bytes.size());
  const std::string begin = folded(bytes.substr(first, 14));
  return begin.starts_with("<!doctype_html") || begin.starts_with("<html");
}

/// A pickle of protocol 2 or later, which ends in a point.
bool is_pickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5 &&
         bytes.ends_with('.');
}

/// Whether a signature may also be the name of a column: "PAR1".
bool is_name(std::string_view signature) {
  return signature.ends_with('1');
}

bool is_binary(std::string_view bytes) {
  return std::ranges::any_of(
      bytes.substr(0, 64),
      [](char c) {
        return static_cast<unsigned char>(c) >= 0x80 || (c >= 0 && c < '\t') ||
               (c > '\r' && c < ' ');
      });
}

/// In UTF-16, every other byte of ASCII characters is NUL.
bool is_utf16(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, 64);
  const auto nuls = to_size(std::ranges::count(begin, '\0'));
  return begin.find('\0') < 2 && begin.find("\0\0"sv) == begin.npos && 4 * nuls > begin.size();
}

}  // namespace

std::string_view verdict_on(std::string_view bytes) {
  for (const Signature& signature : kSignatures)
    if (bytes.starts_with(signature.bytes) && (!is_name(signature.bytes) || is_binary(bytes)))
      return signature.verdict;
  if (bytes.starts_with("PK\x03\x04"))
    return verdict_of_archive(bytes);
  if (is_html(bytes))
    return "is a web page (HTML), maybe one that stands for the file; download the file itself, or "
           "copy the table into a CSV";
  if (is_pickle(bytes))
    return "is a pickle of Python; write it as CSV, for example with pandas: "
           "read_pickle(FILE).to_csv(\"runs.csv\", index=False)";
  return is_utf16(bytes) ? "is UTF-16 text; save it as UTF-8" : std::string_view();
}

}  // namespace perfmodel
