#include "cli/commands/compare/compare_text.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/compare/regressor.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "cli/terminal/csv_echo.hpp"
#include "cli/terminal/shown_time.hpp"
#include "cli/terminal/text_table.hpp"
#include "io/documents/comparison_json.hpp"

namespace perfmodel::cli {
namespace {

struct Section {
  std::string title;
  TextTable table;
};

std::string undefined_or(double value, std::string (*text)(double)) {
  return std::isnan(value) ? "-" : text(value);
}

/// The part that judges a model.
const Metrics& judged(const PartMetrics& metrics) {
  return metrics.test ? *metrics.test : metrics.train;
}

Section errors_of(const CompareDocument& report, std::size_t source) {
  using enum Align;
  double largest = 0;
  for (const ModelScore& score : report.scores)
    if (score.source == source)
      largest = std::max(largest, judged(score.metrics).mae);
  const ShownTime time(report.unit, largest);
  TextTable table({left, right, right, right, right, right, right});
  table.add(
      {"model", "MAPE", time.heading("MAE"), time.heading("RMSE"), "R2", "train MAPE", "fit [s]"});
  std::string part;
  for (const ModelScore& score : report.scores) {
    if (score.source != source)
      continue;
    const Metrics& metrics = judged(score.metrics);
    part = (score.metrics.test ? "test part, " : "training part, ") + std::to_string(metrics.rows) +
           " rows";
    table.add({score.name, percent(metrics.mape_percent), time.number(metrics.mae),
               time.number(metrics.rmse), undefined_or(metrics.r2, short_number),
               percent(score.metrics.train.mape_percent), short_number(score.fit_seconds)});
  }
  return {report.data[source].file + " (" + part + ")", table};
}

/// Scaling powers of every expression, one line per column and model, one column per file.
Section powers_of(const CompareDocument& report) {
  using enum Align;
  std::vector<Align> columns(2 + report.data.size(), right);
  columns[0] = columns[1] = left;
  TextTable table(columns);
  std::vector<std::string> header = {"column", "model"};
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Provenance& source : report.data)
    header.push_back(clipped(source.file, 24));
  for (const ModelScore& score : report.scores) {
    for (const auto& column : score.columns) {
      const std::pair line(column, score.name);
      if (std::find(lines.begin(), lines.end(), line) == lines.end())
        lines.push_back(line);
    }
  }
  // All models of one column together, columns in the order of their first appearance.
  std::vector<std::string> order;
  for (const auto& line : lines)
    if (std::find(order.begin(), order.end(), line.first) == order.end())
      order.push_back(line.first);
  table.add(header);
  for (const auto& column : order) {
    for (const auto& line : lines) {
      if (line.first != column)
        continue;
      std::vector<std::string> row = {column, line.second};
      for (std::size_t source = 0; source < report.data.size(); ++source) {
        std::string cell = "-";
        for (const ModelScore& score : report.scores) {
          const auto found = std::find(score.columns.begin(), score.columns.end(), column);
          if (score.source == source && score.name == line.second && found != score.columns.end()) {
            const auto index = static_cast<std::size_t>(found - score.columns.begin());
            cell = short_number(score.scaling_powers[index]);
          }
        }
        row.push_back(cell);
      }
      table.add(std::move(row));
    }
  }
  return {"scaling powers q (of the sum of products: of the whole time, at the central run)",
          table};
}

/// One line per model and part, in full precision.
TextTable exact_comparison(const CompareDocument& report) {
  std::vector<std::string> header = {"file", "model", "part", "rows"};
  for (const auto& [name, member] : kNamedMetrics)
    header.emplace_back(name);
  header.emplace_back("fit_seconds");
  TextTable table(std::vector<Align>(header.size(), Align::right));
  table.add(std::move(header));
  for (const ModelScore& score : report.scores) {
    const auto add = [&](const std::string& part, const Metrics& metrics) {
      std::vector<std::string> row = {score.file, score.name, part, std::to_string(metrics.rows)};
      for (const auto& [name, member] : kNamedMetrics) {
        const double value = metrics.*member;
        row.push_back(std::isnan(value) ? "" : to_text(value));
      }
      row.push_back(to_text(score.fit_seconds));
      table.add(std::move(row));
    };
    add("train", score.metrics.train);
    if (score.metrics.validation)
      add("validation", *score.metrics.validation);
    if (score.metrics.test)
      add("test", *score.metrics.test);
  }
  return table;
}

}  // namespace

std::string formatted(const CompareDocument& report, OutputFormat format) {
  OutputTables out(exact_comparison(report), [&] {
    return comparison_to_json(report.data, report.scores, has_black_boxes());
  });
  std::vector<Section> sections;
  for (std::size_t source = 0; source < report.data.size(); ++source)
    sections.push_back(errors_of(report, source));
  sections.push_back(powers_of(report));
  for (std::size_t k = 0; k < sections.size(); ++k) {
    out.add((k == 0 ? "" : "\n") + sections[k].title + "\n\n");
    out.add(sections[k].table, 2);
  }
  return out.in(format, report.width);
}

}  // namespace perfmodel::cli
