// Code of a formula whose columns have names that are no words; what else such names do is in
// tests/transcripts/backquoted_names.md.

#include <string>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Approx;

namespace {

/// t = 1e-3 length / gpus + 0.02, twice as long on B.
double planted_time(double gpus, double length, const std::string& device) {
  return (1e-3 * length / gpus + 0.02) * (device == "B" ? 2 : 1);
}

}  // namespace

TEST_CASE_METHOD(ProgramTest, "code of a model computes what names in backquotes mean",
                 "[cli][own][backquotes][needs-python]") {
  write("runs.csv",
        csv_grid("config.gpus,Sequence length,device type,step (s)", {1., 2., 4., 8.},
                 {128., 256., 512., 1024.}, {std::string("A"), std::string("B")}, planted_time));
  run({"fit", "runs.csv", "-o", "model.json", "--formula",
       "`step (s)` = `Sequence length` * a / `config.gpus` + C * (`device type` == 'B' ? k : 1) + "
       "(`device type` == \"B\" ? `Sequence length` * d / `config.gpus` : 0)"})
      .succeeded();
  for (const std::string language : {"text", "latex", "c", "javascript", "spreadsheet"})
    run({"show", "model.json", "--as", language}).succeeded();
  const ProgramResult code = run({"show", "model.json", "--as", "python"}).succeeded();
  const std::string call =
      "print(predict(config_gpus=4., Sequence_length=512., device_type='B'))\n";
  CHECK(std::stod(output_of_python(code.output + "\n" + call).value()) ==
        Approx(planted_time(4, 512, "B")).epsilon(1e-6));
}
