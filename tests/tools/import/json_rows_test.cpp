#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/readers.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/reading.hpp"
#include "support/program_fixture.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::Message;

std::string csv_of_json(std::string_view bytes, std::optional<InputFormat> format = {}) {
  return read_json(bytes, "runs.json", {.format = format}).csv();
}

void check_json_error(std::string_view bytes, const std::string& message) {
  INFO(bytes);
  CHECK_THROWS_MATCHES(csv_of_json(bytes), InputError, Message(message));
}

TEST_CASE(
    "a list of objects is a row per object, with columns in the order of the file, dotted "
    "names of nested objects and blanks for null",
    "[json-runs]") {
  CHECK(csv_of_json(R"([{"workers": 1, "batch": 32, "time_s": 1.5},
                        {"workers": 2, "time_s": 1e-5, "host": "a, b"}])") ==
        "workers,batch,time_s,host\n1,32,1.5,\n2,,1e-05,\"a, b\"\n");
  // Whole numbers keep all their digits.
  CHECK(csv_of_json(R"([{"bytes": 9007199254740993, "change": -3}])") ==
        "bytes,change\n9007199254740993,-3\n");
  CHECK(csv_of_json(
            R"([{"model": {"layers": 4, "attention": {"heads": 8}}, "fused": true, "t": null}])") ==
        "model.layers,model.attention.heads,fused,t\n4,8,true,\n");
  CHECK(csv_of_json(R"({"gpus": 4, "t": 1.5, "notes": {}})") == "gpus,t\n4,1.5\n");
}

TEST_CASE("scalars beside a list of objects are columns of each of them", "[json-runs]") {
  CHECK(csv_of_json(R"({"machine": {"gpu": "H100"}, "seeds": [1, 2],
                        "data": {"runs": [{"gpus": 1, "t": 4}, {"gpus": 2, "t": 2.5}]}})") ==
        "machine.gpu,gpus,t\nH100,1,4\nH100,2,2.5\n");
  CHECK(
      csv_of_json(
          R"({"name": "x", "runs": [{"name": "y", "epochs": [{"t": 1}, {"t": 2}]}, {"t": 3}]})") ==
      "name,runs.name,t\nx,y,1\nx,y,2\nx,,3\n");
  check_json_error(R"({"warm": [{"t": 1}], "cold": [{"t": 2}]})",
                   "runs.json: cold: a second list of objects beside warm: only one can be the "
                   "runs");
}

TEST_CASE("a list of numbers holds repeats, several of them go together", "[json-runs]") {
  CHECK(csv_of_json(
            R"([{"gpus": 1, "t": [1.5, 1.25]}, {"gpus": 2, "t": [1]}, {"gpus": 4, "t": []}])") ==
        "gpus,t\n1,1.5\n1,1.25\n2,1\n4,\n");
  CHECK(csv_of_json(R"({"gpus": 1, "forward": [1, 2], "backward": {"s": [3, null]}})") ==
        "gpus,forward,backward.s\n1,1,3\n1,2,\n");
  check_json_error(R"([{"gpus": 1}, {"gpus": 1, "a": [1, 2], "b": {"c": [1]}}])",
                   "runs.json: [1].b.c: 1 item, but a has 2: lists of an object have one item per "
                   "run");
}

TEST_CASE("beside results, other lists of numbers are properties of a run", "[json-runs]") {
  const NamedRows rows = read_json(
      R"([{"gpus": 1, "shape": [512, 256], "time_s": 1.5}, {"gpus": 2, "shape": [64], "time_s": 1}])",
      "runs.json", {});
  CHECK(rows.csv() == "gpus,time_s\n1,1.5\n2,1\n");
  CHECK(rows.notices() ==
        std::vector<std::string>{
            "Lists of JSON that are no repeats of a measurement are left out: shape."});
  CHECK(csv_of_json(
            R"({"gpus": 1, "kernel": [3, 3], "forward_ms": [1, 2, 3], "times": [4, 5, 6]})") ==
        "gpus,forward_ms,times\n1,1,4\n1,2,5\n1,3,6\n");
  CHECK(csv_of_json(R"({"gpus": 1, "timeout_s": 60, "samples": [1, 2]})") ==
        "gpus,timeout_s,samples\n1,60,1\n1,60,2\n");
  CHECK(csv_of_json(
            "{\"n\": 1, \"dims\": [8, 8], \"t\": 2}\n{\"n\": 2, \"dims\": [8, 8], \"t\": 3}") ==
        "n,t\n1,2\n2,3\n");
}

