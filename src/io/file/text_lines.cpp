#include "io/file/text_lines.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "io/file/input_file.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {

TextLines::TextLines(const std::string& path) : path_(path), source_(display_name(path)) {
  std::error_code error;
  const bool again = path != "-" && std::filesystem::is_regular_file(path, error) &&
                     std::ifstream(path, std::ios::binary).is_open();
  if (!again)
    kept_ = std::make_shared<const std::string>(read_file(path));
}

std::unique_ptr<std::istream> TextLines::open() const {
  if (kept_)
    return std::make_unique<std::istringstream>(*kept_);
  auto file = std::make_unique<std::ifstream>(path_, std::ios::binary);
  if (!file->is_open())
    throw InputError("cannot read " + source_ + " again");
  return file;
}

std::string TextLines::bytes() const {
  return kept_ ? *kept_ : read_file(path_);
}

void TextLines::for_each(const std::function<bool(const TextLine&)>& visit) const {
  const auto stream = open();
  std::string text;
  TextLine line;
  while (std::getline(*stream, text)) {
    line.number += 1;
    line.text = text;
    line.whole = !stream->eof();
    if (!visit(line))
      return;
    line.offset += text.size() + 1;
  }
  if (stream->bad())
    throw InputError("cannot read " + source_);
}

}  // namespace perfmodel
