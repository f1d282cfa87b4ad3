// Runs transcripts: pages of Markdown that write files, start the program, and show what it prints.
//
//   perfmodel_transcripts [--update] PAGE.md...
//
// Each page has a folder of its own, with data and examples as at the root of a clone and the
// folder files that stands beside the page. A block
// ```csv runs.csv``` (any language, then a name) writes a file. A block ```console``` has commands
// for the shell behind "$ " and below each what a terminal shows of it, standard output and
// standard error in one; see support/console.hpp for what stands for other lines, texts and
// numbers. A command that fails ends with a line such as "[exit 3]".
//
// Beside `perfmodel` there is the command `json FILE POINTER...`, which prints values of a document
// (or of lines of documents), one a line; FILE may be -, and * in a pointer stands for all members.
//
// With --update, outputs that differ are written into the page; look at what changed.

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/console.hpp"
#include "support/markdown.hpp"
#include "support/readers_folder.hpp"

using namespace perfmodel::test;

namespace {

using Lines = std::vector<std::string>;

/// The output of a command, and how it ended where it failed.
Lines shown_lines(const CommandOutput& output) {
  Lines out = output.lines;
  if (output.exit_code != 0)
    out.push_back("[exit " + std::to_string(output.exit_code) + "]");
  return out;
}

bool is_exit(const Lines& lines) {
  return !lines.empty() && lines.back().starts_with("[exit ");
}

/// A cut at the end does not stand for a failure.
Lines differences_of(const Lines& expected, const Lines& actual) {
  if (is_exit(actual) && !is_exit(expected)) {
    Lines with_success = expected;
    with_success.push_back("[exit 0]");
    return differences(with_success, actual);
  }
  return differences(expected, actual);
}

/// The new output with the cuts of the old one, and with its lines where they still hold.
Lines updated(const Lines& expected, const Lines& actual) {
  Lines out = with_the_cuts_of(expected, actual).value_or(actual);
  for (std::string& line : out)
    for (const std::string& old : expected)
      if (line != old && shows({old}, {line}))
        line = old;
  return out;
}

class Page {
 public:
  Page(std::string name, const std::string& program) : name_(std::move(name)), folder_(program) {
    folder_.link(".bin/json", PERFMODEL_TRANSCRIPTS);
    folder_.link("files", std::filesystem::absolute(name_).parent_path() / "files");
  }

  /// Whether all is as shown; complains about what is not.
  bool holds(bool updates) {
    const Lines before = lines_of(read_text(name_));
    Lines lines;
    std::size_t done = 0;
    for (const FencedBlock& block : fenced_blocks(before)) {
      const auto begin = before.begin() + static_cast<std::ptrdiff_t>(block.first);
      lines.insert(lines.end(), before.begin() + static_cast<std::ptrdiff_t>(done), begin);
      done = block.first + block.lines.size();
      const Lines now = block.language == "console" ? checked(block, updates) : written(block);
      lines.insert(lines.end(), now.begin(), now.end());
    }
    lines.insert(lines.end(), before.begin() + static_cast<std::ptrdiff_t>(done), before.end());
    if (commands_ == 0)
      std::cout << name_ << ": no command\n";
    if (updates && lines != before)
      std::ofstream(name_, std::ios::binary) << joined(lines);
    return all_as_shown_ && commands_ > 0;
  }

 private:
  Lines written(const FencedBlock& block) const {
    const std::size_t space = block.language.find(' ');
    if (space != std::string::npos)
      folder_.write(block.language.substr(space + 1), block.lines);
    return block.lines;
  }

  Lines checked(const FencedBlock& block, bool updates) {
    Lines out;
    std::size_t line = block.first + 1;
    for (const ConsoleCommand& item : console_commands(block.lines)) {
      ++commands_;
      const Lines actual = shown_lines(folder_.run(item.command));
      const Lines different = differences_of(item.output, actual);
      all_as_shown_ = all_as_shown_ && different.empty();
      if (!different.empty())
        std::cout << name_ << ':' << line << ": $ " << item.command << joined(different) << '\n';
      line += item.shown.size() + item.output.size();
      const Lines output =
          updates && !different.empty() ? updated(item.output, actual) : item.output;
      out.insert(out.end(), item.shown.begin(), item.shown.end());
      out.insert(out.end(), output.begin(), output.end());
    }
    return out;
  }

  std::string name_;
  ReadersFolder folder_;
  std::size_t commands_ = 0;
  bool all_as_shown_ = true;
};

/// Prints what a pointer leads to from here.
void print_values(const nlohmann::json& from, const std::string& pointer) {
  const std::size_t end = pointer.find('/', 1);
  if (pointer.empty()) {
    std::cout << (from.is_string() ? from.get<std::string>() : from.dump()) << '\n';
    return;
  }
  const std::string rest = end == std::string::npos ? "" : pointer.substr(end);
  const nlohmann::json::json_pointer first(pointer.substr(0, end));
  if (pointer.substr(0, end) == "/*")
    for (const nlohmann::json& member : from)
      print_values(member, rest);
  else if (from.contains(first))
    print_values(from.at(first), rest);
  else
    std::cout << "(none)\n";
}

int print_json(int count, char** words) {
  std::string text;
  if (const std::string name = count > 1 ? words[1] : "-"; name == "-")
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  else
    text = read_text(name);
  nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    document = nlohmann::json::array();
    for (const std::string& line : lines_of(text))
      document.push_back(nlohmann::json::parse(line));
  }
  for (int i = 2; i < count; ++i)
    print_values(document, words[i]);
  if (count <= 2)
    std::cout << document.dump(2) << '\n';
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (std::string(words[0]).ends_with("json")) {
    try {
      return print_json(count, words);
    } catch (const std::exception& error) {
      std::cout << "json: " << error.what() << '\n';
      return 1;
    }
  }
  const bool updates = count > 1 && std::string(words[1]) == "--update";
  const char* other = std::getenv("PERFMODEL_TESTED_PROGRAM");
  bool all = true;
  for (int i = 1 + updates; i < count; ++i)
    all = Page(words[i], other != nullptr ? other : PERFMODEL_BINARY).holds(updates) && all;
  return all ? 0 : 1;
}
