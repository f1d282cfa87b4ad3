#pragma once

namespace perfmodel {

/// Lets read_runs() read other formats than CSV: JSON, SQLite, results of benchmarks, Extra-P. Call
/// it once, before threads that read.
void add_import_readers();

}  // namespace perfmodel
