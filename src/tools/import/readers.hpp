#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "perfmodel/fit.hpp"
#include "sources/source.hpp"

/// The readers of formats other than CSV. `source` names the file in messages; all throw InputError
/// for a damaged file, with the place in it.
namespace perfmodel {

using RowCells = std::vector<NamedRows::Cell>;

/// Whether a text is digits alone.
bool is_whole_number(std::string_view text);

/// The rows of a JSON document, or of JSON lines: of a tool whose format is recognised, or else of
/// its objects. The format of the options, if given, is one of those that are JSON.
NamedRows read_json(std::string_view bytes, const std::string& source, const InputOptions& options);

/// The results of a tool that measures, each a run; nullopt if the document, an object, is of
/// another format. Cells of measured times and sizes have their unit; those of a
/// failed run are a word that tells so.
std::optional<NamedRows> google_benchmark_rows(const JsonCursor& document);
std::optional<NamedRows> asv_rows(const JsonCursor& document);
/// The same of tools that an adapter describes: hyperfine, pytest-benchmark, JMH, fio and
/// criterion, of which the path of a file, `source`, tells the benchmark.
std::optional<NamedRows> adapted_rows(std::span<const JsonCursor> documents,
                                      std::optional<InputFormat> given, const std::string& source);

/// Adds a cell. Throws InputError if its column has no name or the row has it already.
void add_cell(const std::string& column, std::string text, const JsonCursor& node, RowCells& row);
/// The text of a member; `otherwise` if there is none.
std::string text_of(const JsonCursor& object, const std::string& name, const char* otherwise = "");
/// "12.5ns", without an exponent, as cells with units are written; blank, as cells of failed runs
/// are, for null.
std::string with_unit(const JsonCursor& number, const std::string& unit);

/// "2 GiB" of "2 GB": units of Nextflow and Slurm are powers of 1024.
std::string binary_size(std::string cell);

/// Whether a file that begins with these bytes is what Slurm's `seff` prints.
bool is_seff(std::string_view beginning);
/// The jobs that `seff` printed, a row each; the results of those that failed are their state.
NamedRows read_seff(std::string_view bytes, const std::string& source, const InputOptions& options);

/// Whether a text is in Extra-P's text format, which declares its parameters first, or TaLPas'.
bool is_extrap_text(std::string_view bytes);
/// The measurements in Extra-P's text format or in that of TaLPas, a row per repetition.
NamedRows read_extrap_text(std::string_view bytes, const std::string& source,
                           const InputOptions& options = {});
/// The measurements in one of Extra-P's JSON formats; nullopt if it is none of them. `documents`:
/// one, or those of JSON lines.
std::optional<NamedRows> extrap_rows(std::span<const JsonCursor> documents);

/// Whether a file that begins with these bytes is what `go test -bench` prints.
bool is_go_benchmark(std::string_view beginning);
/// The benchmarks that `go test -bench` printed, a row per line of results. What the program
/// printed between the name and the results, or behind these, is not read.
NamedRows read_go_benchmark(std::string_view bytes, const std::string& source,
                            const InputOptions& options = {});

bool is_sqlite(std::string_view bytes);
/// The rows of an SQLite database: the trials of a study of Optuna, the runs of an experiment of
/// MLflow, or those of a query. `bytes`: the database.
NamedRows read_sqlite(std::string_view bytes, const std::string& source,
                      const InputOptions& options);

/// Whether a file that begins with these bytes is a table of jobs that joined_job_table() reads, by
/// its header: Slurm's accounting (`sacct -P`: JobID, State; any columns of `sacct -p`, which ends
/// its lines with '|') or the trace of Nextflow (task_id, status, realtime).
bool is_job_table(std::string_view beginning);

/// Returns such a table as CSV with a row per job or task; nullopt for other files. `source` names
/// the file in messages. Throws InputError as parse_csv() does.
///
/// - The '|' at the end of each line is removed; without JobID and State, that is all.
/// - A job step ("123.batch") is joined to its job: maxima and averages of a job ("MaxRSS") are the
///   largest of its steps.
/// - The measured cells of a job that did not complete become its state: "timeout", "running".
/// - The process of a task of Nextflow gets a column if it has none: "ALIGN" of "ALIGN (sample 1)".
std::optional<std::string> joined_job_table(std::string_view bytes, const std::string& source);

// What import writes.

/// Adds a column of texts that say of which of these files a run is: "old" of "results/old.txt".
/// Throws UsageError if there is such a column.
void add_file_column(const std::string& name, const std::vector<std::string>& paths,
                     RunsFile& runs);

/// A CSV with a line per column: what it is taken for, the probabilities of an input, a result, a
/// label and, among the measured ones, of the target, and the evidence that weighs most.
std::string csv_of_roles(const RunsFile& runs);

/// The runs as a CSV of commas, a line per run, that is read as they were: with the same cells, the
/// same numbers, and the same results of the runs.
std::string csv_of_runs(const WrittenRuns& written);

}  // namespace perfmodel
