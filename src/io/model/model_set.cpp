#include "io/model/model_set.hpp"

#include <map>
#include <utility>

#include "base/text.hpp"
#include "fit/form_kinds.hpp"
#include "io/model/model_json_reading.hpp"
#include "io/model/model_json_writing.hpp"
#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr std::string_view kSetSchema = "perfmodel/models";
constexpr std::uint64_t kSetVersion = 1;

template <class Value>
Json fields_of(const std::map<std::string, Value>& values) {
  Json out = Json::object();
  for (const auto& [name, value] : values)
    out[name] = value;
  return out;
}

Json form_to_json(const SetForm& shared) {
  const SharedForm& form = shared.form;
  Json logarithms = Json::array();
  Json leads = Json::array();
  for (const SharedLead& lead : form.leads)
    leads.push_back({{"rows", lead.rows},
                     {"lead", lead.mean},
                     {"scatter", lead.scatter},
                     {"groups", lead.groups}});
  for (const auto& powers : form.log_powers)
    logarithms.push_back(fields_of(powers));
  return {{"target", shared.target},
          {"terms", form.terms},
          {"intercept", form.intercept},
          {"rings", form.rings},
          {"log_powers", logarithms},
          {"left_out", form.left_out},
          {"constants", fields_of(form.constants)},
          {"pull", form.pull},
          {"size_pull", form.size_pull},
          {"groups", form.groups},
          {"rows", form.rows},
          {"leads", leads}};
}

/// What people are told of it.
SetForm read_shared_form(const JsonCursor& node) {
  SetForm out;
  out.target = node.member("target").text();
  out.form.terms = node.member("terms").count();
  out.form.intercept = node.member("intercept").boolean();
  for (const JsonCursor& column : node.member("rings").items())
    out.form.rings.push_back(column.text());
  out.form.pull = node.member("pull").number();
  out.form.size_pull = node.member("size_pull").number();
  out.form.groups = node.member("groups").count();
  out.form.rows = node.member("rows").count();
  return out;
}

ModelSetHeader read_header(const JsonCursor& root) {
  const JsonCursor schema = root.member("schema");
  if (schema.text() != kSetSchema)
    schema.fail("'" + schema.text() + "' is not '" + std::string(kSetSchema) + "'");
  const JsonCursor version = root.member("schema_version");
  if (version.count() != kSetVersion)
    version.fail("this program knows version " + std::to_string(kSetVersion));
  ModelSetHeader header{read_tasks_header(root), {}, {}, {}, {}, {}, {}};
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
  if (const auto forms = root.optional_member("shared_forms"))
    for (const JsonCursor& form : forms->items())
      header.shared_forms.push_back(read_shared_form(form));
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
  for (const SetForm& shared : header.shared_forms)
    out["shared_forms"].push_back(form_to_json(shared));
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
