#include "sources/source.hpp"

#include <fmt/core.h>
#include <zlib.h>
#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "registry/registry.hpp"
#include "sources/csv.hpp"
#include "sources/written_table.hpp"
#include "storage/files.hpp"

namespace perfmodel {

void NamedRows::add(const std::vector<Cell>& row) {
  auto& cells = rows_.emplace_back();
  for (const auto& [name, text] : row) {
    const auto [place, is_new] = place_.try_emplace(name, names_.size());
    if (is_new)
      names_.push_back(name);
    cells.emplace_back(place->second, text);
  }
  if (names_.size() > kMostColumns)
    throw std::length_error("too many columns");
}

void NamedRows::add_result(const std::string& column) {
  if (!contains(results_, column))
    results_.push_back(column);
}

std::string NamedRows::csv() const {
  std::string out = csv_line(names_);
  for (const auto& cells : rows_) {
    std::vector<std::string> row(names_.size());
    for (const auto& [place, text] : cells) {
      row[place] = text;
      std::ranges::replace_if(
          row[place], [](char c) { return c == '\n' || c == '\r'; }, ' ');
    }
    out += csv_line(row);
  }
  return out;
}

namespace {

constexpr std::string_view kGzip = "\x1F\x8B";
constexpr std::size_t kMostUnpacked = std::size_t{4} << 30;

/// Unpacks gzip, also of several members one after another; only zeros may follow them, with which
/// tapes are filled.
std::string unpacked(std::string_view packed, const std::string& source) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  constexpr int kWithGzipHeader = 15 + 16;
  z_stream stream{};
  if (inflateInit2(&stream, kWithGzipHeader) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> owner(&stream, inflateEnd);
  std::string out;
  int status = Z_OK;
  while (!packed.empty() || status == Z_OK) {
    const std::size_t before = out.size();
    out.resize(before + kStep);
    const auto in = std::min<std::size_t>(packed.size(), std::numeric_limits<uInt>::max());
    // zlib does not change its input, but takes it as changeable.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = kStep;
    status = inflate(&stream, Z_NO_FLUSH);
    packed.remove_prefix(in - stream.avail_in);
    out.resize(before + kStep - stream.avail_out);
    if (out.size() > kMostUnpacked)
      throw InputError(
          fmt::format("{}: more than {} GiB when unpacked", source, kMostUnpacked >> 30));
    if (status == Z_STREAM_END) {
      if (packed.find_first_not_of('\0') == packed.npos)
        break;
      inflateReset(&stream);
    } else if (status != Z_OK) {
      throw InputError(source + ": the data compressed by gzip are " +
                       (status == Z_BUF_ERROR ? "cut off" : "damaged"));
    }
  }
  return out;
}

/// Null for CSV.
const Reader* reader_of(InputFormat family) {
  for (const Reader& reader : added<Reader>())
    if (reader.family == family)
      return &reader;
  return nullptr;
}

/// The family of formats that a content has, of which no other format is a kind.
InputFormat family_of(std::string_view bytes) {
  for (const Reader& reader : added<Reader>())
    if (reader.recognises(bytes))
      return reader.family;
  return InputFormat::csv;
}

/// Whether a content of this family may be in the format that the user names.
bool may_be(InputFormat family, InputFormat format) {
  return family == format || (family == InputFormat::json && format != InputFormat::csv &&
                              format != InputFormat::sqlite);
}

std::string words_for(InputFormat family) {
  const Reader* const reader = reader_of(family);
  return reader == nullptr ? "CSV" : std::string(reader->words);
}

/// Throws UsageError if an option does not apply to the file.
void check_options(InputFormat family, const std::string& source, const InputOptions& options) {
  if (options.format && !may_be(family, *options.format))
    throw UsageError(fmt::format("--input-format {} does not apply to {}, which is {}",
                                 to_text(*options.format), source, words_for(family)));
  const auto refuse = [&](const std::string& value, const char* flag) {
    if (!value.empty())
      throw UsageError(
          fmt::format("{} does not apply to {}, which is {}", flag, source, words_for(family)));
  };
  if (family != InputFormat::sqlite) {
    refuse(options.table, "--table");
    refuse(options.sql, "--sql");
  }
  if (family != InputFormat::csv && options.separator)
    refuse("separator", "--separator");
  if (family != InputFormat::csv && options.decimal)
    refuse("decimal", "--decimal");
}

/// The options with those of the fit that are not given and that apply to a file of this family. A
/// separator applies to a header that has it.
InputOptions with_those_of_fit(InputOptions given, InputFormat family, std::string_view bytes) {
  const std::shared_ptr<const InputOptions> kept = std::exchange(given.of_fit, nullptr);
  if (!kept)
    return given;
  if (!given.format && kept->format && may_be(family, *kept->format))
    given.format = kept->format;
  if (family == InputFormat::sqlite && given.table.empty() && given.sql.empty()) {
    given.table = kept->table;
    given.sql = kept->sql;
  }
  if (family != InputFormat::csv)
    return given;
  const std::string_view header = bytes.substr(0, bytes.find('\n'));
  if (!given.separator && kept->separator && header.find(*kept->separator) != header.npos)
    given.separator = kept->separator;
  if (!given.decimal)
    given.decimal = kept->decimal;
  return given;
}

/// The rows of a file that is not CSV.
NamedRows rows_of(InputFormat family, std::string_view bytes, const std::string& source,
                  const InputOptions& options) try {
  return reader_of(family)->read(bytes, source, options);
} catch (const std::length_error&) {
  throw InputError(
      fmt::format("{}: the runs have more than {} columns; one row per run and one column per "
                  "setting is expected: keep the time and the settings, or transpose the table",
                  source, kMostColumns));
}

bool is_table_of_tool(std::string_view beginning) {
  return std::ranges::any_of(
      added<TableReader>(),
      [&](const TableReader& reader) { return reader.recognises(beginning); });
}

/// Replaces a table of jobs, or one that was written for people, by plain CSV.
void read_table(std::optional<char> separator, SourceText& file) {
  std::optional<std::string> joined;
  for (const TableReader& reader : added<TableReader>())
    if (!separator && !joined)
      joined = reader.as_csv(file.csv, file.source);
  auto written = joined ? std::nullopt : written_table(file.csv, file.source, separator);
  if (!joined && !written)
    return;
  if (file.sha256.empty())
    file.sha256 = sha256(file.csv);
  if (joined) {
    file.csv = *std::move(joined);
    file.source += " (imported)";
  } else {
    file.csv = std::move(written->csv);
    file.notices = std::move(written->notices);
  }
}

constexpr std::string_view kResult = "result:";
constexpr std::string_view kDescribed = "described:";

void add_once(std::string_view column, std::vector<std::string>& columns) {
  if (!contains(columns, column))
    columns.emplace_back(column);
}

}  // namespace

std::string import_line(std::span<const std::string> results,
                        std::span<const std::string> described) {
  std::vector<std::string> fields{std::string(kImportLine)};
  for (const std::string& column : results)
    fields.push_back(std::string(kResult) + column);
  for (const std::string& column : described)
    fields.push_back(std::string(kDescribed) + column);
  return csv_line(fields);
}

bool take_import_lines(SourceText& file) {
  bool found = false;
  for (std::size_t at = 0; (at = file.csv.find(kImportLine, at)) != file.csv.npos; ++at) {
    if (at > 0 && file.csv[at - 1] != '\n')
      continue;
    found = true;
    if (file.sha256.empty())
      file.sha256 = sha256(file.csv);
    const std::size_t end = std::min(file.csv.find_first_of("\r\n", at), file.csv.size());
    std::string line = file.csv.substr(at, end - at);
    std::vector<std::string_view> fields;
    split_fields(line, ',', fields);
    for (const std::string_view field : fields)
      if (field.starts_with(kResult))
        add_once(field.substr(kResult.size()), file.results);
      else if (field.starts_with(kDescribed))
        add_once(field.substr(kDescribed.size()), file.described);
    file.csv.replace(at, end - at, end - at, ' ');
  }
  return found;
}

SourceText read_source(const std::string& path, const InputOptions& options) {
  return read_source_bytes(read_file(path), display_name(path), options);
}

SourceText read_source_bytes(std::string bytes, const std::string& source,
                             const InputOptions& given) {
  SourceText out{.csv = std::move(bytes), .source = source, .read_as = given};
  if (given.format == InputFormat::csv) {
    take_import_lines(out);
    return out;
  }
  if (given.format)
    require_tool_of(fmt::format("--input-format {}", to_text(*given.format)));
  if (out.csv.starts_with(kGzip)) {
    out.sha256 = sha256(out.csv);
    out.csv = unpacked(out.csv, out.source);
  }
  if (const std::string verdict = verdict_on(out.csv); !verdict.empty())
    throw InputError(fmt::format("{} {}", out.source, verdict));
  const bool is_imported = take_import_lines(out);
  if (!is_imported)
    require_reader_of(out.csv, out.source);
  const InputFormat family = is_imported ? InputFormat::csv : family_of(out.csv);
  const InputOptions& options = out.read_as = with_those_of_fit(given, family, out.csv);
  check_options(family, out.source, options);
  if (family == InputFormat::csv) {
    if (!is_imported && options.format != InputFormat::csv)
      read_table(options.separator, out);
    return out;
  }
  const NamedRows rows = rows_of(family, out.csv, out.source, options);
  if (rows.empty())
    throw InputError(out.source + " has no runs");
  if (out.sha256.empty())
    out.sha256 = sha256(out.csv);
  out.csv = rows.csv();
  out.results = rows.results();
  out.notices = rows.notices();
  out.source += " (imported)";
  return out;
}

bool is_plain_csv(std::string_view beginning, const InputOptions& options) {
  return options.format == InputFormat::csv ||
         (!beginning.starts_with(kGzip) && family_of(beginning) == InputFormat::csv &&
          (options.separator || !is_table_of_tool(beginning)) &&
          !written_table(beginning, "the file", options.separator));
}

}  // namespace perfmodel
