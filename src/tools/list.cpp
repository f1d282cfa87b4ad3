#include "list.hpp"

#include <algorithm>
#include <string_view>

#include "registry/registry.hpp"

namespace perfmodel {

// Each is defined in its tool.
void add_compare();
void add_diff();
void add_import();
void add_many();
void add_scaling();
void add_ssgd();
void add_suggest();
void add_workflows();

namespace {

/// Whether a tool is built: whether PERFMODEL_WITHOUT, names with commas, does not have it.
constexpr bool has(std::string_view tool) {
  std::string_view rest = PERFMODEL_WITHOUT;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (rest.substr(0, end) == tool)
      return false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return true;
}

/// Only what is built is called, so that the linker looks for nothing else.
template <bool is_built>
void use(const MissingTool& tool, const auto& add) {
  if constexpr (is_built)
    add();
  else
    added<MissingTool>().push_back(tool);
}

/// In the order of their commands in the help. What each is asked for by, and with what the files
/// begin that it reads, is for builds that lack it.
void add_all() {
  use<has("many")>(
      {"many", {"merge", "fit --by", "fit --shard", "fit --resume"}}, [] { add_many(); });
  use<has("compare")>(
      {"compare", {"sweep", "compare", "simulate"}}, [] { add_compare(); });
  use<has("diff")>(
      {"diff", {"diff"}}, [] { add_diff(); });
  use<has("import")>(
      {"import",
       {"import", "--input-format json", "--input-format google-benchmark",
        "--input-format hyperfine", "--input-format asv", "--input-format extrap",
        "--input-format sqlite", "--input-format go-benchmark", "--input-format pytest-benchmark",
        "--input-format jmh", "--input-format fio", "--input-format criterion",
        "--input-format seff"},
       {"{", "[{", "[[", "SQLite format 3", "PARAMETER ", "goos: ", "Job ID: ", "JobID|",
        "task_id\t"}},
      [] { add_import(); });
  use<has("scaling")>(
      {"scaling", {"scaling"}}, [] { add_scaling(); });
  use<has("ssgd")>(
      {"ssgd", {"ssgd"}}, [] { add_ssgd(); });
  use<has("suggest")>(
      {"suggest", {"measure", "plan", "suggest"}}, [] { add_suggest(); });
  use<has("workflows")>(
      {"workflows",
       {"--as extrap", "--as nextflow", "--as snakemake", "--as galaxy", "--as slurm"}},
      [] { add_workflows(); });
}

}  // namespace

void add_tools() {
  [[maybe_unused]] static const bool once = (add_all(), true);
}

}  // namespace perfmodel
