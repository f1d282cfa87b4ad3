// The documents that the program writes keep to their schemas, and docs/json.md has the fields of
// these.
//
// With PERFMODEL_UPDATE_DOCS=1 in the environment its tables are written anew instead of compared.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/documents.hpp"
#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/program.hpp"
#include "support/sample_runs.hpp"
#include "support/shell.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;

namespace {

using Schema = nlohmann::ordered_json;

Schema schema_of(const std::string& document) {
  for (const auto& [name, schema] : json_schemas())
    if (name == document)
      return Schema::parse(document_text(schema));
  FAIL("no schema " << document);
  return {};
}

/// What stands in a list, or in place of null.
Schema inner_of(const Schema& schema) {
  if (schema.contains("anyOf") && schema["anyOf"].back() == Schema{{"type", "null"}})
    return inner_of(schema["anyOf"][0]);
  return schema.value("type", Schema()) == "array" ? inner_of(schema["items"]) : schema;
}

std::string words_of(const Schema& schema) {
  if (schema.contains("enum") || schema.contains("anyOf")) {
    std::string out;
    for (const Schema& item : schema.contains("enum") ? schema["enum"] : schema["anyOf"])
      out += (out.empty() ? "" : " or ") +
             (item.is_string() ? "`" + item.get<std::string>() + "`" : words_of(item));
    return out;
  }
  const Schema type = schema.value("type", Schema("anything"));
  if (type.is_array())
    return words_of({{"type", type[0]}}) + " or " + words_of({{"type", type[1]}});
  if (schema.contains("additionalProperties"))
    return words_of(schema["additionalProperties"]) + " by name";
  if (type == "array")
    return "list of " + words_of(schema["items"]);
  return type == "string" ? "text" : type == "null" ? "`null`" : type.get<std::string>();
}

void add_rows(const Schema& object, const std::string& prefix, std::vector<std::string>& rows) {
  Schema properties = object.value("properties", Schema::object());
  const Schema patterns = object.value("patternProperties", Schema::object());
  for (const auto& [pattern, schema] : patterns.items())
    properties[schema["title"].get<std::string>()] = schema;
  const Schema required = object.value("required", Schema::array());
  for (const auto& [name, schema] : properties.items()) {
    if (name.starts_with("schema"))
      continue;
    const bool always = std::find(required.begin(), required.end(), name) != required.end();
    const std::string meaning = schema.value("description", "");
    std::string cell;
    for (const char c : meaning)
      cell += c == '|' ? "\\|" : std::string(1, c);
    rows.push_back("| `" + prefix + name + "` | " + words_of(schema) +
                   (always || !object.contains("properties") ? "" : ", optional") + " | " + cell +
                   " |");
    if (meaning.find("](#") != std::string::npos)
      continue;  // it has a table of its own
    const Schema inner = inner_of(schema);
    const bool is_list = words_of(schema).starts_with("list");
    if (inner.contains("additionalProperties"))
      add_rows(inner_of(inner["additionalProperties"]), prefix + name + ".*.", rows);
    else
      add_rows(inner, prefix + name + (is_list ? "[]." : "."), rows);
  }
}

/// The table at a place as "model.constants.0": the document, then fields and numbers of choices.
std::vector<std::string> field_table(const std::string& place) {
  std::istringstream words(place);
  std::string word;
  std::getline(words, word, '.');
  Schema schema = schema_of(word);
  while (std::getline(words, word, '.')) {
    schema = inner_of(schema);
    schema = word == "$line"                 ? schema["$defs"]["line"]
             : schema.contains("properties") ? schema["properties"][word]
                                             : schema["anyOf"][std::stoul(word)];
  }
  std::vector<std::string> out = {"", "| field | type | meaning |", "|---|---|---|"};
  add_rows(inner_of(schema), "", out);
  return out;
}

class Documents {
 public:
  Documents() {
    folder_.write("runs.csv", test::sample_runs());
    folder_.write("pairs.csv", pairs());
    folder_.write("space.json", R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
      {"column": "filters", "values": [4, 8]}, {"column": "activation", "values": ["relu", "tanh"]},
      {"column": "workers", "values": [1, 2]}]})");
    folder_.write("layers.csv", "layer,t_f_us,t_b_us,grad_bytes\n1,4,3,1000\n2,3,5,2000\n");
    folder_.write("latencies.csv", "bytes,latency_us\n1000,10\n2000,15\n4000,25\n");
    const std::string runs = test::sample_runs();
    folder_.write("doubled.csv", runs + runs.substr(runs.find('\n') + 1));
    std::string two;  // a second target of the same values
    for (const std::string& line : test::lines_of(runs))
      two += line + (two.empty() ? ",mem" : line.substr(line.rfind(','))) + "\n";
    folder_.write("two.csv", two);
    folder_.write("few.csv", "filters,activation,workers,time_s\n4,relu,1,0.4\n8,relu,2,0.3\n");
    folder_.write("rates.csv",
                  "gpus,local_batch,global_batch,stride,samples_per_s\n"
                  "1,8,8,2,80\n2,8,16,2,120\n4,8,32,2,150\n1,16,16,2,100\n2,16,32,2,OOM\n"
                  "4,16,64,2,210\n1,4,4,2,50\n2,4,8,2,70\n");
  }

  /// Runs of two kernels and of the step that they make up, on two GPUs.
  static std::string pairs() {
    std::string out = "kernel,gpu,gpus,time_s\n";
    for (const char* gpu : {"a100", "h100"})
      for (const auto& [kernel, seconds] : {std::pair{"gemm", 3}, {"copy", 1}, {"step", 4}})
        for (const int n : {1, 2, 4, 8, 16})
          out += std::string(kernel) + "," + gpu + "," + std::to_string(n) + "," +
                 std::to_string(seconds * n) + "\n";
    return out;
  }

  /// Keeps what a command writes to standard output.
  void add(const std::vector<std::string>& arguments) const {
    const test::ProgramResult result = test::run_perfmodel(
        arguments,
        {.input = "", .environment = {}, .directory = folder_.path(), .output_descriptor = {}});
    INFO(arguments.front() << ": " << result.errors);
    REQUIRE(result.exit_code == 0);
    const bool is_lines = result.output[1] != '\n';  // a document each
    folder_.write("document" + std::to_string(++written_) + (is_lines ? ".jsonl" : ".json"),
                  result.output);
  }

  /// What tests/cli/check_schemas.py says of all documents; nothing where there is no
  /// validator.
  std::optional<int> check_schemas() const {
    for (const std::string python : {"python3", "/usr/bin/python3"}) {
      if (!test::succeeds(python + " -c 'import jsonschema'"))
        continue;
      const std::string source = PERFMODEL_SOURCE_DIR;
      const std::string folder = folder_.path().string();
      std::filesystem::create_directory(folder_.path() / "schemas");
      for (const auto& [name, schema] : json_schemas())
        folder_.write("schemas/" + name + ".json", document_text(schema));
      return std::system((python + " " + source + "/tests/cli/check_schemas.py " + folder +
                          "/schemas " + folder + "/document*.json* " + folder + "/space.json " +
                          source + "/data/paper/table*.json")
                             .c_str());
    }
    return std::nullopt;
  }

  void save(std::vector<std::string> arguments, const std::string& name) const {
    arguments.insert(arguments.end(), {"-o", name});
    const test::ProgramResult result = test::run_perfmodel(
        arguments,
        {.input = "", .environment = {}, .directory = folder_.path(), .output_descriptor = {}});
    REQUIRE(result.exit_code == 0);
  }

 private:
  test::TemporaryDirectory folder_;
  mutable std::size_t written_ = 0;
};

}  // namespace

