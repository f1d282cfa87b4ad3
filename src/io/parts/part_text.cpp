#include "io/parts/part_text.hpp"

#include "json/json_lines.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr auto kShardField = ", \"shard\": ";

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

PartText parse_part(const std::string& source, std::string_view bytes) {
  const JsonLines text = json_lines(bytes);
  if (text.lines.empty())
    throw InputError(source + ": the first line is cut short");
  PartText out;
  out.source = source;
  const JsonLine& first = text.lines.front();
  out.header = read_tasks_header(JsonCursor::parse(place_of_line(source, 1), first.text));
  out.common = out.header.shard ? without_shard(first.text) : std::string(first.text) + "\n";
  for (std::size_t i = 1; i < text.lines.size(); ++i) {
    const JsonLine& line = text.lines[i];
    try {
      const JsonCursor root = JsonCursor::parse(place_of_line(source, line.number), line.text);
      out.tasks.push_back(root.member("task").count());
    } catch (const InputError& error) {
      out.torn = error.what();
      return out;
    }
    out.lines.push_back({line.text.data(), line.text.size() + 1});
  }
  if (!text.torn.empty())
    out.torn = place_of_line(source, text.lines.size() + 1) + ": the line is cut short";
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
