#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/parts/part_text.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/fit/task/shared_form.hpp"

namespace perfmodel {

/// Which models of a set are of what others add up to: those of a target, or of a text of a key
/// column.
struct SetTotal {
  std::optional<std::string> column;  ///< of the key; nothing: it is a target
  std::string name;
};

/// The form that all models of a target have, chosen over groups of it.
struct SetForm {
  std::string target;
  SharedForm form;
};

/// What the first line of a set of models says: what all of its lines have in common.
struct ModelSetHeader : TasksHeader {
  std::string file;
  std::vector<std::string> by;
  std::optional<std::string> target_name;   ///< of a long table: the column of the targets' names
  std::optional<std::string> target_value;  ///< and that of their values
  std::optional<SetTotal> total;
  std::vector<SetForm> shared_forms;  ///< where groups share one
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

/// The texts of the key by their columns.
Json key_to_json(const ModelSetLine& line, const ModelSetHeader& header);

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
