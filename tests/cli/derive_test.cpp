#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/csv_text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;

namespace {

/// One power of a derived column.
double derived_time(double filters, double kernel, double workers) {
  return 0.001 * (filters * kernel * kernel + 20) / workers;
}

class DeriveTest : public ProgramTest {
 public:
  DeriveTest() {
    write("runs.csv", csv_grid("filters,kernel,workers,time_s", {2., 4., 8., 16.}, {1., 2., 3., 5.},
                               {1., 2., 4.}, derived_time));
  }
};

}  // namespace

TEST_CASE_METHOD(DeriveTest, "a model fitted to a derived column is used like any other",
                 "[cli][derive]") {
  run({"fit", "runs.csv", "--derive", "work = filters * kernel^2", "--derive", "size = work + 20",
       "--ignore", "filters,kernel,work", "-o", "model.json", "--starts", "1"})
      .succeeded();
  nlohmann::json model = this->model();
  CHECK(model["derived"] == nlohmann::json{{{"column", "work"}, {"formula", "filters * kernel^2"}},
                                           {{"column", "size"}, {"formula", "work + 20"}}});
  CHECK(model["constants"]["intrinsic"][0]["column"] == "size");
  CHECK(model["constants"]["intrinsic"][0]["p"].get<double>() == Approx(1).epsilon(1e-4));

  const auto predicted =
      run({"predict", "model.json", "--set", "filters=8", "kernel=4", "workers=2"}).succeeded();
  CHECK(std::stod(predicted.output) == Approx(derived_time(8, 4, 2)).epsilon(1e-4));

  write("new.csv", "workers,kernel,filters\n2,4,8\n");
  CHECK_THAT(
      run({"predict", "model.json", "new.csv"}).output,
      ContainsSubstring("workers,kernel,filters,predicted_time_s,lower,upper,in_range\n2,4,8,0.0"));
  CHECK(run({"evaluate", "model.json", "runs.csv", "--fail-if", "mape>0.1"}).exit_code == 0);
  CHECK(run({"simulate", "model.json", "new.csv"}).exit_code == 0);
  CHECK_THAT(run({"show", "model.json"}).output,
             ContainsSubstring("with work = filters * kernel^2\nwith size = work + 20\n"));
  CHECK_THAT(run({"show", "model.json", "--as", "python"}).output,
             ContainsSubstring(
                 "def predict(workers, filters, kernel):\n"
                 "    workers, filters, kernel = map(np.float64, (workers, filters, kernel))\n"
                 "    work = filters * np.float_power(kernel, 2.0)\n"
                 "    size = work + 20.0\n"));
  write("space.json", R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
      {"column": "filters", "values": [4, 8]}, {"column": "kernel", "values": [1, 3]},
      {"column": "workers", "values": [1, 2]}], "extrinsic": ["workers"]})");
  const auto suggested =
      run({"suggest", "model.json", "space.json", "--top", "1", "--format", "csv"});
  INFO(suggested.errors);
  CHECK_THAT(suggested.output, ContainsSubstring("\n4,1,2,0.0"));
  run({"scaling", "model.json", "--set", "filters=8", "kernel=4"}).succeeded();

  // The inputs of a derived column are asked for by name.
  CHECK_THAT(run({"predict", "model.json", "--set", "size=2"}).failed(2),
             ContainsSubstring("the model has no input 'size'"));
  write("few.csv", "workers,kernel\n2,4\n");
  CHECK_THAT(run({"predict", "model.json", "few.csv"}).failed(3),
             ContainsSubstring("no column 'filters' in few.csv"));
  model.erase("central_run");
  write("older.json", model.dump());
  CHECK_THAT(run({"predict", "older.json", "--set", "workers=2", "kernel=4"}).failed(2),
             ContainsSubstring("the model also needs 'filters'; add --set filters=VALUE"));

  std::string text = read("model.json");
  text.replace(text.find("work + 20"), 9, "work + + ");
  write("broken.json", text);
  CHECK_THAT(run({"predict", "broken.json", "--set", "filters=2"}).failed(3),
             ContainsSubstring("broken.json: derived[1]: 'work + + '"));
}

TEST_CASE_METHOD(DeriveTest, "the other commands that fit derive columns too", "[cli][derive]") {
  const std::vector<std::string> derive = {"--derive", "size = filters*kernel^2 + 20",
                                           "--ignore", "filters,kernel",
                                           "--starts", "1",
                                           "--split",  "60:20:20"};
  CHECK_THAT(run({"sweep", "runs.csv", "--lambdas", "1e-6:1e-5", "--format", "csv"}, derive)
                 .succeeded()
                 .output,
             ContainsSubstring("a[size]"));
  run({"compare", "runs.csv", "--terms", "1"}, derive).succeeded();
}

