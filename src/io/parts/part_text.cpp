#include "io/parts/part_text.hpp"

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr auto kShardField = ", \"shard\": ";

constexpr std::string_view kHeaderBegin = "{\"schema\": \"perfmodel/";
constexpr std::string_view kTaskBegin = "{\"task\": ";
constexpr std::string_view kEncodingMark = "\xEF\xBB\xBF";

/// A header is written with the shard as its last field.
std::string without_shard(std::string_view line) {
  return std::string(line.substr(0, line.rfind(kShardField))) + "}\n";
}

}  // namespace

void add_tasks(Json& document, const TasksHeader& header) {
  document["tasks"] = header.tasks;
  if (header.shard)
    document["shard"] = {{"index", header.shard->index + 1}, {"of", header.shard->of}};
}

TasksHeader read_tasks_header(const JsonCursor& root) {
  TasksHeader header;
  header.tool = root.member("tool").text();
  header.job = root.member("job").text();
  header.tasks = root.member("tasks").count();
  if (const auto shard = root.optional_member("shard")) {
    header.shard = {shard->member("index").count(), shard->member("of").count()};
    if (header.shard->index < 1 || header.shard->index > header.shard->of)
      shard->fail("there is no such shard");
    --header.shard->index;
  }
  return header;
}

void require_header(const std::string& source, std::string_view first_line) {
  if (first_line.starts_with(kTaskBegin)) {
    throw InputError(place_of_line(source, 1) +
                     ": this is the line of a task; the header, which is the first line of such a "
                     "file, is missing: copy the file again, or make it again");
  }
  if (first_line.starts_with(kEncodingMark) &&
      first_line.substr(kEncodingMark.size()).starts_with(kHeaderBegin)) {
    throw InputError(place_of_line(source, 1) +
                     ": a byte order mark (EF BB BF) stands before the header, as some editors put "
                     "it there; take it away");
  }
}

void refuse_second_header(const std::string& place, std::string_view line) {
  if (line.starts_with(kHeaderBegin)) {
    throw InputError(place +
                     ": a second header; files were joined here that have to stay apart, as "
                     "merge takes them");
  }
}

bool lacks_newline_alone(std::string_view line) {
  return task_of_line({}, line).has_value();
}

PartText read_part(const TextLines& file) {
  PartText out;
  out.source = file.source();
  file.for_each([&](const TextLine& line) {
    const std::string place = place_of_line(out.source, line.number);
    if (!line.whole && line.number > 1 && lacks_newline_alone(line.text))
      throw InputError(place +
                       ": the line is whole, but its newline is missing; add it, if nothing "
                       "else of the file was lost");
    if (line.whole && line.text.ends_with('\r'))
      throw InputError(place +
                       ": the line ends in CR and LF, as a transfer in text mode leaves it; take "
                       "the CR of every line away, or copy the file byte by byte");
    if (!line.whole) {
      out.torn = place + ": the line is cut short";
      return false;
    }
    if (line.number == 1) {
      require_header(out.source, line.text);
      out.header = read_tasks_header(JsonCursor::parse(place, line.text));
      out.common = out.header.shard ? without_shard(line.text) : std::string(line.text) + "\n";
      return true;
    }
    refuse_second_header(place, line.text);
    try {
      const std::size_t task = JsonCursor::parse(place, line.text).member("task").count();
      out.lines.push_back({task, line.offset, line.text.size() + 1});
    } catch (const InputError& error) {
      out.torn = error.what();
      return false;
    }
    return true;
  });
  if (out.common.empty())
    throw InputError(out.source + ": the first line is cut short");
  return out;
}

std::optional<std::size_t> task_of_line(const std::string& place, std::string_view line) {
  try {
    return JsonCursor::parse(place, line).member("task").count();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string place_of_line(const std::string& source, std::size_t number) {
  return source + ":" + std::to_string(number);
}

}  // namespace perfmodel
