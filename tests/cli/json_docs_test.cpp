// docs/json.md names every field of every document that the program writes, and the schemas of
// docs/schemas allow what is written and little else.

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/program.hpp"
#include "support/sample_runs.hpp"
#include "support/shell.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;

namespace {

/// Names of columns, levels and constants are keys, too.
bool is_name_of_the_data(const std::string& key) {
  static const std::set<std::string> names = {"filters", "activation", "workers", "relu",
                                              "tanh",    "work",       "gpus",    "local_batch",
                                              "kernel",  "gpu"};
  return names.contains(key) || key.find('[') != std::string::npos;
}

void collect_fields(const nlohmann::json& node, std::set<std::string>& fields) {
  for (const auto& [key, value] : node.items()) {
    if (node.is_object() && !is_name_of_the_data(key))
      fields.insert(key);
    if (value.is_structured())
      collect_fields(value, fields);
  }
}

class Documents {
 public:
  Documents() {
    folder_.write("runs.csv", test::sample_runs());
    folder_.write("pairs.csv", pairs("kernel,gpu,gpus,time_s\n", ""));
    folder_.write("long.csv", pairs("kernel,gpu,gpus,metric,value\n", "time_s,"));
    folder_.write("space.json", R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
      {"column": "filters", "values": [4, 8]}, {"column": "activation", "values": ["relu", "tanh"]},
      {"column": "workers", "values": [1, 2]}]})");
    folder_.write("layers.csv", "layer,t_f_us,t_b_us,grad_bytes\n1,4,3,1000\n2,3,5,2000\n");
    folder_.write("latencies.csv", "bytes,latency_us\n1000,10\n2000,15\n4000,25\n");
    const std::string runs = test::sample_runs();
    folder_.write("doubled.csv", runs + runs.substr(runs.find('\n') + 1));
    folder_.write("rates.csv",
                  "gpus,local_batch,global_batch,stride,samples_per_s\n"
                  "1,8,8,2,80\n2,8,16,2,120\n4,8,32,2,150\n1,16,16,2,100\n2,16,32,2,OOM\n"
                  "4,16,64,2,210\n1,4,4,2,50\n2,4,8,2,70\n");
  }

  /// Runs of two kernels and of the step that they make up, on two GPUs.
  static std::string pairs(const std::string& header, const std::string& metric) {
    std::string out = header;
    for (const char* gpu : {"a100", "h100"})
      for (const auto& [kernel, seconds] : {std::pair{"gemm", 3}, {"copy", 1}, {"step", 4}})
        for (const int n : {1, 2, 4, 8, 16})
          out += std::string(kernel) + "," + gpu + "," + std::to_string(n) + "," + metric +
                 std::to_string(seconds * n) + "\n";
    return out;
  }

  /// The fields of what a command writes to standard output.
  std::set<std::string> fields_of(const std::vector<std::string>& arguments) const {
    const test::ProgramResult result = test::run_perfmodel(
        arguments,
        {.input = "", .environment = {}, .directory = folder_.path(), .output_descriptor = {}});
    INFO(arguments.front() << ": " << result.errors);
    REQUIRE(result.exit_code == 0);
    std::set<std::string> fields;
    const bool is_lines = result.output[1] != '\n';  // a document each
    for (const std::string& text :
         is_lines ? test::lines_of(result.output) : std::vector<std::string>{result.output})
      collect_fields(nlohmann::json::parse(text), fields);
    CHECK(fields.size() > 2);
    folder_.write("document" + std::to_string(++written_) + (is_lines ? ".jsonl" : ".json"),
                  result.output);
    return fields;
  }

  /// What tests/cli/check_schemas.py says of all documents; nothing where there is no
  /// validator.
  std::optional<int> check_schemas() const {
    for (const std::string python : {"python3", "/usr/bin/python3"}) {
      if (!test::succeeds(python + " -c 'import jsonschema'"))
        continue;
      const std::string source = PERFMODEL_SOURCE_DIR;
      return std::system((python + " " + source + "/tests/cli/check_schemas.py " + source +
                          "/docs/schemas " + folder_.path().string() + "/document*.json* " +
                          folder_.path().string() + "/space.json " + source +
                          "/data/paper/table*.json")
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

TEST_CASE("docs/json.md names every field, and documents keep to their schemas", "[cli][docs]") {
  const std::string page = test::read_text(PERFMODEL_SOURCE_DIR "/docs/json.md");
  const Documents documents;
  documents.save({"fit", "runs.csv"}, "old.json");
  documents.save({"fit", "runs.csv", "--coverage", "0.5"}, "model.json");
  documents.save({"fit", "pairs.csv", "--by", "kernel,gpu", "--total", "step"}, "all.jsonl");
  std::set<std::string> fields;
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
           {"fit", "rates.csv", "--throughput-target", "samples_per_s", "--work", "global_batch",
            "--failed", "drop"},
           {"fit", "runs.csv", "doubled.csv"},
           {"fit", "pairs.csv", "--by", "kernel,gpu", "--total", "step", "-o", "-"},
           {"fit", "pairs.csv", "--by", "kernel,gpu", "--shard", "1/2", "-o", "-"},
           {"fit", "long.csv", "--by", "kernel", "--target-name", "metric", "--target", "value",
            "-o", "-"},
           {"evaluate", "all.jsonl", "pairs.csv", "--format", "json", "--fail-if", "total.share<1"},
           {"fit", "runs.csv", "--bootstrap", "20", "--shard", "2/2", "-o", "-"},
           {"selftest", "--format", "json"}})
    fields.merge(documents.fields_of(arguments));
  for (const std::string& field : fields) {
    INFO(field);
    const bool predicted = field.starts_with("predicted_") && field != "predicted_time";
    CHECK(page.find(predicted ? "`predicted_<target>`" : "`" + field + "`") != std::string::npos);
  }
  const std::optional<int> checked = documents.check_schemas();
  if (checked)
    CHECK(*checked == 0);
  else
    WARN("no Python with jsonschema (python3-jsonschema): the schemas were not checked");
}
