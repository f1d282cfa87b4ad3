#include "report/model_set.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"
#include "report/model_json.hpp"

namespace perfmodel {
namespace {

constexpr std::string_view kHeaderBegin = "{\"schema\": \"perfmodel/";
constexpr std::string_view kTaskBegin = "{\"task\": ";
constexpr std::string_view kEncodingMark = "\xEF\xBB\xBF";

constexpr auto kSetSchema = "perfmodel/models";

/// Describes the fields before the model.
void describe_beginning(Fields& f, ModelSetLine& x, const ModelSetHeader& header) {
  if (!f.writes())
    x.key.resize(header.by.size());
  f("task", x.task, "its number, from 0");
  f("key", Named<std::string>{header.by, x.key.data()}, "the texts of the key columns");
  f("target", x.target, "the measured column");
  f("rows", x.rows, "of the group");
}

}  // namespace

void describe(Fields& f, Shard& x) {
  std::size_t number = x.index + 1;
  f("index", number, "from 1");
  f("of", x.of, "how many there are");
  if (!f.reads())
    return;
  if (number < 1 || number > x.of)
    f.fail("there is no such shard");
  x.index = number - 1;
}

void require_header(const std::string& source, std::string_view first_line) {
  if (first_line.starts_with(kTaskBegin)) {
    throw InputError(place_of_line(source, 1) +
                     ": this is the line of a task; the header, which is the first line of such a "
                     "file, is missing: copy the file again, or make it again");
  }
  if (first_line.starts_with(kEncodingMark) &&
      first_line.substr(kEncodingMark.size()).starts_with(kHeaderBegin)) {
    throw InputError(place_of_line(source, 1) +
                     ": a byte order mark (EF BB BF) stands before the header, as some editors put "
                     "it there; take it away");
  }
}

void refuse_second_header(const std::string& place, std::string_view line) {
  if (line.starts_with(kHeaderBegin)) {
    throw InputError(place +
                     ": a second header; files were joined here that have to stay apart, as "
                     "merge takes them");
  }
}

std::optional<std::size_t> task_of_line(const std::string& place, std::string_view line) {
  try {
    return JsonCursor::parse(place, line).member("task").count();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::string place_of_line(const std::string& source, std::size_t number) {
  return source + ":" + std::to_string(number);
}

void describe(Fields& f, ModelSetHeader& x) {
  f.document(kSetSchema, "Many models, a line each after a header: fit --by, merge");
  f("tool", x.tool, "the program and its version");
  f("job", x.job, "a digest of the runs and of all options that a result depends on");
  f("file", x.file, "of the runs");
  f("by", x.by, "the key columns");
  f("tasks", x.tasks, "number of lines that follow in a complete file");
  f("shard", x.shard, "of a part: task t is of the shard t mod `of` + 1", kSparse);
}

std::string to_line(const ModelSetHeader& header) {
  return line_text(json_of(header));
}

void describe(Fields& f, ModelSetLine& x) {
  describe_beginning(f, x, f.context<ModelSetHeader>());
  const bool has_model = f.reads() ? f.has("model") : x.model.has_value();
  f("model", x.model, "a [model](#model) without its digest", only_if(has_model));
  f("refused", x.refused, "in place of `model`: why there is none", only_if(!has_model));
}

std::string to_line(const ModelSetLine& line, const ModelSetHeader& header) {
  return line_text(json_of(line, &header));
}

bool is_model_set(std::string_view bytes) {
  return bytes.starts_with("{\"schema\": \"" + std::string(kSetSchema) + "\"");
}

ModelSetHeader parse_set_header(const std::string& place, std::string_view text) {
  return read_json<ModelSetHeader>(JsonCursor::parse(place, text));
}

std::optional<ModelSetLine> parse_set_line(
    const std::string& place, std::string_view text, const ModelSetHeader& header,
    const std::function<bool(const ModelSetLine&)>& is_wanted) {
  const JsonCursor root = JsonCursor::parse(place, text);
  ModelSetLine line;
  Fields f(root);
  describe_beginning(f, line, header);
  return is_wanted && !is_wanted(line) ? std::nullopt
                                       : std::optional(read_json<ModelSetLine>(root, &header));
}

std::string words_of(const ModelSetLine& line, const ModelSetHeader& header) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < header.by.size(); ++i)
    words.push_back(header.by[i] + "=" + line.key[i]);
  words.push_back(line.target);
  return joined(words, " ");
}

namespace {

/// Throws InputError for a truncated line.
[[noreturn]] void refuse_torn_line(const std::string& source, const TextLine& line) {
  const std::string place = place_of_line(source, line.number);
  if (task_of_line(place, line.text)) {
    throw InputError(place +
                     ": the line is whole, but its newline is missing; add it, if nothing else of "
                     "the file was lost, or fit again with --resume");
  }
  throw InputError(place + ": the line is cut short; fit again with --resume");
}

/// A number per key, since the keys of a set may be larger than memory.
std::size_t hash_of_key(const ModelSetLine& line) {
  std::string text = line.target;
  for (const std::string& part : line.key)  // with lengths: keys may contain any character
    text += std::to_string(part.size()) + ':' + part;
  return std::hash<std::string>{}(text);
}

ModelSet::ShowText lines_behind_header(const TextLines& file) {
  return [file](const std::function<void(std::string_view text)>& visit) {
    file.for_each([&](const TextLine& line) {
      if (!line.whole)
        refuse_torn_line(file.source(), line);
      if (line.number > 1) {
        refuse_second_header(place_of_line(file.source(), line.number), line.text);
        visit(line.text);
      }
      return true;
    });
  };
}

}  // namespace

ModelSet::ModelSet(std::vector<ModelSetLine> lines, ModelSetHeader header)
    : header_(std::move(header)),
      lines_(std::make_shared<const std::vector<ModelSetLine>>(std::move(lines))) {}

ModelSet::ModelSet(FittedModel model)
    : ModelSet({{0, {}, model.spec.target, model.provenance.rows, std::move(model), ""}}) {}

ModelSet::ModelSet(std::string source, ModelSetHeader header, ShowText text)
    : header_(std::move(header)), source_(std::move(source)), text_(std::move(text)) {}

ModelSet::ModelSet(const TextLines& file, ModelSetHeader header)
    : ModelSet(file.source(), std::move(header), lines_behind_header(file)) {}

ModelSet ModelSet::read(const std::string& path) {
  const TextLines file(path);
  std::string first;
  std::size_t lines = 0;
  file.for_each([&](const TextLine& line) {
    lines = line.number;
    if (lines > 1)
      return false;
    if (is_model_set(line.text) && !line.whole)
      refuse_torn_line(file.source(), line);
    require_header(file.source(), line.text);
    first = line.text;
    return is_model_set(first);
  });
  if (!is_model_set(first))
    return ModelSet(read_model(JsonCursor::parse(file.source(), file.bytes()), form_kinds()));
  if (lines < 2)
    throw InputError(
        file.source() +
        ": there is no model in it, only the header of a set; fit again with --resume");
  return {file, parse_set_header(place_of_line(file.source(), 1), first)};
}

std::size_t ModelSet::size() const {
  if (!kept_.empty())
    return static_cast<std::size_t>(std::ranges::count(kept_, true));
  std::size_t out = lines_ ? lines_->size() : 0;
  if (!lines_)
    text_([&](std::string_view) { ++out; });
  return out;
}

void ModelSet::for_each(const Wanted& is_wanted, const Visit& visit) const {
  for (std::size_t i = 0; lines_ && i < lines_->size(); ++i)
    if (const ModelSetLine& line = (*lines_)[i]; is_kept(i) && (!is_wanted || is_wanted(line)))
      visit(line);
  if (lines_)
    return;
  std::size_t i = 0;
  std::unordered_map<std::size_t, std::size_t> line_of;  // by the hash of the key
  text_([&](std::string_view text) {
    const std::size_t line = i++;
    if (!is_kept(line))
      return;
    const auto is_new_and_wanted = [&](const ModelSetLine& read) {
      const auto [known, is_new] = line_of.try_emplace(hash_of_key(read), line + 2);
      if (!is_new)
        throw InputError(place_of_line(source_, line + 2) + ": the model of " +
                         words_of(read, header_) + " stands in line " +
                         std::to_string(known->second) + ", too; leave one of them");
      return !is_wanted || is_wanted(read);
    };
    if (const auto read =
            parse_set_line(place_of_line(source_, line + 2), text, header_, is_new_and_wanted))
      visit(*read);
  });
}

void ModelSet::for_each_model(
    const std::function<void(const ModelSetLine&, const FittedModel&)>& visit) const {
  for_each([&](const ModelSetLine& line) {
    if (line.model)
      visit(line, *line.model);
  });
}

}  // namespace perfmodel
