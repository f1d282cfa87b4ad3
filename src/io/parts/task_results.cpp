#include "io/parts/task_results.hpp"

#include <utility>

#include "json/json_lines.hpp"

namespace perfmodel {
namespace {

constexpr std::string_view kResultsSchema = "perfmodel/tasks";
constexpr std::uint64_t kResultsVersion = 1;

}  // namespace

std::string to_line(const TaskResultsHeader& header) {
  Json out = {{"schema", kResultsSchema},
              {"schema_version", kResultsVersion},
              {"tool", header.tasks.tool},
              {"job", header.tasks.job},
              {"command", header.command}};
  add_tasks(out, header.tasks);
  return line_text(out);
}

std::string result_line(std::size_t task, Json result) {
  Json out = {{"task", task}};
  out["result"] = std::move(result);
  return line_text(out);
}

bool is_task_results(std::string_view bytes) {
  return bytes.starts_with("{\"schema\": \"" + std::string(kResultsSchema) + "\"");
}

TaskResultsHeader read_task_results_header(const std::string& source, std::string_view bytes) {
  const JsonCursor root =
      JsonCursor::parse(place_of_line(source, 1), json_lines(bytes).lines.at(0).text);
  if (const JsonCursor version = root.member("schema_version"); version.count() != kResultsVersion)
    version.fail("this program knows version " + std::to_string(kResultsVersion));
  TaskResultsHeader out;
  out.tasks = read_tasks_header(root);
  for (const JsonCursor& word : root.member("command").items())
    out.command.push_back(word.text());
  return out;
}

JsonCursor result_of_line(const std::string& source, std::string_view line) {
  return JsonCursor::parse(source, line).member("result");
}

}  // namespace perfmodel
