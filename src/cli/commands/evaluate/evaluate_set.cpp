#include "cli/commands/evaluate/evaluate_set.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/runs/model_sets.hpp"
#include "cli/sets/failed_of_set.hpp"
#include "cli/sets/set_gates.hpp"
#include "cli/sets/set_total.hpp"
#include "cli/terminal/output_tables.hpp"
#include "cli/terminal/text_table.hpp"
#include "io/documents/evaluations_json.hpp"
#include "io/file/digest.hpp"
#include "io/file/output_file.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/design/design.hpp"
#include "perfmodel/pipeline/judging.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {
namespace {

void check_set_request(const EvaluateArguments& arguments) {
  if (arguments.residuals || arguments.outliers || arguments.coverage || arguments.baseline ||
      arguments.target || arguments.strict_range) {
    throw UsageError(
        "--residuals, --outliers, --coverage, --baseline, --target and --strict-range go with one "
        "model; choose it: --pick");
  }
  if (arguments.format == OutputFormat::junit || arguments.format == OutputFormat::github)
    throw UsageError("--format junit and github go with one model");
  for (const Gate& gate : arguments.gates)
    if (!is_set_figure(gate.figure))
      throw UsageError("--fail-if '" + gate.text + "': say of which: 'any." + gate.text + "'");
}

std::vector<std::string> cells_of(const ModelSetLine& line, bool exact) {
  const Metrics& metrics = line.model->metrics.train;
  const auto shown = [&](double value) { return exact ? to_text(value) : short_number(value); };
  std::vector<std::string> cells = line.key;
  cells.insert(cells.end(), {line.target, std::to_string(metrics.rows), shown(metrics.mae),
                             shown(metrics.mape_percent), shown(metrics.rmse)});
  return cells;
}

TextTable errors_table(const ModelSet& judged, bool exact) {
  std::vector<Align> columns(judged.header.by.size() + 1, Align::left);
  columns.insert(columns.end(), 4, Align::right);
  TextTable table(columns);
  std::vector<std::string> heading = judged.header.by;
  heading.insert(heading.end(), {"target", "rows", "mae", "mape_percent", "rmse"});
  table.add(heading);
  for (const ModelSetLine& line : judged.lines)
    table.add(cells_of(line, exact));
  return table;
}

EvaluationsDocument document_of(const EvaluateArguments& arguments, const RunsFile& runs,
                                const ModelSet& judged, const std::optional<SetShare>& share,
                                const std::vector<JudgedGate>& gates) {
  EvaluationsDocument out;
  out.model_file = base_name(arguments.model);
  out.runs_file = base_name(runs.path);
  out.runs_sha256 = sha256(runs.bytes);
  out.judged = &judged;
  if (share)
    out.total = {share->percent, share->without};
  for (const JudgedGate& gate : gates) {
    out.gates.push_back({gate.gate.text,
                         gate.figure ? std::optional(gate.figure->value) : std::nullopt,
                         gate.figure ? gate.figure->interval : std::nullopt, gate.fires});
  }
  return out;
}

}  // namespace

int evaluate_set(const EvaluateArguments& arguments, const SetLines& set, Console& console) {
  check_set_request(arguments);
  OutputFile output("-");
  const RunsFile file = read_runs(arguments.runs, text_columns_of(set), arguments.separator);
  ModelSet judged{set.header(), {}};
  FailedOfSet failed(arguments.drop_failed);
  for_each_with_rows(set, file.table, [&](LineRows part) {
    if (!failed.take_away(part))
      return;
    ModelSetLine line = part.line;
    const Design design = make_design(part.table, line.model->spec, Target::required);
    line.model->metrics = {measure(*line.model, design, words_of(line, set.header())), {}, {}};
    judged.lines.push_back(std::move(line));
  });
  for (const std::string& words : failed.words())
    console.warning(words);
  if (judged.lines.empty())
    throw InputError(file.table.source + ": no row is of a group that has a model");
  std::stable_sort(judged.lines.begin(), judged.lines.end(), [](const auto& a, const auto& b) {
    return a.model->metrics.train.mape_percent > b.model->metrics.train.mape_percent;
  });
  const std::optional<SetShare> share =
      set.header().total ? share_of_total(set, file.table, arguments.drop_failed) : std::nullopt;
  const std::vector<JudgedGate> gates = judged_set_gates(arguments.gates, SetLines(judged), share);
  OutputTables tables(errors_table(judged, true), [&] {
    return evaluations_to_json(document_of(arguments, file, judged, share, gates));
  });
  tables.add(errors_table(judged, false));
  output.write(tables.in(arguments.format));
  output.commit();
  console.notice(std::to_string(judged.lines.size()) + " of " + std::to_string(set.size()) +
                 " models are judged");
  if (share) {
    console.notice("the parts add up to " + percent(share->percent) + " of " +
                   set.header().total->name + " as measured (" + share->words + ")");
  }
  check_gates(gates);
  return 0;
}

}  // namespace perfmodel::cli
