#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "import/readers.hpp"
#include "perfmodel/import.hpp"
#include "perfmodel/reading.hpp"
#include "registry/registry.hpp"
#include "roles/column_facts.hpp"
#include "roles/vocabulary.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostLevels = 100;

/// The offset after a character, or after the text that begins with it.
std::size_t next_place(std::string_view bytes, std::size_t at) {
  if (bytes[at] != '"')
    return at + 1;
  for (++at; at < bytes.size() && bytes[at] != '"'; ++at)
    if (bytes[at] == '\\')
      ++at;
  return std::min(at + 1, bytes.size());
}

/// The bytes with empty texts of the same length in place of NaN and infinity, which Python and
/// Google Benchmark write although JSON has none. Throws InputError if brackets are nested so deep
/// that recursive readers could exhaust the stack.
std::string readable(std::string_view bytes, const std::string& source) {
  constexpr std::array<std::string_view, 4> kNotFinite{"NaN", "-NaN", "Infinity", "-Infinity"};
  std::string out(bytes);
  std::size_t levels = 0;
  for (std::size_t at = 0; at < bytes.size(); at = next_place(bytes, at)) {
    const char c = bytes[at];
    if ((c == '[' || c == '{') && ++levels > kMostLevels)
      throw InputError(fmt::format(
          "{}:{}: more than {} levels of brackets", source,
          1 + std::count(bytes.begin(), bytes.begin() + std::ptrdiff_t(at), '\n'), kMostLevels));
    if ((c == ']' || c == '}') && levels > 0)
      --levels;
    for (const std::string_view word : kNotFinite) {
      if (!bytes.substr(at).starts_with(word))
        continue;
      out.replace(at, word.size(), fmt::format("{:{}}", "\"\"", word.size()));
      at += word.size() - 1;
      break;
    }
  }
  return out;
}

/// Whether the first line is a whole object that another one follows.
bool is_json_lines(std::string_view bytes) {
  const std::size_t first = bytes.find_first_of("[{");
  if (first == bytes.npos || bytes[first] == '[')
    return false;
  std::size_t levels = 0;
  for (std::size_t at = first; at < bytes.size(); at = next_place(bytes, at)) {
    if (bytes[at] == '\n')
      return levels == 0 && bytes.substr(at).find_first_not_of(" \t\r\n") != bytes.npos;
    if (bytes[at] == '{' || bytes[at] == '[')
      ++levels;
    else if ((bytes[at] == '}' || bytes[at] == ']') && levels > 0)
      --levels;
  }
  return false;
}

/// An array of a document under its dotted name.
struct List {
  std::string name;
  JsonCursor node;
  std::vector<JsonCursor> items;
};

/// The content of an object, whose nested objects are fields with dotted names.
struct Content {
  RowCells cells;
  std::vector<List> lists;  ///< none of them empty
};

void collect(const JsonCursor& object, const std::string& prefix, Content& out) {
  for (const auto& [name, value] : object.fields())
    if (value.is_object())
      collect(value, prefix + name + ".", out);
    else if (!value.is_array())
      out.cells.emplace_back(prefix + name, value.cell());
    else if (auto items = value.items(); !items.empty())
      out.lists.push_back({prefix + name, value, std::move(items)});
}

bool is_blank(const JsonCursor& value) {
  return value.is_null() || (value.is_text() && value.text().empty());
}

bool is_of_numbers(const List& list) {
  return std::ranges::any_of(list.items, &JsonCursor::is_number) &&
         std::ranges::all_of(
             list.items, [](const JsonCursor& item) { return item.is_number() || is_blank(item); });
}

bool is_of_objects(const List& list) {
  return std::ranges::all_of(list.items, &JsonCursor::is_object);
}

/// Adds a row per item of lists of equal length, or a single row if there are none.
void add_rows(const RowCells& cells, const std::vector<List>& lists, NamedRows& rows) {
  for (const List& list : lists) {
    const List& first = lists.front();
    if (list.items.size() != first.items.size())
      list.node.fail(fmt::format("{}, but {} has {}: lists of an object have one item per run",
                                 counted_noun(list.items.size(), "item"), first.name,
                                 first.items.size()));
  }
  for (std::size_t i = 0; i < (lists.empty() ? 1 : lists.front().items.size()); ++i) {
    RowCells row = cells;
    for (const List& list : lists) {
      const JsonCursor& item = list.items[i];
      if (item.is_array() || item.is_object())
        item.fail("expected a number or a text: a list is a column");
      row.emplace_back(list.name, item.cell());
    }
    if (!row.empty())
      rows.add(row);
  }
}

