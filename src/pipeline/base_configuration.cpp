#include <algorithm>

#include "perfmodel/base/error.hpp"
#include "perfmodel/pipeline/settings.hpp"
#include "pipeline/settings/setting_columns.hpp"

namespace perfmodel {
namespace {

Column number_column(const std::string& name, double value) {
  Column column;
  column.name = name;
  column.numbers = {value};
  return column;
}

}  // namespace

std::optional<BaseConfiguration> central_base(const FittedModel& model) {
  if (!model.central)
    return std::nullopt;
  const ModelSpec& spec = model.spec;
  const Configuration& central = model.central->configuration;
  BaseConfiguration base;
  base.name = "the run of line " + std::to_string(model.central->line) +
              (model.provenance.file.empty() ? "" : " of " + model.provenance.file);
  base.table.source = model.provenance.file.empty() ? "the runs" : model.provenance.file;
  base.table.lines = {model.central->line};
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    base.table.columns.push_back(number_column(spec.intrinsic[i].column, central.intrinsic[i]));
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    base.table.columns.push_back(
        text_column({spec.categorical[c].column, spec.categorical[c].levels[central.levels[c]]},
                    spec.categorical[c]));
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    base.table.columns.push_back(number_column(spec.extrinsic[j].column, central.extrinsic[j]));
  for (const SourceColumn& source : spec.sources)
    base.table.columns.push_back(number_column(source.column, source.typical));
  return base;
}

BaseConfiguration base_of_line(const Table& table, std::uint32_t line, const ModelSpec& spec) {
  const auto found = std::find(table.lines.begin(), table.lines.end(), line);
  if (found == table.lines.end()) {
    throw UsageError(table.source + " has no run in line " + std::to_string(line) +
                     (table.lines.empty()
                          ? ""
                          : "; its runs stand in lines " + std::to_string(table.lines.front()) +
                                " to " + std::to_string(table.lines.back())));
  }
  const auto row = static_cast<std::size_t>(found - table.lines.begin());
  BaseConfiguration base{{}, table.where(row)};
  base.table.source = table.source;
  base.table.lines = {line};
  for (const std::string& name : required_columns(spec))
    if (const Column* const column = table.find(name))
      base.table.columns.push_back(taken_rows(*column, {row}));
  return base;
}

}  // namespace perfmodel
