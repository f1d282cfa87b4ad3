// The documents that the program writes keep to their schemas, and `help json` lists their fields.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/documents.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"
#include "support/shell.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;

namespace {

/// What `help json` says of each field of a document, by the path of the field.
struct ListedFields {
  std::map<std::string, std::string> first;  ///< of the document, or of its first line
  std::map<std::string, std::string> further;
};

ListedFields listed_fields(const std::string& document) {
  const std::vector<std::string> lines =
      test::lines_of(test::run_perfmodel({"help", "json", document}).succeeded().output);
  CHECK(lines.front().starts_with("perfmodel/" + document + ": "));
  ListedFields out;
  auto* fields = &out.first;
  std::string path;
  for (const std::string& line : lines) {
    CHECK(line.size() <= 100);
    const std::size_t begin = line.find_first_not_of(' ');
    if (line == "Each further line:")
      fields = &out.further;
    if (begin == 2) {
      const std::size_t end = line.find(' ', begin);
      path = line.substr(begin, end - begin);
      (*fields)[path] =
          end == std::string::npos ? "" : line.substr(line.find_first_not_of(' ', end));
    } else if (begin != 0 && begin != std::string::npos) {
      std::string& words = (*fields)[path];
      words += (words.empty() ? "" : " ") + line.substr(begin);
    }
  }
  return out;
}

/// Where the fields of an object are listed.
struct Place {
  std::string prefix;  ///< of their paths
  std::size_t names;   ///< levels of names from the data before them
};

/// Adds the places of what is within a field, which may refer to another one with the same fields.
void add_places_within(const std::map<std::string, std::string>& fields, const std::string& path,
                       std::vector<Place>& places) {
  static const std::string reference = "fields as of ";
  static const std::regex between(R"(((\[\]|\.\*|\([a-z-]+\))*)\.[^.]+)");
  const std::string& words = fields.at(path);
  const std::size_t at = words.find(reference);
  const std::string from = at == std::string::npos ? path : words.substr(at + reference.size());
  std::set<std::string> kinds;
  for (const auto& [name, _] : fields) {
    const std::string rest = name.starts_with(from) ? name.substr(from.size()) : "";
    std::smatch parts;
    if (std::regex_match(rest, parts, between))
      kinds.insert(parts[1]);
  }
  for (const std::string& kind : kinds)
    places.push_back(
        {from + kind + ".", static_cast<std::size_t>(std::count(kind.begin(), kind.end(), '*'))});
}

/// Whether a path is listed for the field, whose name may end as the data say.
bool is_path_of(const std::string& path, const std::string& field) {
  const std::size_t open = path.find('<');
  return path == field || (open != std::string::npos && field.starts_with(path.substr(0, open)));
}

void check_listed(const nlohmann::json& value, const std::map<std::string, std::string>& fields,
                  const std::vector<Place>& places);

/// Complains about fields of the document that `help json` does not list.
void check_listed(const nlohmann::json& document) {
  static const std::string tool = "perfmodel/";
  const std::string kind = document["schema"].get<std::string>().substr(tool.size());
  INFO(kind);
  check_listed(document, listed_fields(kind).first, {{"", 0}});
}

void check_listed(const nlohmann::json& value, const std::map<std::string, std::string>& fields,
                  const std::vector<Place>& places) {
  if (value.is_array())
    for (const nlohmann::json& item : value)
      check_listed(item, fields, places);
  if (!value.is_object() || places.empty())
    return;
  if (places.front().names > 0) {
    for (const nlohmann::json& item : value)
      check_listed(item, fields, {{places.front().prefix, places.front().names - 1}});
    return;
  }
  for (const auto& [name, item] : value.items()) {
    if (name.starts_with("schema"))
      continue;
    INFO(places.front().prefix << name);
    bool is_listed = false;
    std::vector<Place> within;  // one for each form of formula that has the field
    for (const Place& place : places) {
      for (const auto& [path, _] : fields) {
        if (!is_path_of(path, place.prefix + name))
          continue;
        is_listed = true;
        add_places_within(fields, path, within);
      }
    }
    CHECK(is_listed);
    if (item.is_object() && item.contains("schema"))
      check_listed(item);
    else
      check_listed(item, fields, within);
  }
}

class Documents : public test::ProgramTest {
 public:
  Documents() {
    write("runs.csv", test::sample_runs());
    // Runs of two kernels and of the step that they make up, on two GPUs.
    write("pairs.csv",
          test::csv_grid("gpu,kernel,gpus,time_s", {"a100", "h100"}, {"gemm", "copy", "step"},
                         {1, 2, 4, 8, 16}, [](const char*, const std::string& kernel, int gpus) {
                           return gpus * (kernel == "gemm" ? 3 : kernel == "copy" ? 1 : 4);
                         }));
    write("space.json", R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
      {"column": "filters", "values": [4, 8]}, {"column": "activation", "values": ["relu", "tanh"]},
      {"column": "workers", "values": [1, 2]}]})");
    write("layers.csv", "layer,t_f_us,t_b_us,grad_bytes\n1,4,3,1000\n2,3,5,2000\n");
    write("latencies.csv", "bytes,latency_us\n1000,10\n2000,15\n4000,25\n");
    const std::string runs = test::sample_runs();
    write("doubled.csv", runs + runs.substr(runs.find('\n') + 1));
    std::string two;  // a second target of the same values
    for (const std::string& line : test::lines_of(runs))
      two += line + (two.empty() ? ",mem" : line.substr(line.rfind(','))) + "\n";
    write("two.csv", two);
    write("few.csv", "filters,activation,workers,time_s\n4,relu,1,0.4\n8,relu,2,0.3\n");
    write("rates.csv",
          "gpus,local_batch,global_batch,stride,samples_per_s\n"
          "1,8,8,2,80\n2,8,16,2,120\n4,8,32,2,150\n1,16,16,2,100\n2,16,32,2,OOM\n"
          "4,16,64,2,210\n1,4,4,2,50\n2,4,8,2,70\n");
  }

  /// Keeps what a command writes to standard output, and looks up its fields in the help.
  void add(const test::Words& arguments) {
    CAPTURE(arguments);
    const test::ProgramResult result = run(arguments).succeeded();
    const bool is_lines = result.output[1] != '\n';  // a document each
    write("document" + std::to_string(++written_) + (is_lines ? ".jsonl" : ".json"), result.output);
    if (!is_lines)
      return check_listed(nlohmann::json::parse(result.output));
    const std::vector<std::string> lines = test::lines_of(result.output);
    check_listed(nlohmann::json::parse(lines.front()));
    const auto further = listed_fields("models").further;
    for (std::size_t line = 1; line < lines.size(); ++line)
      check_listed(nlohmann::json::parse(lines[line]), further, {{"", 0}});
  }

 private:
  std::size_t written_ = 0;
};

}  // namespace