TEST_CASE_METHOD(DeriveTest, "steps of a kernel's tiles are predicted and shown",
                 "[cli][derive][show]") {
  write("tiles.csv",
        csv_grid("m,workers,time_s", {3., 5., 9., 17., 30.}, {1., 2., 4.},
                 [](double m, double workers) { return 0.002 * std::ceil(m / 4) / workers; }));
  run({"fit", "tiles.csv", "--derive", "tiles = ceil(m / 4)", "--ignore", "m", "--starts", "1",
       "-o", "model.json"})
      .succeeded();
  const auto predicted = run({"predict", "model.json", "--set", "m=6", "workers=2"});
  CHECK(std::stod(predicted.output) == Approx(0.002).epsilon(1e-6));
  CHECK(run({"predict", "model.json", "--set", "m=8", "workers=2"}).output == predicted.output);

  CHECK_THAT(run({"show", "model.json", "--as", "text"}).output,
             ContainsSubstring("\nwith tiles = ceil(m / 4)\n"));
  CHECK_THAT(run({"show", "model.json", "--as", "latex"}).output,
             ContainsSubstring("\n% with tiles = ceil(m / 4)\n"));
}

TEST_CASE_METHOD(DeriveTest, "a scaling power counts what is derived from the scale",
                 "[cli][derive][scaling]") {
  const std::string csv = csv_grid("filters,batch,workers,time_s", {2., 4., 16.}, {1., 2., 8., 32.},
                                   {1., 2., 4.}, [](double filters, double batch, double workers) {
                                     return 0.001 * filters * batch / workers;
                                   });
  write("runs.csv", csv);
  for (const std::string form : {"generic", "multi"}) {
    CAPTURE(form);
    const auto fitted =
        run({"fit", "runs.csv", "--derive", "work = filters * batch / workers", "--ignore",
             "filters", "--expression", form, "--starts", "1", "-o", "model.json"},
            form == "multi" ? Words{"--terms", "1"} : Words{})
            .succeeded();
    // The powers of the columns alone are 0: the work tells it all.
    const nlohmann::json model = this->model();
    CHECK(model["scaling_powers"]["batch"].get<double>() == Approx(1).epsilon(1e-4));
    CHECK(model["scaling_powers"]["workers"].get<double>() == Approx(-1).epsilon(1e-4));
    // The central run is one of the runs, what only the work needs included.
    const nlohmann::json central = model["central_run"]["configuration"];
    const auto number = [](const nlohmann::json& node) { return to_text(node.get<double>()); };
    CHECK(csv_cells(csv)[model["central_run"]["line"].get<std::size_t>() - 1] ==
          Words{number(model["derived_sources"][0]["typical"]), number(central["batch"]),
                number(central["workers"]), number(model["central_run"]["time"])});
    CHECK(model["scaling_powers_at"] == central);
    CHECK_THAT(fitted.errors,
               ContainsSubstring(": 2 times slower") && ContainsSubstring(": 2 times faster"));
    CHECK_THAT(fitted.errors, !ContainsSubstring("is computed from"));
    const auto scaling = run({"scaling", "model.json", "--column", "workers", "--set", "filters=4",
                              "batch=2", "--format", "json"});
    INFO(scaling.errors);
    CHECK_THAT(scaling.errors, ContainsSubstring("another input is derived from 'workers'") ||
                                   ContainsSubstring("sum of product terms"));
    const nlohmann::json curve = nlohmann::json::parse(scaling.output);
    CHECK(curve["rows"][1]["equivalent_power"].get<double>() == Approx(-1).epsilon(1e-4));
  }
}

TEST_CASE_METHOD(DeriveTest, "a derived column that cannot follow its scale is warned of",
                 "[cli][derive][scaling]") {
  // It is 0, which no power takes, between all measured numbers of workers, between the first two,
  // or between the last two.
  const std::string whole =
      GENERATE("workers * (workers == floor(workers))", "workers * (workers >= 2) + (workers == 1)",
               "workers * (workers <= 2) + 4 * (workers == 4)");
  CAPTURE(whole);
  CHECK_THAT(
      run({"fit", "runs.csv", "--derive", "whole = " + whole, "-o", "model.json", "--starts", "1"})
          .succeeded()
          .errors,
      ContainsSubstring("a derived column is computed from workers: the scaling power of "
                        "workers does not count its effect"));
  const nlohmann::json model = this->model();
  CHECK(model["scaling_powers"]["workers"] == model["constants"]["extrinsic"][0]["q"]);
}

TEST_CASE_METHOD(DeriveTest, "a wrong --derive is wrong usage, a wrong value is wrong data",
                 "[cli][derive]") {
  CHECK_THAT(run({"fit", "runs.csv", "--derive", "x = filters ^^ 2"}).failed(2),
             ContainsSubstring("--derive 'x = filters ^^ 2': ") &&
                 ContainsSubstring("position 10") &&
                 ContainsSubstring("\nSee 'perfmodel fit --help'."));
  CHECK_THAT(run({"fit", "runs.csv", "--derive", "x = filter * 2"}).failed(2),
             ContainsSubstring("did you mean 'filters'?"));
  CHECK_THAT(
      run({"fit", "runs.csv", "--derive", "x = 1 / (filters - 2)"}).failed(3),
      ContainsSubstring(
          "runs.csv: column 'x': 12 cells: 1 / (filters - 2) is infinite (lines 2, 3, 4, 5 and 6) "
          "and 7 more"));
}
