#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/parts/part_text.hpp"

namespace perfmodel {

/// What the first line of the results of tasks says, from which `command` makes its document.
struct TaskResultsHeader {
  TasksHeader tasks;
  /// Words of the command line that the results belong to: neither where it writes nor which of
  /// its tasks it does.
  std::vector<std::string> command;
};

std::string to_line(const TaskResultsHeader& header);
std::string result_line(std::size_t task, Json result);

/// Whether the bytes begin as results of tasks do.
bool is_task_results(std::string_view bytes);

TaskResultsHeader read_task_results_header(const std::string& source, std::string_view bytes);

/// What result_line() was given.
JsonCursor result_of_line(const std::string& source, std::string_view line);

}  // namespace perfmodel
