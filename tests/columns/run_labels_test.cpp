#include "roles/left_out.hpp"

#include <string>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::table_of;
using Texts = std::vector<std::string>;

constexpr int kLabelledRuns = 24;

/// Whether a column of these cells beside two settings stays an input, and what is said of it.
struct Labelled {
  bool is_input = false;
  std::vector<std::string> notices;
};

template <class Cell>
Labelled labelled(const std::string& name, Cell cell, const RoleRequest& request = {},
                  int rows = kLabelledRuns) {
  std::string csv = "filters,gpus," + name + ",time_s\n";
  for (int row = 0; row < rows; ++row)
    csv += std::to_string(3 + row % 3 * 4) + "," + std::to_string(1 + row / 3 % 2) + "," +
           cell(row) + "," + to_text(1 + 0.1 * (row * row % 7)) + "\n";
  const Roles roles = resolve_roles(table_of(csv), request);
  Texts inputs = roles.intrinsic;
  inputs.insert(inputs.end(), roles.categorical.begin(), roles.categorical.end());
  inputs.insert(inputs.end(), roles.extrinsic.begin(), roles.extrinsic.end());
  return {std::find(inputs.begin(), inputs.end(), name) != inputs.end(), roles.notices};
}

std::string number_of_visit(int row) {
  return std::to_string(1 + row / 6);
}

TEST_CASE("a number of the repetition is no input", "[roles][run-labels]") {
  const std::string name =
      GENERATE("rep", "repetition", "Repeat", "replicate", "run", "run_id", "runId", "run number",
               "trial", "iteration", "visit", "seed", "random_seed", "attempt");
  const Labelled found = labelled(name, number_of_visit);
  CHECK_FALSE(found.is_input);
  CHECK_THAT(found.notices,
             Contains(std::vector<std::string>{
                 "Column '" + name +
                 "' numbers repetitions and is left out: rows that differ in it alone are runs of "
                 "one configuration; pass --categorical " +
                 shell_word(name) + " to keep it."}));
}

TEST_CASE("counts that people set, with names near to those of repetitions, stay",
          "[roles][run-labels]") {
  const std::string name = GENERATE("iterations", "repetitions", "num_runs", "n_trials", "replicas",
                                    "epochs", "steps", "seed_size", "run_length", "sample", "grid",
                                    "width", "valid", "update", "candidate");
  INFO(name);
  const auto chosen = [](int row) { return std::to_string(50 << row / 6 % 4); };
  CHECK(labelled(name, chosen).is_input);
}

TEST_CASE(
    "counts that people set, other numbers and names stay, texts that differ in digits alone "
    "number repetitions",
    "[roles][run-labels]") {
  using Cell = std::string (*)(int);
  const auto [name, cell, is_input] = GENERATE(table<std::string, Cell, bool>({
      {"variant", [](int row) { return std::string(row / 6 % 2 == 0 ? "baseline" : "tuned"); },
       true},
      {"run", [](int row) { return "r" + number_of_visit(row); }, false},
  }));
  CHECK(labelled(name, cell).is_input == is_input);
}

TEST_CASE("dates, paths and texts of single runs are no levels", "[roles][run-labels]") {
  using Cell = std::string (*)(int);
  const auto [cell, rows] = GENERATE(table<Cell, int>({
      {[](int row) { return "2024-05-0" + std::to_string(1 + row / 6); }, 24},
      {[](int row) { return "2024-05-0" + std::to_string(1 + row) + "T10:11:12.5Z"; }, 6},
      {[](int row) { return "2024/05/0" + std::to_string(1 + row) + " 10:11"; }, 6},
      {[](int row) { return "10:11:0" + std::to_string(row); }, 6},
      {[](int row) { return "0" + std::to_string(1 + row / 6) + ".03.2024"; }, 24},
      {[](int row) { return "0" + std::to_string(1 + row / 6) + "/03/2024 10:11"; }, 24},
      {[](int row) { return "0" + std::to_string(1 + row / 6) + "-Mar-2024"; }, 24},
      {[](int row) { return "/data/logs/" + std::to_string(row); }, 6},
      {[](int row) { return "logs/run" + std::to_string(row) + ".json"; }, 6},
      {[](int row) { return "s3://bucket/" + std::to_string(row); }, 6},
      {[](int row) { return "host-" + std::to_string(row * 7919); }, 24},
  }));
  INFO(cell(0));
  const Labelled found = labelled("x", cell, {}, rows);
  CHECK_FALSE(found.is_input);
  CHECK_THAT(found.notices, Contains(std::vector<std::string>{
                                "Column 'x' names runs rather than configurations and is left "
                                "out; pass --categorical x to keep it."}));
}

TEST_CASE("names of models, datasets and versions are levels", "[roles][run-labels]") {
  using Cell = std::string (*)(int);
  const auto [cell, rows] = GENERATE(table<Cell, int>({
      {[](int row) { return "org/model-" + std::to_string(row) + "b-v0.1"; }, 6},
      {[](int row) { return std::string(1, static_cast<char>('a' + row)); }, 6},
      {[](int row) { return "2.1." + std::to_string(row % 3); }, 24},
      {[](int row) { return "10:" + std::to_string(row % 3); }, 24},
      {[](int row) { return "node" + std::to_string(row % 12); }, 24},
  }));
  INFO(cell(0));
  CHECK(labelled("x", cell, {}, rows).is_input);
}

TEST_CASE("numbers that cannot be read are refused, not left out", "[roles][run-labels]") {
  const auto error_of = [](const std::string& name, auto cell) {
    return test::message_of<InputError>([&] { labelled(name, cell); });
  };
  const auto comma = [](int row) { return "\"" + std::to_string(row) + ",5\""; };
  const auto unit = [](int row) { return std::to_string(row) + " GPUs"; };
  CHECK_THAT(error_of("size", comma),
             StartsWith("runs.csv: nearly every row has a 'size' of its own"));
  CHECK(error_of("host", unit) == "(none)");
}

TEST_CASE("numbers that are ids or time stamps are no inputs", "[roles][run-labels]") {
  const std::string name =
      GENERATE("id", "job_id", "configurationID", "config_id", "timestamp", "date", "sample_idx");
  INFO(name);
  const auto id = [](int row) { return std::to_string(1000 + row * row); };
  CHECK_FALSE(labelled(name, id).is_input);
  RoleRequest request;
  request.categorical = {name};
  CHECK(labelled(name, id, request).is_input);
  request.categorical = {};
  request.intrinsic = Texts{"filters", name};
  CHECK(labelled(name, id, request).is_input);
}

}  // namespace
}  // namespace perfmodel
