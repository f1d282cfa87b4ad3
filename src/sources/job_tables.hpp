#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace perfmodel {

/// Whether a file that begins with these bytes is a table of jobs that joined_job_table() reads, by
/// its header: Slurm's accounting (`sacct -P`: JobID, State) or the trace of Nextflow (task_id,
/// status, realtime).
bool is_job_table(std::string_view beginning);

/// Returns such a table as CSV with a row per job or task; nullopt for other files. `source` names
/// the file in messages. Throws InputError as parse_csv() does.
///
/// - A job step ("123.batch") is joined to its job: maxima and averages of a job ("MaxRSS") are the
///   largest of its steps.
/// - The measured cells of a job that did not complete become its state: "timeout", "running".
/// - The process of a task of Nextflow gets a column if it has none: "ALIGN" of "ALIGN (sample 1)".
std::optional<std::string> joined_job_table(std::string_view bytes, const std::string& source);

}  // namespace perfmodel
