#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "perfmodel/model.hpp"
#include "storage/files.hpp"

namespace perfmodel {

/// Throws InputError if the first line is that of a task or follows a byte order mark.
void require_header(const std::string& source, std::string_view first_line);

/// Throws InputError if a later line is a header too, as in concatenated files.
void refuse_second_header(const std::string& place, std::string_view line);

/// Returns the task number of a line; nullopt if the line is damaged.
std::optional<std::size_t> task_of_line(const std::string& place, std::string_view line);

/// Returns "all.jsonl:3".
std::string place_of_line(const std::string& source, std::size_t number);

/// First line of a set of models: everything that its lines have in common.
struct ModelSetHeader {
  std::string tool;
  std::string job;             ///< digest of the runs and of all settings that affect results
  std::size_t tasks = 0;       ///< number of tasks of the whole job
  std::optional<Shard> shard;  ///< nullopt: all tasks
  std::string file = {};
  std::vector<std::string> by = {};
};

/// Result of one task: the model of one target of one group, or the reason why there is none.
struct ModelSetLine {
  std::size_t task = 0;
  std::vector<std::string> key;  ///< one value per column of `by`
  std::string target;
  std::size_t rows = 0;
  std::optional<FittedModel> model;
  std::string refused;  ///< reason, if there is no model
};

/// Models of groups of runs: JSON lines, a header and one line per task in task order.
struct ModelSet {
  ModelSetHeader header;
  std::vector<ModelSetLine> lines;
};

void describe(Fields& f, ModelSetHeader& x);
/// The context of `f` must be the header.
void describe(Fields& f, ModelSetLine& x);

std::string to_line(const ModelSetHeader& header);
std::string to_line(const ModelSetLine& line, const ModelSetHeader& header);

/// Returns the key values by column.
Named<const std::string> key_of(const ModelSetLine& line, const ModelSetHeader& header);

/// True if the bytes begin like a set of models.
bool is_model_set(std::string_view bytes);

/// Parses the first line of a set.
ModelSetHeader parse_set_header(const std::string& place, std::string_view text);

/// Parses one line after the header. Returns nullopt if `is_wanted`, called before the model is
/// read, rejects it. Throws InputError under the same conditions as read_model().
std::optional<ModelSetLine> parse_set_line(
    const std::string& place, std::string_view text, const ModelSetHeader& header,
    const std::function<bool(const ModelSetLine&)>& is_wanted = {});

/// Throws InputError for a truncated line.
[[noreturn]] void refuse_torn_line(const std::string& source, const TextLine& line);

/// Reads a model.json as the only line of a set without key.
ModelSetLine single_model(const std::string& source, std::string_view bytes);

/// Returns "kernel=allreduce gpu=a100", and the target if the set has several.
std::string words_of(const ModelSetLine& line, const ModelSetHeader& header);

}  // namespace perfmodel