TEST_CASE_METHOD(Documents, "documents keep to their schemas", "[cli][docs]") {
  run({"fit", "runs.csv", "-o", "old.json"}).succeeded();
  run({"fit", "runs.csv", "--coverage", "0.5", "-o", "model.json"}).succeeded();
  run({"fit", "pairs.csv", "--by", "kernel,gpu", "-o", "all.jsonl"}).succeeded();
  run({"fit", "two.csv", "--target", "time_s,mem", "-o", "two.jsonl"}).succeeded();
  for (const test::Words& arguments : std::vector<test::Words>{
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
           {"diff", "runs.csv", "doubled.csv", "--format", "json", "--fail-if", "geomean>1e9"},
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
            "--maximise", "1 / time", "--format", "json"},
           {"fit", "rates.csv", "--throughput-target", "samples_per_s", "--work", "global_batch",
            "--failed", "drop"},
           {"fit", "runs.csv", "doubled.csv"},
           {"fit", "pairs.csv", "--by", "kernel,gpu", "-o", "-"},
           {"fit", "pairs.csv", "--by", "kernel,gpu", "--shard", "1/2", "-o", "-"},
           {"evaluate", "all.jsonl", "pairs.csv", "--format", "json", "--fail-if", "any.mape>1e9"},
           {"--version", "--json"}})
    add(arguments);
  const auto has_validator = [](const std::string& python) {
    return test::succeeds(python + " -c 'import jsonschema'");
  };
  const std::string python = has_validator("python3") ? "python3 " : test::kPython;
  if (!has_validator(python)) {
    WARN("no Python with jsonschema (python3-jsonschema): the schemas were not checked");
    return;
  }
  std::filesystem::create_directory(file("schemas"));
  for (const auto& [name, schema] : json_schemas())
    write("schemas/" + name + ".json", document_text(schema));
  const std::string source = PERFMODEL_SOURCE_DIR;
  const std::string folder = directory().path().string();
  CHECK(std::system((python + source + "/tests/cli/check_schemas.py " + folder + "/schemas " +
                     folder + "/document*.json* " + folder + "/space.json " + source +
                     "/data/paper/table*.json")
                        .c_str()) == 0);
}

TEST_CASE("help json lists every document, and every field has a meaning", "[cli][docs]") {
  const std::string all = test::run_perfmodel({"help", "json"}).output;
  for (const auto& [name, schema] : json_schemas()) {
    CHECK(all.find("\n  " + name + " ") != std::string::npos);
    const ListedFields listed = listed_fields(name);
    CHECK(listed.first.size() > 0);
    for (const auto* fields : {&listed.first, &listed.further}) {
      for (const auto& [path, words] : *fields) {
        INFO(name << ": " << path << ": " << words);
        CHECK(words.find(": ") != std::string::npos);
        CHECK(words.find('`') == std::string::npos);
        CHECK(words.find("](") == std::string::npos);
        std::vector<Place> places;
        add_places_within(*fields, path, places);
        CHECK((!places.empty() || words.find("fields as of ") == std::string::npos));
      }
    }
  }
  CHECK_THAT(test::run_perfmodel({"help", "json", "modle"}).failed(2),
             ContainsSubstring("unknown document 'modle'; did you mean 'model'?"));
  CHECK(test::run_perfmodel({"help", "fit", "model"}).exit_code == 2);
}