/// The rows of a document, and the names of its lists that are not in them.
struct Reading {
  NamedRows rows;
  std::set<std::string> left_out;
};

/// "times", "latency_ms", "tokens_per_s", "samples".
bool is_result_name(const std::string& name) {
  constexpr WordList kMeasured{
      "samples values measurements results runs repeats repetitions observations times timings "
      "durations latencies"};
  return names_measured(name) || kMeasured.has_one_of(name_words(name));
}

/// Removes lists that are no repeated measurements: those that are not of numbers, and those of as
/// many numbers as one of these has items, because they describe the parts of a single run. Beside
/// a measured time of the run or a list of results, other lists are properties of the run, such as
/// a shape, unless there are as many as results.
void keep_repeats(const RowCells& cells, std::vector<List>& lists,
                  std::set<std::string>& left_out) {
  std::set<std::size_t> of_parts;
  std::set<std::size_t> of_results;
  for (const List& list : lists)
    if (!is_of_numbers(list))
      of_parts.insert(list.items.size());
    else if (is_result_name(list.name))
      of_results.insert(list.items.size());
  const bool has_results =
      !of_results.empty() ||
      std::ranges::any_of(
          cells, [](const NamedRows::Cell& cell) { return names_time(cell.first); });
  const auto is_left_out = [&](const List& list) {
    return of_parts.contains(list.items.size()) ||
           (has_results && !of_results.contains(list.items.size()));
  };
  for (const List& list : lists)
    if (is_left_out(list))
      left_out.insert(list.name);
  std::erase_if(lists, is_left_out);
}

/// The cells of both, with `label` in the names that both have. Throws InputError for a column that
/// stands twice in `object`.
RowCells joined_cells(const RowCells& outer, const Content& inner, const std::string& label,
                      const JsonCursor& object) {
  RowCells out = outer;
  std::set<std::string, std::less<>> names;
  for (const auto& [name, text] : outer)
    names.insert(name);
  const auto add = [&](const std::string& name) {
    if (name.empty())
      object.fail("a field has no name");
    if (!names.insert(name).second)
      object.fail(fmt::format("the column '{}' stands twice", name));
  };
  for (const auto& [name, text] : inner.cells) {
    out.emplace_back(names.contains(name) && !label.empty() ? label + "." + name : name, text);
    add(out.back().first);
  }
  for (const List& list : inner.lists)
    add(list.name);
  return out;
}

/// Adds the rows of an object; `outer`: the cells of the objects around it, which hold it in their
/// list `label`.
void add_object(const JsonCursor& object, const RowCells& outer, const std::string& label,
                Reading& out) {
  Content content;
  collect(object, "", content);
  const RowCells cells = joined_cells(outer, content, label, object);
  const auto runs = std::ranges::find_if(content.lists, is_of_objects);
  if (runs == content.lists.end()) {
    if (!cells.empty())
      keep_repeats(cells, content.lists, out.left_out);
    return add_rows(cells, content.lists, out.rows);
  }
  const auto second = std::find_if(runs + 1, content.lists.end(), is_of_objects);
  if (second != content.lists.end())
    second->node.fail(
        fmt::format("a second list of objects beside {}: only one can be the runs", runs->name));
  for (const List& list : content.lists)
    if (&list != &*runs)
      out.left_out.insert(list.name);
  for (const JsonCursor& run : runs->items)
    add_object(run, cells, runs->name, out);
}

/// The columns of {"batch": {"0": 32, "1": 64}, "time": {"0": 1.5, "1": 2.5}}, as pandas writes a
/// data frame; none if the object is another one.
std::vector<List> indexed_columns(const JsonCursor& object) {
  std::vector<List> out;
  std::vector<std::string> index;
  for (const auto& [name, column] : object.fields()) {
    const std::vector<std::string> names = column.names();
    if (name.empty() || names.empty() || !std::ranges::all_of(names, is_whole_number) ||
        (!out.empty() && names != index))
      return {};
    List& list = out.emplace_back(List{name, column, {}});
    for (const auto& [row, value] : column.fields())
      list.items.push_back(value);
    index = names;
  }
  return out;
}