TEST_CASE("documents keep to their schemas", "[cli][docs]") {
  const Documents documents;
  documents.save({"fit", "runs.csv"}, "old.json");
  documents.save({"fit", "runs.csv", "--coverage", "0.5"}, "model.json");
  documents.save({"fit", "pairs.csv", "--by", "kernel,gpu"}, "all.jsonl");
  documents.save({"fit", "two.csv", "--target", "time_s,mem"}, "two.jsonl");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"fit", "doubled.csv", "--split", "60:20:20", "--bootstrap", "20", "--repeats", "2",
            "--folds", "3", "--derive", "work = filters * workers", "--ignore", "filters"},
           {"fit", "runs.csv", "--coverage", "0.5", "--l1", "0.001", "--penalise", "scaled"},
           {"fit", "runs.csv", "--expression", "multi", "--terms", "1", "--bootstrap", "20"},
           {"predict", "model.json", "--json", "--set", "filters=4", "activation=relu",
            "workers=2"},
           {"predict", "model.json", "--format", "json", "--set", "filters=4,8"},
           {"evaluate", "model.json", "runs.csv", "--format", "json", "--baseline", "old.json",
            "--outliers", "1", "--fail-if", "mape>1e9", "--fail-if", "mape_drift>1e9"},
           {"compare", "runs.csv", "--terms", "1", "--format", "json"},
           {"sweep", "runs.csv", "--lambdas", "1e-3:1e-2", "--format", "json"},
           {"scaling", "model.json", "--column", "workers", "--format", "json"},
           {"scaling", "model.json", "--column", "workers", "--kind", "weak", "--format", "json"},
           {"ssgd", "layers.csv", "--workers", "4", "--batch", "8", "--fit-allreduce",
            "latencies.csv", "--format", "json"},
           {"plan", "space.json", "-n", "2", "--format", "json"},
           {"fit", "runs.csv", "--residual", "process", "--bootstrap", "20"},
           {"suggest", "model.json", "space.json", "--price", "workers", "--format", "json"},
           {"suggest", "model.json", "space.json", "--next", "1", "--runs", "runs.csv", "--format",
            "json"},
           {"suggest", "model.json", "space.json", "--next", "1", "--runs", "few.csv", "--goal",
            "fastest", "--format", "json"},
           {"suggest", "two.jsonl", "space.json", "--where", "mem < 1e9", "--price", "workers",
            "--format", "json"},
           {"fit", "rates.csv", "--throughput-target", "samples_per_s", "--work", "global_batch",
            "--failed", "drop"},
           {"fit", "runs.csv", "doubled.csv"},
           {"fit", "pairs.csv", "--by", "kernel,gpu", "-o", "-"},
           {"fit", "pairs.csv", "--by", "kernel,gpu", "--shard", "1/2", "-o", "-"},
           {"evaluate", "all.jsonl", "pairs.csv", "--format", "json", "--fail-if", "any.mape>1e9"},
           {"--version", "--json"}})
    documents.add(arguments);
  const std::optional<int> checked = documents.check_schemas();
  if (checked)
    CHECK(*checked == 0);
  else
    WARN("no Python with jsonschema (python3-jsonschema): the schemas were not checked");
}

