#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// What the header of every file of numbered tasks says, beside what its kind has of its own.
struct TasksHeader {
  std::string tool;
  std::string job;        ///< a digest of the runs and of all settings that a result depends on
  std::size_t tasks = 0;  ///< of the whole job
  std::optional<Shard> shard;  ///< nothing: all tasks
};

/// Where the line of a task stands in its file, with its newline.
struct PartLine {
  std::size_t task = 0;
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// JSON lines, a header and a line per task, of which nobody has looked at the results yet.
struct PartText {
  std::string source;
  std::string common;  ///< the header line of the whole job, as each of its parts would have it
  TasksHeader header;
  std::vector<PartLine> lines;
  std::string torn;  ///< what is wrong with the first line that is cut or damaged; it and all
                     ///< behind it are left out
};

/// Throws InputError where the first line of a file of lines is no header, but that of a task or
/// one behind a byte order mark.
void require_header(const std::string& source, std::string_view first_line);

/// Throws InputError where a line behind the first is a header, too: of files that were joined.
void refuse_second_header(const std::string& place, std::string_view line);

/// Whether nothing is missing of a line but its newline.
bool lacks_newline_alone(std::string_view line);

/// Throws InputError where the header cannot be read, and for what editors and transfers make of
/// lines.
PartText read_part(const TextLines& file);

/// The number of the task of a line; nothing where the line is damaged.
std::optional<std::size_t> task_of_line(const std::string& place, std::string_view line);

/// "all.jsonl:3"
std::string place_of_line(const std::string& source, std::size_t number);

/// What the first line of the results of tasks says, from which `command` makes its document.
struct TaskResultsHeader {
  TasksHeader tasks;
  /// Words of the command line that the results belong to: neither where it writes nor which of
  /// its tasks it does.
  std::vector<std::string> command;
};

struct TaskResult {
  std::size_t task = 0;
  Json result;
};

void describe(Fields& f, TaskResultsHeader& x);
void describe(Fields& f, TaskResult& x);

std::string to_line(const TaskResultsHeader& header);
std::string result_line(std::size_t task, Json result);

/// Whether the bytes begin as results of tasks do.
bool is_task_results(std::string_view bytes);

TaskResultsHeader read_task_results_header(const std::string& source, std::string_view bytes);

/// Which models of a set are of what others add up to: those of a target, or of a text of a key
/// column.
struct SetTotal {
  std::optional<std::string> column;  ///< of the key; nothing: it is a target
  std::string name;
};

/// What the first line of a set of models says: what all of its lines have in common.
struct ModelSetHeader : TasksHeader {
  std::string file;
  std::vector<std::string> by;
  std::optional<std::string> target_name;   ///< of a long table: the column of the targets' names
  std::optional<std::string> target_value;  ///< and that of their values
  std::optional<SetTotal> total;
};

/// One task: the model of one target of one group, or why there is none.
struct ModelSetLine {
  std::size_t task = 0;
  std::vector<std::string> key;  ///< a text per column of `by`
  std::string target;
  std::size_t rows = 0;
  std::optional<FittedModel> model;
  std::string refused;  ///< the reason, where there is no model
};

/// Models of groups of runs: JSON lines, a header and a line per task in their order.
struct ModelSet {
  ModelSetHeader header;
  std::vector<ModelSetLine> lines;
};

void describe(Fields& f, ModelSetHeader& x);
/// The context is the header.
void describe(Fields& f, ModelSetLine& x);

std::string to_line(const ModelSetHeader& header);
std::string to_line(const ModelSetLine& line, const ModelSetHeader& header);

/// The texts of the key by their columns.
Named<const std::string> key_of(const ModelSetLine& line, const ModelSetHeader& header);

/// Whether the bytes begin as a set does.
bool is_model_set(std::string_view bytes);

/// The first line.
ModelSetHeader parse_set_header(const std::string& place, std::string_view text);

/// One line behind the header, or nothing where it is not wanted by what it says beside its model,
/// which is read last. Throws InputError for what read_model() throws.
std::optional<ModelSetLine> parse_set_line(
    const std::string& place, std::string_view text, const ModelSetHeader& header,
    const std::function<bool(const ModelSetLine&)>& is_wanted = {});

/// Throws the InputError of a line without its end.
[[noreturn]] void refuse_torn_line(const std::string& source, const TextLine& line);

/// A model.json as the only line of a set without key.
ModelSetLine single_model(const std::string& source, std::string_view bytes);

/// Whether the line is a total of others.
bool is_total(const ModelSetLine& line, const ModelSetHeader& header);

/// "kernel=allreduce gpu=a100", with the target of a set of several.
std::string words_of(const ModelSetLine& line, const ModelSetHeader& header);

}  // namespace perfmodel
