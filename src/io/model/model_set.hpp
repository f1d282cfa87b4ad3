#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// Every n-th task of a job: those whose number modulo `of` is `index`.
struct Shard {
  std::size_t index = 0;
  std::size_t of = 1;

  bool has(std::size_t task) const { return task % of == index; }
  bool operator==(const Shard&) const = default;
};

/// "2/8": shards count from 1 for people.
std::string to_text(const Shard& shard);

/// What the first line of a set of models says: what all of its lines have in common.
struct ModelSetHeader {
  std::string tool;
  std::string job;  ///< a digest of the runs and of all settings that a result depends on
  std::string file;
  std::vector<std::string> by;
  std::optional<std::string> target_name;   ///< of a long table: the column of the targets' names
  std::optional<std::string> target_value;  ///< and that of their values
  std::size_t tasks = 0;
  std::optional<Shard> shard;  ///< nothing: all tasks
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

std::string to_line(const ModelSetHeader& header);
std::string to_line(const ModelSetLine& line, const ModelSetHeader& header);

/// Lines of a set of which nobody has looked at the models yet.
struct ModelSetText {
  ModelSetHeader header;
  std::vector<std::size_t> tasks;       ///< of each line
  std::vector<std::string_view> lines;  ///< with their newlines
  std::string torn;  ///< what is wrong with the first line that is cut or damaged; it and all
                     ///< behind it are left out
};

/// Whether the bytes begin as a set does.
bool is_model_set(std::string_view bytes);

/// `bytes` live as long as the lines. Throws InputError where the header cannot be read.
ModelSetText parse_model_set_lines(const std::string& source, std::string_view bytes);

/// Throws InputError for a torn line and for what read_model() throws.
ModelSet parse_model_set(const std::string& source, std::string_view bytes);

/// A model.json as the only line of a set without key.
ModelSetLine single_model(const std::string& source, std::string_view bytes);

/// "kernel=allreduce gpu=a100", with the target of a set of several.
std::string words_of(const ModelSetLine& line, const ModelSetHeader& header);

}  // namespace perfmodel
