#include "many/tasks.hpp"

#include <istream>
#include <memory>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "report/model_set.hpp"

namespace perfmodel {
namespace {

/// Throws InputError if an editor or a transfer changed the line.
void refuse_changed_line(const std::string& place, const TextLine& line) {
  if (!line.whole && line.number > 1 && task_of_line(place, line.text))
    throw InputError(place +
                     ": the line is whole, but its newline is missing; add it, if nothing "
                     "else of the file was lost");
  if (line.whole && line.text.ends_with('\r'))
    throw InputError(place +
                     ": the line ends in CR and LF, as a transfer in text mode leaves it; take "
                     "the CR of every line away, or copy the file byte by byte");
}

}  // namespace

Shard MergedParts::begin(const std::string& place, const TextLines& part, std::string_view line) {
  require_header(part.source(), line);
  auto header = parse_set_header(place, line);
  const Shard shard = std::exchange(header.shard, std::nullopt).value_or(Shard{});
  const std::string common = to_line(header);
  if (header_.empty()) {
    header_ = common;
    shards_ = shard.of;
    places_.resize(header.tasks);
  }
  if (common != header_)
    throw InputError(part.source() + ": of other runs or options than " + parts_.front().source());
  if (shard.of != shards_)
    throw InputError(part.source() + ": of another number of shards than " +
                     parts_.front().source());
  return shard;
}

void MergedParts::read(std::size_t part, std::vector<std::string>& problems,
                       std::set<std::size_t>& again) {
  const std::string& source = parts_[part].source();
  std::optional<Shard> shard;
  std::string torn;  // what is wrong with the first truncated or damaged line
  std::size_t doubled = 0;
  parts_[part].for_each([&](const TextLine& line) {
    const std::string place = place_of_line(source, line.number);
    refuse_changed_line(place, line);
    if (!line.whole) {
      torn = place + ": the line is cut short";
      return false;
    }
    if (!shard) {
      shard = begin(place, parts_[part], line.text);
      return true;
    }
    refuse_second_header(place, line.text);
    std::size_t task = 0;
    try {
      task = JsonCursor::parse(place, line.text).member("task").count();
    } catch (const InputError& error) {
      torn = error.what();
      return false;
    }
    if (task >= places_.size() || !shard->has(task))
      throw InputError(source + ": task " + std::to_string(task) + " is none of shard " +
                       to_text(*shard));
    if (places_[task].size == 0)
      places_[task] = {part, line.offset, line.text.size() + 1};
    else
      ++doubled;
    return true;
  });
  if (!shard)
    throw InputError(source + ": the first line is cut short");
  if (!torn.empty()) {
    problems.push_back(torn);
    again.insert(shard->index);
  }
  if (doubled > 0) {
    problems.push_back(source + ": " + std::to_string(doubled) +
                       " tasks are also in another part; give shard " + to_text(*shard) + " once");
  }
}

MergedParts::MergedParts(const std::vector<TextLines>& parts) : parts_(parts) {
  std::vector<std::string> problems;
  std::set<std::size_t> again;  // shards
  for (std::size_t part = 0; part < parts_.size(); ++part)
    read(part, problems, again);
  std::size_t missing = 0;
  for (std::size_t task = 0; task < places_.size(); ++task) {
    if (places_[task].size > 0)
      continue;
    ++missing;
    again.insert(task % shards_);
  }
  if (missing > 0) {
    problems.push_back(std::to_string(missing) + " of " + std::to_string(places_.size()) +
                       " tasks are missing");
  }
  if (!again.empty()) {
    std::vector<std::string> shards;
    for (const std::size_t index : again)
      shards.push_back(to_text(Shard{index, shards_}));
    problems.push_back("run again: " + joined(shards, ", "));
  }
  if (!problems.empty())
    throw InputError(joined(problems, "; "));
}

void MergedParts::for_each_line(const std::function<void(std::string_view line)>& visit) const {
  struct OpenPart {
    std::unique_ptr<std::istream> stream;
    std::size_t at = 0;
  };
  std::vector<OpenPart> readers =
      mapped(parts_, [&](const TextLines& part) { return OpenPart{part.open()}; });
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

}  // namespace perfmodel
