#include "pipeline/merged_parts.hpp"

#include <set>
#include <utility>

#include "base/text.hpp"
#include "io/model/model_set.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// What all parts of a job have in common, as one line.
std::string common_line(ModelSetHeader header) {
  header.shard.reset();
  return to_line(header);
}

class Merger {
 public:
  explicit Merger(const std::vector<PartFile>& parts) {
    for (const PartFile& part : parts)
      parsed_.push_back(parse_model_set_lines(part.name, part.bytes));
    const ModelSetHeader& first = parsed_.front().header;
    common_ = common_line(first);
    of_ = first.shard.value_or(Shard{}).of;
    for (std::size_t i = 0; i < parts.size(); ++i)
      require_same_job(parts.front().name, parts[i].name, parsed_[i].header);
    lines_.resize(first.tasks);
    for (std::size_t i = 0; i < parts.size(); ++i)
      add(parts[i].name, parsed_[i]);
  }

  std::string text() const {
    std::set<std::size_t> again = torn_;
    std::size_t missing = 0;
    for (std::size_t task = 0; task < lines_.size(); ++task) {
      if (!lines_[task].empty())
        continue;
      ++missing;
      again.insert(task % of_);
    }
    std::vector<std::string> problems = problems_;
    if (missing > 0) {
      problems.push_back(std::to_string(missing) + " of " + std::to_string(lines_.size()) +
                         " tasks are missing");
    }
    if (!again.empty()) {
      std::vector<std::string> shards;
      for (const std::size_t index : again)
        shards.push_back(to_text(Shard{index, of_}));
      problems.push_back("run again: " + joined(shards, ", "));
    }
    if (!problems.empty())
      throw InputError(joined(problems, "; "));
    std::string out = common_;
    for (const std::string_view line : lines_)
      out += line;
    return out;
  }

 private:
  std::vector<ModelSetText> parsed_;
  std::string common_;                   ///< the header of the whole
  std::size_t of_ = 1;                   ///< shards
  std::vector<std::string_view> lines_;  ///< by task
  std::vector<std::string> problems_;
  std::set<std::size_t> torn_;  ///< shards

  void require_same_job(const std::string& first, const std::string& name,
                        const ModelSetHeader& header) const {
    if (common_line(header) != common_)
      throw InputError(name + ": of other runs or options than " + first);
    if (header.shard.value_or(Shard{}).of != of_)
      throw InputError(name + ": of another number of shards than " + first);
  }

  void add(const std::string& name, const ModelSetText& part) {
    const Shard shard = part.header.shard.value_or(Shard{});
    if (!part.torn.empty()) {
      problems_.push_back(part.torn);
      torn_.insert(shard.index);
    }
    std::size_t doubled = 0;
    for (std::size_t i = 0; i < part.tasks.size(); ++i) {
      const std::size_t task = part.tasks[i];
      if (task >= lines_.size() || !shard.has(task))
        throw InputError(name + ": task " + std::to_string(task) + " is none of shard " +
                         to_text(shard));
      if (lines_[task].empty())
        lines_[task] = part.lines[i];
      else
        ++doubled;
    }
    if (doubled > 0) {
      problems_.push_back(name + ": " + std::to_string(doubled) +
                          " tasks stand in another part, too; give shard " + to_text(shard) +
                          " once");
    }
  }
};

}  // namespace

std::string merged_parts(const std::vector<PartFile>& parts) {
  return Merger(parts).text();
}

}  // namespace perfmodel
