#include <array>
#include <cmath>
#include <string>

#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "support/markdown.hpp"
#include "support/paper_runs.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel;

namespace {

struct Reference {
  const char* model;
  std::array<double, 3> times;  ///< with 1, 2 and 3 GPUs
};

// Computed from the printed tables with another program.
constexpr std::array kReferences = {
    Reference{"table3_mxnet", {6.79585240049, 5.26018244509, 4.74533939606}},
    Reference{"table3_pytorch", {51.7925506708, 31.8455641716, 25.306660534}},
    Reference{"table3_tensorflow", {8.36557613458, 5.78323268656, 4.78441887172}},
    Reference{"table4_mxnet", {6.2751267838, 4.79566156177, 4.32200344354}},
    Reference{"table4_pytorch", {41.7099638151, 21.2294833897, 14.4418315667}},
    Reference{"table4_tensorflow", {15.8581862101, 14.5588295141, 14.0562567756}},
    // C of PyTorch and TensorFlow exchanged: 1.03 and 12.62
    Reference{"table4_pytorch_corrected",
              {41.7099638151 + 11.59, 21.2294833897 + 11.59, 14.4418315667 + 11.59}},
    Reference{"table4_tensorflow_corrected",
              {15.8581862101 - 11.59, 14.5588295141 - 11.59, 14.0562567756 - 11.59}}};

std::string path_of(const std::string& model) {
  return std::string(PERFMODEL_SOURCE_DIR) + "/data/paper/" + model + ".json";
}

/// Random configurations of Table 2 as CSV, without times.
std::string random_configurations(std::size_t rows, std::uint64_t seed) {
  const Table table = test::paper_runs(test::Framework::mxnet, rows, 0, seed).table;
  std::string text;
  for (std::size_t c = 0; c + 1 < table.columns.size(); ++c)
    text += (c == 0 ? "" : ",") + table.columns[c].name;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c + 1 < table.columns.size(); ++c)
      text += (c == 0 ? "\n" : ",") + table.columns[c].text(row);
  return text + "\n";
}

const std::string configuration_header =
    "filters,kernel_size,pool_size,learning_rate,stride,dropout,padding,activation,dataset,"
    "optimizer,batch_size,gpus";
const std::string configuration = "16,3,2,0.01,1,0.5,same,relu,mnist,sgd,32,";

}  // namespace

TEST_CASE_METHOD(test::ProgramTest,
                 "predictions of the paper's models are those of its printed tables") {
  std::string configurations = configuration_header + "\n";
  for (const char* gpus : {"1", "2", "3"})
    configurations += configuration + gpus + "\n";
  const auto configs = write("configs.csv", configurations);
  for (const Reference& reference : kReferences) {
    INFO(reference.model);
    // simulate without noise writes the predictions as its last column.
    const auto lines =
        test::lines_of(run({"simulate", path_of(reference.model), configs}).succeeded().output);
    CHECK(lines[0] == configuration_header + ",time");
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(std::stod(lines[i + 1].substr(lines[i + 1].rfind(',') + 1)) ==
            Catch::Approx(reference.times[i]).epsilon(1e-10));
  }
}

TEST_CASE("the paper's models state its contradictions, and the means of their spreads") {
  const auto has_warning = [](const std::string& name, const std::string& kind) {
    const FittedModel model = read_model(path_of(name));
    return std::any_of(model.warnings.begin(), model.warnings.end(),
                       [&](const Warning& warning) { return warning.kind == kind; });
  };
  for (const Reference& reference : kReferences) {
    CHECK(has_warning(reference.model, "unit_not_stated"));
    const FittedModel model = read_model(path_of(reference.model));
    REQUIRE(model.known.repeats);
    CHECK(model.known.repeats->fits == 10);
    REQUIRE(model.known.repeats->constants.size() ==
            static_cast<std::size_t>(model.constants.size()));
    for (std::size_t k = 0; k < model.known.repeats->constants.size(); ++k) {
      INFO(reference.model << " " << model.known.repeats->constants[k].name);
      CHECK(model.known.repeats->constants[k].mean ==
            model.constants[static_cast<Eigen::Index>(k)]);
    }
  }
  for (const char* kind : {"contradiction", "at_bound", "outside_bounds"})
    CHECK(has_warning("table4_pytorch", kind));
  CHECK(has_warning("table4_tensorflow", "contradiction"));
  CHECK(has_warning("table4_tensorflow_corrected", "corrected"));
  CHECK_FALSE(has_warning("table4_mxnet", "contradiction"));
}

TEST_CASE_METHOD(test::ProgramTest,
                 "scaling powers of simulated frameworks come back within 0.02 from 5 % of noise",
                 "[whole-fits]") {
  const auto configs = write("configs.csv", random_configurations(1500, 5));
  for (const std::string framework : {"mxnet", "pytorch", "tensorflow"}) {
    const auto runs = file(framework + ".csv");
    const auto model = path_of("table3_" + framework);
    run({"simulate", model, configs, "--noise", "5%", "--seed", "1", "-o", runs}).succeeded();
    const nlohmann::json found =
        run({"fit", runs, "--split", "60:20:20", "--quiet"}).json()["scaling_powers"];
    const FittedModel paper = read_model(model);
    const std::vector<double> planted = scaling_powers(paper);
    for (std::size_t j = 0; j < planted.size(); ++j) {
      const std::string& column = paper.spec.extrinsic[j].column;
      INFO(framework << " " << column);
      CHECK(std::abs(found[column].get<double>() - planted[j]) < 0.02);
    }
  }
}