TEST_CASE("docs/json.md has the fields of every document", "[cli][docs]") {
  const std::string path = PERFMODEL_SOURCE_DIR "/docs/json.md";
  const std::string begin = "<!-- fields: ";
  const std::vector<std::string> page = test::lines_of(test::read_text(path));
  std::vector<std::string> now;
  std::set<std::string> documents;
  for (std::size_t line = 0; line < page.size(); ++line) {
    now.push_back(page[line]);
    if (!page[line].starts_with(begin))
      continue;
    const std::string place =
        page[line].substr(begin.size(), page[line].find(' ', begin.size()) - begin.size());
    documents.insert(place.substr(0, place.find('.')));
    const std::vector<std::string> table = field_table(place);
    now.insert(now.end(), table.begin(), table.end());
    if (line + 2 < page.size() && page[line + 2].starts_with("|"))
      for (line += 2; line + 1 < page.size() && page[line + 1].starts_with("|");)
        ++line;
  }
  for (const auto& [name, schema] : json_schemas())
    CHECK((documents.contains(name) || name == "predictions"));
  const char* updates = std::getenv("PERFMODEL_UPDATE_DOCS");
  if (updates != nullptr && std::string(updates) == "1")
    std::ofstream(path, std::ios::binary) << test::joined(now);
  else
    CHECK(test::joined(now) == test::joined(page));  // else run with PERFMODEL_UPDATE_DOCS=1
}
