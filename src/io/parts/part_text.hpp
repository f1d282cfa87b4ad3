#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/tasks/shard.hpp"
#include "io/file/text_lines.hpp"
#include "json/json_cursor.hpp"
#include "json/json_layout.hpp"

namespace perfmodel {

/// What the header of every file of numbered tasks says, beside what its kind has of its own.
struct TasksHeader {
  std::string tool;
  std::string job;        ///< a digest of the runs and of all settings that a result depends on
  std::size_t tasks = 0;  ///< of the whole job
  std::optional<Shard> shard;  ///< nothing: all tasks
};

/// Tasks, and the shard where there is one.
void add_tasks(Json& document, const TasksHeader& header);
TasksHeader read_tasks_header(const JsonCursor& root);

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

}  // namespace perfmodel
