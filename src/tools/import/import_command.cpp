#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "import/readers.hpp"
#include "perfmodel/import.hpp"
#include "perfmodel/reading.hpp"
#include "registry/registry.hpp"
#include "storage/files.hpp"

namespace perfmodel::cli {
namespace {

struct ImportArguments {
  std::vector<std::string> files;
  InputOptions input;
  std::optional<std::string> file_column;
  bool roles = false;
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
  command.add("--file-column NAME", arguments.file_column,
              "adds a column that says of which file each run is");
  command.flag("--roles", arguments.roles,
               "writes the roles of the columns, with probabilities and evidence");
  add_output(command, arguments.output, "RUNS.csv");
  command.common({"--input-format", "--table", "--sql", "--file-column", "--roles"});
  command.footer(
      R"(Writes the runs that fit, predict, evaluate and compare read from these files as CSV, a line per
run. Formats: CSV and tables written for people, JSON and JSON lines, results of Google Benchmark,
Go's benchmarks, hyperfine, pytest-benchmark, JMH, fio, criterion and asv, what seff prints,
Extra-P's text and JSON, databases of Optuna and MLflow, any other of SQLite by a query; all of them
also compressed by gzip.

Examples:
  perfmodel import results.json -o runs.csv
  perfmodel import runs.csv --roles
  perfmodel import old.txt new.txt --file-column version | perfmodel fit -
  perfmodel import study.db --table resnet | perfmodel fit - --target value
  perfmodel import results.db --sql 'select gpus, batch, step_s from runs' -o runs.csv)");
}

int run_import(const ImportArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  WrittenRuns written = read_as_written(arguments.files, arguments.input);
  const RunsFile& runs = written.runs;
  if (arguments.file_column)
    add_file_column(*arguments.file_column, arguments.files, written.runs);
  const Table& table = runs.table;
  output.write(arguments.roles ? csv_of_roles(runs) : csv_of_runs(written));
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

namespace perfmodel {

void add_import() {
  add_import_readers();
  add<cli::CommandEntry>({{"import", cli::import_command, "evaluate"}});
}

}  // namespace perfmodel
