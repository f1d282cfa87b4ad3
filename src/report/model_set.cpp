#include "report/model_set.hpp"

#include <map>
#include <utility>

#include "base/json.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "perfmodel/error.hpp"
#include "report/model_json.hpp"

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

namespace {

constexpr std::string_view kSetSchema = "perfmodel/models";
constexpr std::uint64_t kSetVersion = 1;

ModelSetHeader read_header(const JsonCursor& root) {
  const JsonCursor schema = root.member("schema");
  if (schema.text() != kSetSchema)
    schema.fail("'" + schema.text() + "' is not '" + std::string(kSetSchema) + "'");
  const JsonCursor version = root.member("schema_version");
  if (version.count() != kSetVersion)
    version.fail("this program knows version " + std::to_string(kSetVersion));
  ModelSetHeader header{read_tasks_header(root), {}, {}, {}, {}, {}};
  header.file = root.member("file").text();
  for (const JsonCursor& column : root.member("by").items())
    header.by.push_back(column.text());
  if (const auto name = root.optional_member("target_name")) {
    header.target_name = name->text();
    header.target_value = root.member("target_value").text();
  }
  if (const auto total = root.optional_member("total")) {
    header.total.emplace();
    if (const auto column = total->optional_member("column"))
      header.total->column = column->text();
    header.total->name = total->member("name").text();
  }
  return header;
}

}  // namespace

std::string to_line(const ModelSetHeader& header) {
  Json out = {{"schema", kSetSchema}, {"schema_version", kSetVersion}, {"tool", header.tool},
              {"job", header.job},    {"file", header.file},           {"by", header.by}};
  if (header.target_name) {
    out["target_name"] = *header.target_name;
    out["target_value"] = header.target_value.value_or("");
  }
  if (header.total) {
    out["total"] = {{"name", header.total->name}};
    if (header.total->column)
      out["total"]["column"] = *header.total->column;
  }
  add_tasks(out, header);
  return line_text(out);
}

Json key_to_json(const ModelSetLine& line, const ModelSetHeader& header) {
  Json key = Json::object();
  for (std::size_t i = 0; i < header.by.size(); ++i)
    key[header.by[i]] = line.key[i];
  return key;
}

std::string to_line(const ModelSetLine& line, const ModelSetHeader& header) {
  Json out = {{"task", line.task},
              {"key", key_to_json(line, header)},
              {"target", line.target},
              {"rows", line.rows}};
  if (line.model)
    out["model"] = model_document(*line.model);
  else
    out["refused"] = line.refused;
  return line_text(out);
}

bool is_model_set(std::string_view bytes) {
  return bytes.starts_with("{\"schema\": \"" + std::string(kSetSchema) + "\"");
}

ModelSetHeader parse_set_header(const std::string& place, std::string_view text) {
  return read_header(JsonCursor::parse(place, text));
}

std::optional<ModelSetLine> parse_set_line(
    const std::string& place, std::string_view text, const ModelSetHeader& header,
    const std::function<bool(const ModelSetLine&)>& is_wanted) {
  const JsonCursor root = JsonCursor::parse(place, text);
  ModelSetLine line;
  line.task = root.member("task").count();
  for (const std::string& column : header.by)
    line.key.push_back(root.member("key").member(column).text());
  line.target = root.member("target").text();
  line.rows = root.member("rows").count();
  if (is_wanted && !is_wanted(line))
    return std::nullopt;
  if (const auto model = root.optional_member("model"))
    line.model = read_model(*model, form_kinds());
  else
    line.refused = root.member("refused").text();
  return line;
}

void refuse_torn_line(const std::string& source, const TextLine& line) {
  const std::string place = place_of_line(source, line.number);
  if (lacks_newline_alone(line.text)) {
    throw InputError(place +
                     ": the line is whole, but its newline is missing; add it, if nothing else of "
                     "the file was lost, or fit again with " +
                     Field{"resume"});
  }
  throw InputError(place + ": the line is cut short; fit again with " + Field{"resume"});
}

ModelSetLine single_model(const std::string& source, std::string_view bytes) {
  ModelSetLine line;
  line.model = read_model(JsonCursor::parse(source, bytes), form_kinds());
  line.target = line.model->spec.target;
  line.rows = line.model->provenance.rows;
  return line;
}

bool is_total(const ModelSetLine& line, const ModelSetHeader& header) {
  if (!header.total)
    return false;
  if (!header.total->column)
    return line.target == header.total->name;
  for (std::size_t i = 0; i < header.by.size(); ++i)
    if (header.by[i] == *header.total->column)
      return line.key[i] == header.total->name;
  return false;
}

std::string words_of(const ModelSetLine& line, const ModelSetHeader& header) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < header.by.size(); ++i)
    words.push_back(header.by[i] + "=" + line.key[i]);
  words.push_back(line.target);
  return joined(words, " ");
}

}  // namespace perfmodel
