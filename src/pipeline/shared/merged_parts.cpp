#include "pipeline/shared/merged_parts.hpp"

#include <set>
#include <utility>

#include "base/text.hpp"
#include "io/parts/part_text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

class Merger {
 public:
  explicit Merger(const std::vector<PartFile>& parts) {
    for (const PartFile& part : parts)
      parsed_.push_back(parse_part(part.name, part.bytes));
    const PartText& first = parsed_.front();
    of_ = first.header.shard.value_or(Shard{}).of;
    for (const PartText& part : parsed_)
      require_same_job(first, part);
    lines_.resize(first.header.tasks);
    for (const PartText& part : parsed_)
      add(part);
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
    std::string out = parsed_.front().common;
    for (const std::string_view line : lines_)
      out += line;
    return out;
  }

 private:
  std::vector<PartText> parsed_;
  std::size_t of_ = 1;                   ///< shards
  std::vector<std::string_view> lines_;  ///< by task
  std::vector<std::string> problems_;
  std::set<std::size_t> torn_;  ///< shards

  static void require_same_job(const PartText& first, const PartText& part) {
    if (part.common != first.common)
      throw InputError(part.source + ": of other runs or options than " + first.source);
    if (part.header.shard.value_or(Shard{}).of != first.header.shard.value_or(Shard{}).of)
      throw InputError(part.source + ": of another number of shards than " + first.source);
  }

  void add(const PartText& part) {
    const Shard shard = part.header.shard.value_or(Shard{});
    if (!part.torn.empty()) {
      problems_.push_back(part.torn);
      torn_.insert(shard.index);
    }
    std::size_t doubled = 0;
    for (std::size_t i = 0; i < part.tasks.size(); ++i) {
      const std::size_t task = part.tasks[i];
      if (task >= lines_.size() || !shard.has(task))
        throw InputError(part.source + ": task " + std::to_string(task) + " is none of shard " +
                         to_text(shard));
      if (lines_[task].empty())
        lines_[task] = part.lines[i];
      else
        ++doubled;
    }
    if (doubled > 0) {
      problems_.push_back(part.source + ": " + std::to_string(doubled) +
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
