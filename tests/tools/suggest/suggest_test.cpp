#include <string>
#include <utility>
#include <vector>

#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "report/documents.hpp"
#include "suggest/plan.hpp"
#include "suggest/suggest_documents.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Approx;

namespace {

/// sample_model(), as if it had been measured on the whole space below.
std::string model_of_space() {
  auto model = nlohmann::json::parse(sample_model());
  model["constants"]["intrinsic"][0]["range"] = {4, 32};
  return model.dump();
}

/// The inputs of sample_model().
const std::string space = space_of(R"(
        {"column": "filters", "values": [4, 8, 16, 32]},
        {"column": "activation", "values": ["tanh", "relu"]},
        {"column": "workers", "values": [1, 2, 4]})",
                                   R"(, "extrinsic": ["workers"])");

class Files : public ProgramTest {
 public:
  Files() {
    write("model.json", model_of_space());
    write("space.json", space);
  }
  nlohmann::json suggested(const Words& arguments) const {
    return run({"suggest", file("model.json"), file("space.json"), "--format", "json"}, arguments)
        .json();
  }
};

}  // namespace

TEST_CASE_METHOD(Files, "the library chooses the next runs as the program does", "[cli][suggest]") {
  using namespace perfmodel;
  const std::string runs = write("runs.csv",
                                 "filters,activation,workers,time_s\n4,relu,1,2.5\n"
                                 "8,relu,2,1.5\n32,tanh,4,OOM\n16,elu,1,3\n");
  const FittedModel model = read_model(file("model.json"));
  const plan::Space of_file = read_space(file("space.json"));
  std::vector<std::string> told;
  const plan::KnownRuns known =
      plan::known_runs(model, of_file, read_further_runs({runs}, {}, {}, model.provenance.reading),
                       [&](const std::string& sentence) { told.push_back(sentence); });
  CHECK(told.size() == 2);
  CHECK(known.tried.size() == 3);
  CHECK(known.measured.size() == 2);
  for (const auto& [goal, word] :
       {std::pair(plan::Goal::accuracy, "accuracy"), {plan::Goal::fastest, "fastest"}}) {
    const plan::NextPlan found =
        plan::next_to_measure(model, of_file, known, {.count = 4, .goal = goal});
    const auto json = suggested({"--next", "4", "--goal", word, "--runs", runs});
    REQUIRE(found.runs.size() == 4);
    CHECK(found.deviation == Approx(json["mean_deviation"].get<double>()));
    CHECK(found.deviation_after < found.deviation);
    CHECK(found.best.has_value() == (goal == plan::Goal::fastest));
    for (std::size_t k = 0; k < 4; ++k) {
      const auto& of_program = json["next"][k];
      CHECK(of_file.cells(found.runs[k].suggestion.configuration)[0] ==
            std::to_string(of_program["configuration"]["filters"].get<int>()));
      CHECK(found.runs[k].run.deviation_gain == Approx(of_program["deviation_gain"].get<double>()));
    }
  }
}
