#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "sources/csv.hpp"

namespace perfmodel {
namespace {

using namespace std::string_view_literals;

/// The first bytes of files that are often mistaken for tables of text. Archives are told apart by
/// the names of the files in them, which stand there as they are.
struct Signature {
  std::string_view bytes;
  std::string_view kind;
  std::string_view cure;  ///< a function of pandas, or words
  std::string_view inside{};
};

constexpr std::string_view kUtf8 = "save it as UTF-8";
constexpr std::string_view kSheet = "save the sheet as CSV (UTF-8)";
constexpr std::string_view kPicture = "write the numbers that it shows as CSV";
constexpr std::string_view kArchive = "PK\x03\x04";

constexpr std::array kSignatures{
    Signature{"\xFF\xFE", "UTF-16 text", kUtf8},
    Signature{"\xFE\xFF", "UTF-16 text", kUtf8},
    Signature{"\xD0\xCF\x11\xE0", "an old spreadsheet (xls)", kSheet},
    Signature{"\x1F\x8B", "compressed by gzip", "unpack it first (gunzip)"},
    Signature{"%PDF-", "a PDF", "copy the table of numbers from it into a CSV"},
    Signature{"\x89PNG", "a picture (PNG)", kPicture},
    Signature{"\xFF\xD8\xFF", "a picture (JPEG)", kPicture},
    Signature{"GIF8", "a picture (GIF)", kPicture},
    Signature{"{\\rtf", "formatted text (RTF)", "save it as plain text (UTF-8)"},
    Signature{"PAR1\x15", "a Parquet file", "read_parquet"},
    Signature{"ARROW1\0"sv, "an Arrow (Feather) file", "read_feather"},
    Signature{"\x89HDF", "an HDF5 file", "read_hdf"},
    Signature{"\x80\x04\x95", "a pickle of Python", "read_pickle"},
    Signature{"\x80\x05\x95", "a pickle of Python", "read_pickle"},
    Signature{"\x93NUMPY", "a NumPy array without names of columns",
              "write it as CSV with a header, for example with numpy.savetxt(..., header=...)"},
    Signature{kArchive, "a spreadsheet (xlsx)", kSheet, "xl/workbook"},
    Signature{kArchive, "a spreadsheet (ods)", kSheet, "opendocument.spreadsheet"},
    Signature{kArchive, "an archive of NumPy arrays (npz)", "write them as the columns of a CSV",
              ".npy"},
    Signature{kArchive, "a spreadsheet or a zip archive",
              "save the sheet as CSV (UTF-8), or unpack the archive"},
};

bool is_html(std::string_view bytes) {
  const std::size_t first = std::min(bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), bytes.size());
  const std::string begin = folded(bytes.substr(first, 14));
  return begin.starts_with("<!doctype_html") || begin.starts_with("<html");
}

/// In UTF-16, every other byte of ASCII characters is NUL.
bool is_utf16(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, 64);
  const auto nuls = to_size(std::ranges::count(begin, '\0'));
  return begin.find('\0') < 2 && begin.find("\0\0"sv) == begin.npos && 4 * nuls > begin.size();
}

}  // namespace

std::string verdict_on(std::string_view bytes) {
  for (const auto& [begin, kind, cure, inside] : kSignatures)
    if (bytes.starts_with(begin) && bytes.find(inside) != bytes.npos)
      return fmt::format("is {}; {}", kind,
                         cure.starts_with("read_")
                             ? fmt::format("write it as CSV, for example with pandas: "
                                           "{}(FILE).to_csv(\"runs.csv\", index=False)",
                                           cure)
                             : std::string(cure));
  if (is_html(bytes))
    return "is a web page (HTML), maybe one that stands for the file; download the file itself, or "
           "copy the table into a CSV";
  return is_utf16(bytes) ? fmt::format("is UTF-16 text; {}", kUtf8) : "";
}

}  // namespace perfmodel
