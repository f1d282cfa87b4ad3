#include "cli/prepared_runs.hpp"

#include <CLI/CLI.hpp>

#include "cli/numbers.hpp"
#include "perfmodel/data/row_order.hpp"
#include "perfmodel/fit/number_range.hpp"

namespace perfmodel::cli {
namespace {

std::optional<Design> design_of(const Table& table, const ModelSpec& spec,
                                const std::vector<std::size_t>& rows) {
  if (rows.empty()) {
    return std::nullopt;
  }
  Design design = make_design(table, spec, Target::required, rows);
  require_fitted_range(design);
  return design;
}

}  // namespace

void add_split_options(CLI::App& app, SplitArguments& arguments) {
  app.add_option_function<std::string>(
         "--split", [&](const std::string& text) { arguments.shares = parse_split(text); },
         "shares of training, validation and test rows\n(default: " + std::string(default_shares) +
             ")")
      ->type_name("SHARES")
      ->group("Judging the model");
  add_count<std::uint64_t>(app, "--split-seed", arguments.seed, "seed of the split (default: 1)", 0)
      ->group("Judging the model");
}

LabelledRuns read_labelled_runs(const std::string& path, const RoleRequest& request,
                                Console& console) {
  LabelledRuns runs;
  runs.file = read_runs(path, {request.categorical.begin(), request.categorical.end()});
  runs.file.table = derive_as_requested(runs.file.table, request.derived);
  runs.roles = resolve_roles(runs.file.table, request);
  runs.rows = rows_by_content(runs.file.table, runs.roles.target);
  for (const auto& notice : runs.roles.notices) {
    console.notice(notice);
  }
  return runs;
}

PreparedRuns prepare(const std::string& path, const LabelledRuns& runs, const Split& split) {
  const Table& table = runs.file.table;
  PreparedRuns out;
  out.provenance = provenance_of(path, runs.file, runs.roles);
  out.spec = make_spec(table, runs.roles, split.train);
  out.training = make_design(table, out.spec, Target::required, split.train);
  out.validation = design_of(table, out.spec, split.validation);
  out.test = design_of(table, out.spec, split.test);
  return out;
}

Split split_of(const LabelledRuns& runs, const SplitArguments& arguments) {
  return split_rows(runs.rows, arguments.shares.value_or(parse_split(default_shares)),
                    arguments.seed.value_or(default_split_seed));
}

}  // namespace perfmodel::cli
