#include "cli/fit_options.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel;
using test::ProgramResult;

namespace {

const std::string lenet5_file = PERFMODEL_SOURCE_DIR "/data/lenet5_train900.csv";

ProgramResult fit_with_kernel(const std::string& kernel, const std::string& loss) {
  test::ProgramOptions options;
  options.environment = {{"PERFMODEL_KERNEL", kernel}};
  return test::run_perfmodel({"fit", lenet5_file, "--loss", loss, "--quiet"}, options);
}

}  // namespace

TEST_CASE("every kernel of this machine writes the same model", "[cli][kernel][whole-fits]") {
  for (const std::string loss : {"mae", "mse"}) {
    const std::string chosen_by_itself = fit_with_kernel("", loss).succeeded().output;
    for (const InstructionSet instructions : available_instruction_sets()) {
      CAPTURE(loss, to_text(instructions));
      CHECK(fit_with_kernel(std::string(to_text(instructions)), loss).succeeded().output ==
            chosen_by_itself);
    }
  }
}

TEST_CASE("a kernel's word is taken where the machine has it, and is wrong usage elsewhere",
          "[cli][kernel]") {
  using enum InstructionSet;
  const std::vector<InstructionSet> old_machine = {baseline};
  const std::vector<InstructionSet> newer_machine = {baseline, avx2};
  CHECK(cli::parse_kernel("", old_machine) == baseline);
  CHECK(cli::parse_kernel("", newer_machine) == avx2);
  CHECK(cli::parse_kernel("baseline", newer_machine) == baseline);
  CHECK(cli::parse_kernel("avx2", newer_machine) == avx2);
  CHECK_THROWS_WITH(cli::parse_kernel("avx512", newer_machine),
                    "PERFMODEL_KERNEL: 'avx512' is no kernel of this machine, which has "
                    "'baseline' and 'avx2'");
  CHECK_THROWS_WITH(cli::parse_kernel("AVX2", newer_machine),
                    "PERFMODEL_KERNEL: 'AVX2' is no kernel of this machine, which has 'baseline' "
                    "and 'avx2'");
  const ProgramResult result = fit_with_kernel("avx1024", "mae");
  CHECK(result.output.empty());
  CHECK_THAT(result.failed(2), Catch::Matchers::ContainsSubstring(
                                   "PERFMODEL_KERNEL: 'avx1024' is no kernel of this machine, "
                                   "which has 'baseline'"));
}
