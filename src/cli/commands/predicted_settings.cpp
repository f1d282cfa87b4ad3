#include "cli/commands/predicted_settings.hpp"

#include "base/index.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "cli/terminal/csv_echo.hpp"
#include "fit/result/form.hpp"
#include "io/documents/evaluation_json.hpp"

namespace perfmodel::cli {

TextTable prediction_table(const PredictedSettings& predicted) {
  const ModelSpec& spec = predicted.model.spec;
  const TimeUnit unit = readable_unit(predicted.times.mean(), spec.unit);
  const auto shown = [&](double time) { return short_number(time * unit.factor); };
  std::vector<const Column*> columns;
  for (const auto* names : {&predicted.set.varied, &predicted.set.moved})
    for (const std::string& name : *names)
      columns.push_back(&predicted.set.table.at(name));
  std::vector<Align> alignments(columns.size() + 1, Align::right);
  std::vector<std::string> header;
  for (const Column* column : columns)
    header.push_back(column->name);
  header.push_back(with_unit(spec.target, unit.name));
  const auto& intervals = predicted.certainty.intervals;
  if (intervals) {
    header.push_back(short_number(100 * *predicted.level) + " % interval");
    alignments.push_back(Align::left);
  }
  const auto& reach = predicted.certainty.reach;
  if (reach) {
    header.emplace_back("support");
    alignments.push_back(Align::left);
  }
  header.emplace_back();
  alignments.push_back(Align::left);
  TextTable table(std::move(alignments));
  table.add(header);
  for (std::size_t row = 0; row < predicted.set.table.rows(); ++row) {
    const double time = predicted.times[index(row)];
    std::vector<std::string> cells;
    for (const Column* column : columns)
      cells.push_back(column->text(row));
    cells.push_back(shown(time));
    if (intervals) {
      const IntervalFactors factors = (*intervals)[row];
      cells.push_back(shown(time * factors.lower) + " .. " + shown(time * factors.upper));
    }
    if (reach)
      cells.emplace_back(support_text(reach->near[row]));
    cells.emplace_back(predicted.range.in_range[row] ? "" : "extrapolated");
    table.add(std::move(cells));
  }
  return table;
}

std::string predictions_json(const PredictedSettings& predicted, const Design& design) {
  std::vector<PredictionDocument> documents;
  const auto factors = predicted.model.form->process_factors(design);
  for (std::size_t row = 0; row < design.rows; ++row) {
    const double time = predicted.times[index(row)];
    PredictionDocument& document = documents.emplace_back();
    document.time = time;
    document.in_range = predicted.range.in_range[row];
    if (predicted.certainty.intervals) {
      const IntervalFactors interval = (*predicted.certainty.intervals)[row];
      document.interval.emplace(time * interval.lower, time * interval.upper);
    }
    if (factors)
      document.process = ProcessPart{(*factors)[index(row)], predicted.certainty.reach->near[row]};
    for (const Column& column : predicted.set.table.columns)
      document.configuration.emplace_back(
          column.name, column.is_numeric() ? PredictionDocument::Value(column.numbers[row])
                                           : PredictionDocument::Value(column.text(row)));
  }
  return predictions_to_json(predicted.model.spec.target, documents, predicted.range.findings);
}

std::string csv_of_table(const Table& table) {
  std::string text;
  const auto add_line = [&](const auto& cell) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      text += (c == 0 ? "" : ",") + csv_field(cell(table.columns[c]));
    text += "\n";
  };
  add_line([](const Column& column) { return column.name; });
  for (std::size_t row = 0; row < table.rows(); ++row)
    add_line([&](const Column& column) { return column.text(row); });
  return text;
}

}  // namespace perfmodel::cli