NamedRows rows_of_documents(std::span<const JsonCursor> documents) {
  constexpr std::size_t kMostNamed = 8;
  Reading out;
  for (const JsonCursor& document : documents) {
    if (documents.size() == 1 && document.is_array())
      for (const JsonCursor& run : document.items())
        add_object(run, {}, "", out);
    else if (const auto columns = indexed_columns(document); !columns.empty())
      add_rows({}, columns, out.rows);
    else
      add_object(document, {}, "", out);
  }
  if (!out.left_out.empty())
    out.rows.add_notice(
        fmt::format("Lists of JSON that are no repeats of a measurement are left out: {}.",
                    enumerated(std::vector(out.left_out.begin(), out.left_out.end()), kMostNamed)));
  return std::move(out.rows);
}

/// Throws InputError if the document is one of those that perfmodel itself writes.
void refuse_own(const JsonCursor& document, const std::string& source) {
  if (!document.is_object())
    return;
  if (const auto schema = document.optional_member("schema");
      schema && schema->is_text() && schema->text().starts_with("perfmodel/"))
    throw InputError(source + " is JSON, as models are, and no CSV of runs");
}

/// The objects of JSON lines, or the only document.
std::vector<JsonCursor> documents_of(std::string_view bytes, const std::string& source) {
  if (!is_json_lines(bytes))
    return {JsonCursor::parse(source, bytes)};
  std::vector<JsonCursor> out;
  for (std::size_t number = 1; !bytes.empty(); ++number) {
    const std::string_view line = take_line(bytes);
    if (line.find_first_not_of(" \t\r") != line.npos)
      out.push_back(JsonCursor::parse(fmt::format("{}:{}", source, number), line, true));
  }
  return out;
}

/// The rows of a tool's results; nullopt if the documents are other ones or of a tool other than
/// the given one.
std::optional<NamedRows> rows_of_tool(std::span<const JsonCursor> documents,
                                      std::optional<InputFormat> given, const std::string& source) {
  const auto may_be = [&](InputFormat format) { return given.value_or(format) == format; };
  if (may_be(InputFormat::extrap))
    if (auto rows = extrap_rows(documents))
      return rows;
  if (auto rows = adapted_rows(documents, given, source))
    return rows;
  if (documents.size() != 1 || !documents.front().is_object())
    return std::nullopt;
  const std::pair<InputFormat, std::optional<NamedRows> (*)(const JsonCursor&)> tools[] = {
      {InputFormat::google_benchmark, google_benchmark_rows}, {InputFormat::asv, asv_rows}};
  for (const auto& [format, rows_of] : tools)
    if (may_be(format))
      if (auto rows = rows_of(documents.front()))
        return rows;
  return std::nullopt;
}

/// JSON begins with "{" or with "[" and a value; "[gcc]: http..." is Markdown.
bool is_json_text(std::string_view bytes) {
  constexpr std::string_view blanks = " \t\r\n\xEF\xBB\xBF";
  const std::size_t first = bytes.find_first_not_of(blanks);
  if (first == bytes.npos || bytes[first] != '[')
    return first != bytes.npos && bytes[first] == '{';
  const std::size_t value = bytes.find_first_not_of(blanks, first + 1);
  return value == bytes.npos ||
         std::string_view("[{]\"-0123456789tfn").find(bytes[value]) != std::string_view::npos;
}

}  // namespace

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

NamedRows read_json(std::string_view bytes, const std::string& source,
                    const InputOptions& options) {
  const std::optional<InputFormat> format = options.format;
  const std::vector<JsonCursor> documents = documents_of(readable(bytes, source), source);
  for (const JsonCursor& document : documents)
    refuse_own(document, source);
  if (auto rows = rows_of_tool(documents, format, source))
    return *std::move(rows);
  if (format && *format != InputFormat::json)
    throw InputError(fmt::format("{} is JSON, but not that of {}", source, to_text(*format)));
  return rows_of_documents(documents);
}

void add_import_readers() {
  add<Reader>({{InputFormat::sqlite, "an SQLite database", is_sqlite, read_sqlite},
               {InputFormat::extrap, "a text file of Extra-P", is_extrap_text, read_extrap_text},
               {InputFormat::go_benchmark, "the output of Go's benchmarks", is_go_benchmark,
                read_go_benchmark},
               {InputFormat::seff, "the output of seff", is_seff, read_seff},
               {InputFormat::json, "JSON", is_json_text, read_json}});
  add<TableReader>({{is_job_table, joined_job_table}});
}

}  // namespace perfmodel
