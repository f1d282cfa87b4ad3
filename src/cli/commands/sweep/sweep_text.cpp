#include "cli/commands/sweep/sweep_text.hpp"

#include <cmath>

#include "base/text.hpp"
#include "cli/terminal/text_table.hpp"

namespace perfmodel::cli {
namespace {

std::string r2_text(double r2) {
  return std::isnan(r2) ? "-" : short_number(r2);
}

TextTable table_of(const SweepDocument& report) {
  using enum Align;
  const ModelSpec& spec = report.points.front().model.spec;
  const bool has_test = report.points.front().model.metrics.test.has_value();
  std::vector<Align> columns = {left, right, right, right, right, right};
  std::vector<std::string> header = {"penalty",
                                     "lambda",
                                     with_unit("train MAE", spec.unit),
                                     with_unit("valid. MAE", spec.unit),
                                     "valid. MAPE",
                                     "valid. R2"};
  if (has_test) {
    columns.insert(columns.end(), {right, right});
    header.insert(header.end(), {"test MAPE", "test R2"});
  }
  for (const auto& input : spec.extrinsic) {
    columns.push_back(right);
    header.push_back("q " + clipped(input.column, 12));
  }
  columns.push_back(left);
  header.emplace_back();
  TextTable table(columns, 2);
  table.add(header);
  for (std::size_t k = 0; k < report.points.size(); ++k) {
    const SweepPoint& point = report.points[k];
    const PartMetrics& metrics = point.model.metrics;
    std::vector<std::string> row = {
        std::string(to_text(point.penalty)),       short_number(point.lambda),
        short_number(metrics.train.mae),           short_number(metrics.validation->mae),
        percent(metrics.validation->mape_percent), r2_text(metrics.validation->r2)};
    if (has_test)
      row.insert(row.end(), {percent(metrics.test->mape_percent), r2_text(metrics.test->r2)});
    for (const double power : scaling_powers(point.model))
      row.push_back(short_number(power));
    row.emplace_back(k == report.chosen ? "<- chosen" : "");
    table.add(std::move(row));
  }
  return table;
}

/// All metrics and constants of every point, in full precision.
TextTable exact_path(const SweepDocument& report) {
  const FittedModel& first = report.points.front().model;
  std::vector<std::string> header = {
      "penalty", "lambda", "chosen", "cost", "validation_loss", "validation_loss_standard_error"};
  const auto add_names = [&](const std::string& part) {
    for (const auto& [name, member] : kNamedMetrics)
      header.push_back(part + "_" + std::string(name));
  };
  add_names("train");
  add_names("validation");
  if (first.metrics.test)
    add_names("test");
  for (const auto& name : constant_names(first))
    header.push_back(name);
  TextTable table(std::vector<Align>(header.size(), Align::right));
  table.add(std::move(header));
  for (std::size_t k = 0; k < report.points.size(); ++k) {
    const SweepPoint& point = report.points[k];
    std::vector<std::string> row = {
        std::string(to_text(point.penalty)),   to_text(point.lambda),
        k == report.chosen ? "true" : "false", to_text(point.model.search.cost),
        to_text(point.validation_loss),        to_text(point.standard_error)};
    const auto add = [&](const Metrics& metrics) {
      for (const auto& [name, member] : kNamedMetrics) {
        const double value = metrics.*member;
        row.push_back(std::isnan(value) ? "" : to_text(value));
      }
    };
    add(point.model.metrics.train);
    add(*point.model.metrics.validation);
    if (point.model.metrics.test)
      add(*point.model.metrics.test);
    for (const double constant : point.model.constants)
      row.push_back(to_text(constant));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

std::string formatted(const SweepDocument& report, OutputFormat format,
                      std::optional<std::size_t> width) {
  OutputTables out(exact_path(report), [&] { return sweep_to_json(report); });
  out.add(table_of(report));
  return out.in(format, width);
}

}  // namespace perfmodel::cli
