#include "jobs/tasks.hpp"

#include <istream>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "perfmodel/error.hpp"
#include "report/model_json.hpp"
#include "report/model_set.hpp"

namespace perfmodel {
void describe(Fields& f, HeldOutFold& x) {
  f("metrics", x.metrics);
  f("predicted", x.predicted);
}

void describe(Fields& f, SweepPoint& x) {
  f("penalty", x.penalty);
  f("lambda", x.lambda);
  f("validation_loss", x.validation_loss);
  f("standard_error", x.standard_error);
  f("model", x.model);
}

void describe(Fields& f, ModelScore& x) {
  f("name", x.name);
  f("file", x.file);
  f("metrics", x.metrics);
  f("fit_seconds", x.fit_seconds);
  f("columns", x.columns);
  f("scaling_powers", x.scaling_powers);
}

void describe(Fields& f, plan::PlanStart& x) {
  f("candidates", x.candidates);
  f("information", x.information);
}

namespace {

Shard shard_of(const PartText& part) {
  return part.header.shard.value_or(Shard{});
}

void require_same_job(const PartText& first, const PartText& part) {
  if (part.common != first.common)
    throw InputError(part.source + ": of other runs or options than " + first.source);
  if (shard_of(part).of != shard_of(first).of)
    throw InputError(part.source + ": of another number of shards than " + first.source);
}

}  // namespace

MergedParts::MergedParts(const std::vector<TextLines>& parts) : parts_(parts) {
  std::vector<PartText> read;
  for (const TextLines& part : parts)
    read.push_back(read_part(part));
  for (const PartText& part : read)
    require_same_job(read.front(), part);
  header_ = read.front().common;
  places_.resize(read.front().header.tasks);
  std::vector<std::string> problems;
  std::set<std::size_t> again;  // shards
  for (std::size_t k = 0; k < read.size(); ++k) {
    const Shard shard = shard_of(read[k]);
    if (!read[k].torn.empty()) {
      problems.push_back(read[k].torn);
      again.insert(shard.index);
    }
    std::size_t doubled = 0;
    for (const PartLine& line : read[k].lines) {
      if (line.task >= places_.size() || !shard.has(line.task))
        throw InputError(read[k].source + ": task " + std::to_string(line.task) +
                         " is none of shard " + to_text(shard));
      if (places_[line.task].size == 0)
        places_[line.task] = {k, line.offset, line.size};
      else
        ++doubled;
    }
    if (doubled > 0) {
      problems.push_back(read[k].source + ": " + std::to_string(doubled) +
                         " tasks stand in another part, too; give shard " + to_text(shard) +
                         " once");
    }
  }
  const std::size_t of = shard_of(read.front()).of;
  std::size_t missing = 0;
  for (std::size_t task = 0; task < places_.size(); ++task) {
    if (places_[task].size > 0)
      continue;
    ++missing;
    again.insert(task % of);
  }
  if (missing > 0) {
    problems.push_back(std::to_string(missing) + " of " + std::to_string(places_.size()) +
                       " tasks are missing");
  }
  if (!again.empty()) {
    std::vector<std::string> shards;
    for (const std::size_t index : again)
      shards.push_back(to_text(Shard{index, of}));
    problems.push_back("run again: " + joined(shards, ", "));
  }
  if (!problems.empty())
    throw InputError(joined(problems, "; "));
}

void MergedParts::for_each_line(const std::function<void(std::string_view line)>& visit) const {
  struct Reader {
    std::unique_ptr<std::istream> stream;
    std::size_t at = 0;
  };
  std::vector<Reader> readers;
  for (const TextLines& part : parts_)
    readers.push_back({part.open()});
  std::string line;
  for (const Place& place : places_) {
    auto& [stream, at] = readers[place.part];
    // Seeks only if necessary: tasks are almost always in order, and a seek discards the buffer.
    if (at != place.offset)
      stream->seekg(static_cast<std::streamoff>(place.offset));
    line.resize(place.size);
    if (!stream->read(line.data(), static_cast<std::streamsize>(place.size)) || line.back() != '\n')
      throw InputError(parts_[place.part].source() + ": changed while it was read");
    at = place.offset + place.size;
    visit(line);
  }
}

TaskShare::TaskShare(Shard shard, const std::vector<std::string>& kept, Writer write)
    : shard_(shard), kept_(kept), write_(std::move(write)) {
  for (const std::string& line : kept_) {
    // kept_tasks() has checked that these are the first tasks of the shard.
    const std::size_t task = lines_.empty() ? shard.index : lines_.size() - 1 + shard.of;
    lines_.resize(task + 1);
    lines_[task] = line;
  }
}

TaskShare::TaskShare(std::string source, const std::vector<std::string_view>& lines)
    : source_(std::move(source)), lines_(lines) {}

}  // namespace perfmodel