TEST_CASE("lists that describe the parts of a run are left out", "[json-runs]") {
  CHECK(csv_of_json(R"({"model": "m", "tags": ["a", "b", "c"], "t": [1, 2]})") ==
        "model,t\nm,1\nm,2\n");
  const NamedRows rows =
      read_json(R"({"seeds": [1], "runs": [{"n": 1, "a": ["x"]}, {"n": 2, "b": [[1]], "c": [3]}]})",
                "runs.json", {});
  CHECK(rows.csv() == "n\n1\n2\n");
  CHECK(rows.notices() ==
        std::vector<std::string>{"Lists of JSON that are no repeats of a measurement are left out: "
                                 "a, b, c and seeds."});
  CHECK(read_json(R"([{"n": 1, "t": [1, 2]}])", "runs.json", {}).notices().empty());
  // As vLLM's benchmark of serving writes them with --save-detailed: lists of an item per request.
  CHECK(csv_of_json(R"({"backend": "vllm", "request_rate": 8.0, "num_prompts": 3,
                        "request_throughput": 2.5, "mean_ttft_ms": 12.5, "input_lens": [5, 6, 7],
                        "output_lens": [2, 1, 3], "ttfts": [0.01, 0.02, 0.03],
                        "itls": [[0.1], [], [0.1, 0.2]], "generated_texts": ["a", "b", "c"],
                        "errors": ["", "", ""]})") ==
        "backend,request_rate,num_prompts,request_throughput,mean_ttft_ms\nvllm,8,3,2.5,12.5\n");
}

TEST_CASE("an object of lists holds the columns of a table", "[json-runs]") {
  CHECK(csv_of_json(R"({"model": ["a", "b"], "gpus": [1, 2], "t": [0.5, null]})") ==
        "model,gpus,t\na,1,0.5\nb,2,\n");
  // As pandas writes a data frame.
  CHECK(csv_of_json(R"({"gpus": {"0": 1, "1": 2}, "t": {"0": 0.5, "1": 0.25}})") ==
        "gpus,t\n1,0.5\n2,0.25\n");
  check_json_error(R"({"gpus": [1, 2], "t": [1, 2, 3]})",
                   "runs.json: t: 3 items, but gpus has 2: lists of an object have one item per "
                   "run");
  check_json_error(R"({"gpus": [1, 2], "t": [1, [2]]})",
                   "runs.json: t[1]: expected a number or a text: a list is a column");
}

TEST_CASE("JSON lines hold an object per line", "[json-runs]") {
  CHECK(csv_of_json("{\"gpus\": 1, \"t\": 2}\r\n\n{\"gpus\": 2, \"t\": [1, 1.5]}\n") ==
        "gpus,t\n1,2\n2,1\n2,1.5\n");
  CHECK(csv_of_json("\n{\"note\": \"}\\\"{\"}\n{\"note\": \"b\"}") == "note\n\"}\"\"{\"\nb\n");
  check_json_error("{\"t\": 2}\n{\"t\": 1,}\n",
                   "runs.json:2:9: not JSON: syntax error while parsing object key - unexpected "
                   "'}'; expected string literal");
  check_json_error("{\"t\": 2}\n3\n", "runs.json:2: expected an object, not a number");
  check_json_error(
      "{\"t\": 2}\n{\"a\": [1], \"b\": [1, 2]}",
      "runs.json:2: b: 2 items, but a has 1: lists of an object have one item per run");
  CHECK_THROWS_AS(csv_of_json("{\"t\": 2}\n{\"t\": 1}\n", InputFormat::asv), InputError);
}

