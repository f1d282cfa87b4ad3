#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel::cli {
namespace {

struct ImportArguments {
  std::vector<std::string> files;
  InputOptions input;
  std::string output = "-";
};

void setup_import(OptionSet& command, ImportArguments& arguments) {
  command
      .add("FILE", arguments.files,
           "files of runs of any format; several with the same columns become one table; \"-\" is "
           "stdin")
      .file(FileUse::input)
      .required();
  add_input_options(command, arguments.input);
  add_output(command, arguments.output, "RUNS.csv");
  command.common({"--input-format", "--study", "--experiment", "--sql"});
  command.footer(
      R"(Writes the runs that fit, predict, evaluate and compare read from these files as CSV, a line per
run. Formats: CSV and tables written for people, JSON and JSON lines, results of Google Benchmark,
Go's benchmarks, hyperfine and asv, Extra-P's text and JSON, databases of Optuna and MLflow, any
other of SQLite by a query; all of them also compressed by gzip.

Examples:
  perfmodel import results.json -o runs.csv
  perfmodel import study.db --study resnet | perfmodel fit - --target value
  perfmodel import results.db --sql 'select gpus, batch, step_s from runs' -o runs.csv)");
}

/// The cell, with its unit if the column has one.
std::string text_of(const Column& column, std::size_t row) {
  const bool has_unit = !column.unit.empty() && !std::isnan(column.numbers[row]);
  return column.text(row) + (has_unit ? column.unit : "");
}

int run_import(const ImportArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  const RunsFile runs = read_as_written(arguments.files, arguments.input);
  const Table& table = runs.table;
  output.write(csv_line(table.names()));
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::vector<std::string> cells =
        mapped(table.columns, [&](const Column& column) { return text_of(column, row); });
    output.write(csv_line(cells));
  }
  console.notice(counted_noun(table.rows(), "run") + " of " +
                 counted_noun(table.columns.size(), "column"));
  if (const auto notice = reading_notice(table))
    console.notice(*notice);
  for (const std::string& sentence : runs.notices)
    console.notice(sentence);
  output.commit();
  return 0;
}

}  // namespace

Command import_command() {
  return make_command<ImportArguments>("import", "Writes runs of other tools as CSV.", setup_import,
                                       run_import);
}

}  // namespace perfmodel::cli
