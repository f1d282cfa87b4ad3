#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

void describe(Fields& f, ModelSetHeader& x);
/// The context of `f` must be the header.
void describe(Fields& f, ModelSetLine& x);

std::string to_line(const ModelSetHeader& header);
std::string to_line(const ModelSetLine& line, const ModelSetHeader& header);

/// True if the bytes begin like a set of models.
bool is_model_set(std::string_view bytes);

/// Parses the first line of a set.
ModelSetHeader parse_set_header(const std::string& place, std::string_view text);

/// Parses one line after the header. Returns nullopt if `is_wanted`, called before the model is
/// read, rejects it. Throws InputError under the same conditions as read_model().
std::optional<ModelSetLine> parse_set_line(
    const std::string& place, std::string_view text, const ModelSetHeader& header,
    const std::function<bool(const ModelSetLine&)>& is_wanted = {});

/// Returns "kernel=allreduce gpu=a100", and the target if the set has several.
std::string words_of(const ModelSetLine& line, const ModelSetHeader& header);

/// Models of groups of runs, in memory or in a text: a header and one line per task. Of a text, one
/// line at a time is in memory. They can be visited repeatedly.
class ModelSet {
 public:
  using Wanted = std::function<bool(const ModelSetLine&)>;
  using Visit = std::function<void(const ModelSetLine&)>;
  /// Visits the lines of a text after its header.
  using ShowText = std::function<void(const std::function<void(std::string_view text)>& visit)>;

  explicit ModelSet(std::vector<ModelSetLine> lines, ModelSetHeader header = {});
  /// A single model: a line without a key.
  explicit ModelSet(FittedModel model);
  ModelSet(std::string source, ModelSetHeader header, ShowText text);
  /// The lines of a file with this header.
  ModelSet(const TextLines& file, ModelSetHeader header);
  /// The models of a file, which is that of a set or of a single model.
  static ModelSet read(const std::string& path);

  const ModelSetHeader& header() const { return header_; }
  /// False for the file of a single model.
  bool has_keys() const { return !header_.job.empty(); }
  std::size_t size() const;
  void for_each(const Visit& visit) const { for_each({}, visit); }
  /// Visits only lines for which `is_wanted` is true. It must not use the model, which is parsed
  /// from a text only afterwards.
  void for_each(const Wanted& is_wanted, const Visit& visit) const;
  /// Visits the lines that have a model.
  void for_each_model(
      const std::function<void(const ModelSetLine&, const FittedModel&)>& visit) const;
  /// Restricts the set to the lines with `true`.
  void keep(std::vector<bool> kept) { kept_ = std::move(kept); }

 private:
  ModelSetHeader header_;
  std::shared_ptr<const std::vector<ModelSetLine>> lines_;  ///< null: they are in a text
  std::string source_;
  ShowText text_;
  std::vector<bool> kept_;  ///< per line; empty: all

  bool is_kept(std::size_t line) const { return kept_.empty() || kept_[line]; }
};

}  // namespace perfmodel