TEST_CASE("numbers that are not finite are blank, as failed runs are", "[json-runs]") {
  CHECK(csv_of_json(R"([{"gpus": 1, "t": NaN}, {"gpus": 2, "t": [-Infinity, 1, Infinity, -NaN]},
                        {"gpus": 3, "t": "NaN"}])") == "gpus,t\n1,\n2,\n2,1\n2,\n2,\n3,NaN\n");
  // They take as many columns as they did.
  check_json_error("[{\"t\": NaN, \"u\": ]",
                   "runs.json:1:18: not JSON: syntax error while parsing value - unexpected ']'; "
                   "expected '[', '{', or a literal");
  check_json_error("[{\"t\": 1e999}]", "runs.json:1:12: number overflow parsing '1e999'");
}

TEST_CASE("JSON that holds no table, or not that of a named format, is refused with the place",
          "[json-runs]") {
  check_json_error("[1, 2, 3]", "runs.json: [0]: expected an object, not a number");
  check_json_error("[{\"t\": 1}, null]", "runs.json: [1]: expected an object, not null");
  check_json_error("[[1, 2]]", "runs.json: [0]: expected an object, not an array");
  check_json_error("[{\"a\": {\"b\": 1}, \"a.b\": 2}]",
                   "runs.json: [0]: the column 'a.b' stands twice");
  check_json_error("[{\"a\": 1, \"a\": 2}]", "runs.json: the field 'a' stands twice in one object");
  check_json_error("[{\"\": 1}]", "runs.json: [0]: a field has no name");
  check_json_error("{\"schema\": \"perfmodel/model\"}",
                   "runs.json is JSON, as models are, and no CSV of runs");
  check_json_error("{\"schema\": \"perfmodel/model_set\"}\n{\"t\": 1}\n",
                   "runs.json is JSON, as models are, and no CSV of runs");
  for (const char* bytes : {"[]", "{}", "[{}, {\"t\": []}]"})
    CHECK(read_json(bytes, "runs.json", {}).empty());
  using enum InputFormat;
  const std::string runs = R"([{"t": 1}])";
  CHECK(csv_of_json(runs, json) == "t\n1\n");
  for (const InputFormat format : {google_benchmark, hyperfine, asv, extrap})
    CHECK_THROWS_MATCHES(
        csv_of_json(runs, format), InputError,
        Message("runs.json is JSON, but not that of " + std::string(to_text(format))));
}

TEST_CASE("brackets may be nested a hundred times", "[json-runs]") {
  const auto nested = [](std::size_t levels) {
    std::string text;
    for (std::size_t i = 0; i < levels; ++i)
      text += "\n{\"a\":";
    return text + "1" + std::string(levels, '}');
  };
  CHECK(csv_of_json(nested(100)).ends_with(".a.a\n1\n"));
  check_json_error(nested(101), "runs.json:102: more than 100 levels of brackets");
  check_json_error("[" + nested(1'000'000), "runs.json:101: more than 100 levels of brackets");
  CHECK(csv_of_json("{\"a\": \"" + std::string(200, '[') + "\"}") ==
        "a\n" + std::string(200, '[') + "\n");
}

TEST_CASE_METHOD(test::ProgramTest,
                 "objects with a key of their own each are refused before they fill the memory",
                 "[json-runs][program]") {
  std::string lines;
  for (int i = 0; i < 20'000; ++i)
    lines += "{\"k" + std::to_string(i) + "\":1}\n";
  CHECK_THAT(run({"import", write("runs.json", lines)}).failed(3),
             Catch::Matchers::ContainsSubstring("runs.json: the runs have more than 1000 columns"));
  CHECK_THROWS_AS(csv_of_json(lines), std::length_error);
}

}  // namespace
}  // namespace perfmodel
