#include "jobs/tasks.hpp"

#include <array>
#include <istream>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "fit/fit.hpp"
#include "perfmodel/error.hpp"
#include "report/model_json.hpp"
#include "report/model_set.hpp"

namespace perfmodel {
namespace {

template <class Numbers>
Json numbers_to_json(const Numbers& numbers) {
  Json out = Json::array();
  for (const double value : numbers)
    out.push_back(number(value));
  return out;
}

std::vector<double> read_numbers(const JsonCursor& node) {
  std::vector<double> out;
  for (const JsonCursor& item : node.items())
    out.push_back(item.number());
  return out;
}

Eigen::VectorXd read_vector(const JsonCursor& node) {
  const std::vector<double> numbers = read_numbers(node);
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

PartMetrics read_part_metrics(const JsonCursor& node) {
  PartMetrics out;
  if (const auto train = node.nullable_member("train"))
    out.train = read_metrics(*train);
  if (const auto validation = node.nullable_member("validation"))
    out.validation = read_metrics(*validation);
  if (const auto test = node.nullable_member("test"))
    out.test = read_metrics(*test);
  return out;
}

PenaltyKind penalty_of(const std::string& text) {
  for (const PenaltyKind kind : std::array{PenaltyKind::l1, PenaltyKind::l2})
    if (to_text(kind) == text)
      return kind;
  return PenaltyKind::none;
}

}  // namespace

TaskCodec<Eigen::VectorXd> numbers_codec() {
  return {[](const Eigen::VectorXd& numbers) { return numbers_to_json(numbers); }, read_vector};
}

TaskCodec<FittedModel> model_codec() {
  return {model_document, [](const JsonCursor& node) { return read_model(node, form_kinds()); }};
}

TaskCodec<HeldOutFold> fold_codec() {
  return {[](const HeldOutFold& fold) {
            return Json{{"metrics", to_json(fold.metrics)},
                        {"predicted", numbers_to_json(fold.predicted)}};
          },
          [](const JsonCursor& node) {
            return HeldOutFold{read_metrics(node.member("metrics")),
                               read_vector(node.member("predicted"))};
          }};
}

TaskCodec<SweepPoint> point_codec() {
  return {[](const SweepPoint& point) -> Json {
            return {{"penalty", to_text(point.penalty)},
                    {"lambda", number(point.lambda)},
                    {"validation_loss", number(point.validation_loss)},
                    {"standard_error", number(point.standard_error)},
                    {"model", model_document(point.model)}};
          },
          [](const JsonCursor& node) -> SweepPoint {
            return {penalty_of(node.member("penalty").text()), node.member("lambda").number(),
                    read_model(node.member("model"), form_kinds()),
                    node.member("validation_loss").number(),
                    node.member("standard_error").number()};
          }};
}

TaskCodec<ModelScore> score_codec() {
  return {[](const ModelScore& score) -> Json {
            return {{"name", score.name},
                    {"file", score.file},
                    {"metrics", to_json(score.metrics)},
                    {"fit_seconds", number(score.fit_seconds)},
                    {"columns", score.columns},
                    {"scaling_powers", numbers_to_json(score.scaling_powers)}};
          },
          [](const JsonCursor& node) {
            ModelScore out;
            out.name = node.member("name").text();
            out.file = node.member("file").text();
            out.metrics = read_part_metrics(node.member("metrics"));
            out.fit_seconds = node.member("fit_seconds").number();
            for (const JsonCursor& column : node.member("columns").items())
              out.columns.push_back(column.text());
            out.scaling_powers = read_numbers(node.member("scaling_powers"));
            return out;
          }};
}

TaskCodec<plan::PlanStart> plan_codec() {
  return {[](const plan::PlanStart& start) -> Json {
            return {{"candidates", start.candidates}, {"information", number(start.information)}};
          },
          [](const JsonCursor& node) {
            plan::PlanStart out;
            for (const JsonCursor& candidate : node.member("candidates").items())
              out.candidates.push_back(candidate.count());
            out.information = node.member("information").number();
            return out;
          }};
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
    // Tasks stand in their order nearly always, and going to a place empties a buffer.
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
    // Whoever kept them has seen that they are the first tasks of the shard.
    const std::size_t task = lines_.empty() ? shard.index : lines_.size() - 1 + shard.of;
    lines_.resize(task + 1);
    lines_[task] = line;
  }
}

TaskShare::TaskShare(std::string source, const std::vector<std::string_view>& lines)
    : source_(std::move(source)), lines_(lines) {}

}  // namespace perfmodel
