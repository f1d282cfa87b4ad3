#include <istream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "cli/fit_options.hpp"
#include "many/set_summary.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::cli {
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

/// The shards of a job merged into one file, with the same bytes as the job without shards. Only
/// the position of each line is in memory.
class MergedParts {
 public:
  /// Throws InputError, naming the shards to run again, for a shard of another job, a truncated
  /// line, and a task that is in two shards or in none.
  explicit MergedParts(const std::vector<TextLines>& parts) : parts_(parts) {
    for (std::size_t part = 0; part < parts_.size(); ++part)
      read(part);
    std::size_t missing = 0;
    for (std::size_t task = 0; task < places_.size(); ++task) {
      if (places_[task].size > 0)
        continue;
      ++missing;
      again_.insert(task % shards_);
    }
    if (missing > 0)
      problems_.push_back(std::to_string(missing) + " of " + std::to_string(places_.size()) +
                          " tasks are missing");
    const auto text_of = [&](std::size_t index) { return to_text(Shard{index, shards_}); };
    if (!again_.empty())
      problems_.push_back("run again: " + joined(mapped(again_, text_of), ", "));
    if (!problems_.empty())
      throw InputError(joined(problems_, "; "));
  }

  /// The first line, with its newline.
  const std::string& header() const { return header_; }
  std::size_t tasks() const { return places_.size(); }

  /// Visits the other lines in the order of their tasks, with their newlines.
  void for_each_line(const std::function<void(std::string_view line)>& visit) const {
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
      if (!stream->read(line.data(), static_cast<std::streamsize>(place.size)) ||
          line.back() != '\n')
        throw InputError(parts_[place.part].source() + ": changed while it was read");
      at = place.offset + place.size;
      visit(line);
    }
  }

 private:
  struct Place {
    std::size_t part = 0;
    std::size_t offset = 0;
    std::size_t size = 0;  ///< 0: missing
  };
  std::vector<TextLines> parts_;
  std::string header_;
  std::size_t shards_ = 1;
  std::vector<Place> places_;  ///< by task
  std::vector<std::string> problems_;
  std::set<std::size_t> again_;  ///< shards that have to run again

  /// Reads the first line of a part and returns its shard.
  Shard begin(const std::string& place, const TextLines& part, std::string_view line) {
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
      throw InputError(part.source() + ": of other runs or options than " +
                       parts_.front().source());
    if (shard.of != shards_)
      throw InputError(part.source() + ": of another number of shards than " +
                       parts_.front().source());
    return shard;
  }

  /// Notes the places of the lines of a part, and what is wrong with it.
  void read(std::size_t part) {
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
      problems_.push_back(torn);
      again_.insert(shard->index);
    }
    if (doubled > 0)
      problems_.push_back(source + ": " + std::to_string(doubled) +
                          " tasks are also in another part; give shard " + to_text(*shard) +
                          " once");
  }
};

struct MergeArguments {
  std::vector<std::string> parts = {};
  std::vector<Gate> gates = {};
  std::vector<std::string> ranked_at = {};  ///< COL=VALUE: configuration of the ranking
  std::string output = "-";
};

void setup_merge(OptionSet& command, MergeArguments& arguments) {
  command.add("PART.jsonl", arguments.parts, "the files that --shard wrote, one per shard")
      .file(FileUse::input)
      .required();
  add_output(command, arguments.output, "FILE");
  add_gates(command, arguments.gates,
            "end with exit code 4 if this holds, such as 'any.mape>20' (repeatable); the result is "
            "written all the same",
            {{}, kSetFigureWords, is_set_figure});
  command
      .add("--set COL=VALUE", arguments.ranked_at,
           "configuration at which the models are ranked, as in show (repeatable)")
      .repeatable();
  command.common({"--set"});
  command.footer(
      R"(If a part is missing, doubled, cut short, or of other runs or options, merge fails with exit code 3
and names the shards to run again. The result is byte for byte that of the command without --shard.

Examples:
  perfmodel merge part-*.jsonl -o all.jsonl
  perfmodel merge part-*.jsonl --fail-if 'any.mape>20' -o all.jsonl)");
}

int run_merge(const MergeArguments& arguments, Console& console) {
  std::optional<SearchProgress> progress(console);
  progress->begin("reading " + joined(arguments.parts, ", "));
  const std::vector<TextLines> files(arguments.parts.begin(), arguments.parts.end());
  std::string first;
  files.front().for_each([&](const TextLine& line) {
    first = line.text;
    return false;
  });
  require_header(files.front().source(), first);
  if (!is_model_set(first))
    throw InputError(files.front().source() + ": this is not a file that --shard wrote");
  const MergedParts parts(files);
  require_set_figures(arguments.gates);
  OutputFile output(arguments.output);
  output.write(parts.header());
  std::size_t done = 0;
  parts.for_each_line([&](std::string_view line) {
    output.write(line);
    progress->show("joining", ++done, parts.tasks());
  });
  output.commit();
  const std::string source = display_name(arguments.output);
  const ModelSet set(source, parse_set_header(source, parts.header()), [&](const auto& visit) {
    parts.for_each_line([&](std::string_view line) { visit(line.substr(0, line.size() - 1)); });
  });
  progress->begin("ranking the models");
  show_set(set, arguments.ranked_at, true, console);
  progress.reset();
  check_gates(judged_set_gates(arguments.gates, set));
  return 0;
}

}  // namespace

Command merge_command() {
  return make_command<MergeArguments>("merge", "Joins the models of shards.", setup_merge,
                                      run_merge);
}

}  // namespace perfmodel::cli
