#include "perfmodel/pipeline/prepared_runs.hpp"

#include <utility>

#include "data/row_order.hpp"
#include "fit/task/number_range.hpp"

namespace perfmodel {
namespace {

std::optional<Design> design_of_part(const Table& table, const ModelSpec& spec,
                                     const std::vector<std::size_t>& rows) {
  if (rows.empty())
    return std::nullopt;
  Design design = make_design(table, spec, Target::required, rows);
  require_fitted_range(design);
  return design;
}

}  // namespace

LabelledRuns label_runs(RunsFile file, const RoleRequest& request) {
  LabelledRuns runs;
  runs.file = std::move(file);
  runs.file.table = derive_as_requested(runs.file.table, request.derived);
  runs.roles = resolve_roles(runs.file.table, request);
  runs.rows = rows_by_content(runs.file.table, runs.roles.target);
  return runs;
}

PreparedRuns prepare_runs(const LabelledRuns& runs, const Split& split) {
  const Table& table = runs.file.table;
  PreparedRuns out;
  out.provenance = provenance_of(runs.file, runs.roles);
  out.spec = make_spec(table, runs.roles, split.train);
  out.training = make_design(table, out.spec, Target::required, split.train);
  set_typical_values(table, split.train[central_row(out.spec, out.training)], out.spec);
  out.validation = design_of_part(table, out.spec, split.validation);
  out.test = design_of_part(table, out.spec, split.test);
  return out;
}

}  // namespace perfmodel
