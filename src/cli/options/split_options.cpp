#include "cli/options/split_options.hpp"

#include <string>

#include "cli/options/flag_names.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"

namespace perfmodel::cli {
namespace {

/// Of commands that judge on rows that were not trained on, where no split is asked for.
constexpr auto kDefaultShares = "60:20:20";

}  // namespace

void add_split_options(OptionSet& app, SplitArguments& arguments) {
  app.add_option_function(
         "--split", [&](const std::string& text) { arguments.shares = parse_split(text); },
         "shares of training, validation and test rows\n(default: " + std::string(kDefaultShares) +
             ")")
      .type_name("SHARES")
      .group("Judging the model");
  add_count<std::uint64_t>(app, "--split-seed", arguments.seed, "seed of the split (default: 1)", 0)
      .group("Judging the model");
}

Split split_of(const LabelledRuns& runs, const SplitArguments& arguments) {
  return split_rows(runs.rows, arguments.shares.value_or(parse_split(kDefaultShares)),
                    arguments.seed.value_or(kDefaultSplitSeed));
}

LabelledRuns read_labelled_runs(const std::vector<std::string>& paths, const RoleRequest& request,
                                std::optional<char> separator, Console& console,
                                const ReadProgress& progress) {
  return told(label_runs(read_runs(paths, {request.categorical.begin(), request.categorical.end()},
                                   separator, progress),
                         request),
              console);
}

LabelledRuns told(LabelledRuns runs, Console& console) {
  for (const Sentence& warning : runs.warnings)
    console.warning(with_flags(warning));
  for (const auto& notice : runs.roles.notices)
    console.notice(with_flags(notice));
  return runs;
}

}  // namespace perfmodel::cli
