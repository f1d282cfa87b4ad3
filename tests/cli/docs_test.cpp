// README.md and the pages of docs/: what they show is what the program prints, their links lead
// somewhere, and the options that they name exist.
//
// With PERFMODEL_UPDATE_DOCS=1 in the environment the blocks are written anew instead of compared.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "base/json.hpp"
#include "report/documents.hpp"
#include "support/catch.hpp"
#include "support/console.hpp"
#include "support/markdown.hpp"
#include "support/oddities.hpp"
#include "support/program.hpp"
#include "support/readers_folder.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

const fs::path root = PERFMODEL_SOURCE_DIR;

/// README.md first, then docs/ in the order of the names.
std::vector<fs::path> pages() {
  std::set<fs::path> docs;
  for (const auto& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md")
      docs.insert(entry.path());
  std::vector<fs::path> out = {root / "README.md"};
  out.insert(out.end(), docs.begin(), docs.end());
  return out;
}

/// Those, and the documents that stand elsewhere.
std::vector<fs::path> all_documents() {
  std::vector<fs::path> out = pages();
  for (const char* name : {"CONTRIBUTING.md", "CHANGELOG.md", "data/README.md",
                           "data/paper/README.md", "examples/ci/README.md"})
    out.push_back(root / name);
  return out;
}

std::vector<std::string> lines_of_page(const fs::path& page) {
  return test::lines_of(test::read_text(page.string()));
}

bool updates() {
  const char* value = std::getenv("PERFMODEL_UPDATE_DOCS");
  return value != nullptr && std::string(value) == "1";
}

/// Whether the output lacks what an optional library would have added.
bool lacks_a_library(const std::vector<std::string>& output) {
  return test::joined(output).find("this perfmodel was built without") != std::string::npos;
}

/// The block as it should stand; complains about what does not.
std::vector<std::string> checked_block(const test::ReadersFolder& folder, const fs::path& page,
                                       const test::FencedBlock& block) {
  std::vector<std::string> out;
  for (const test::ConsoleCommand& item : test::console_commands(block.lines)) {
    INFO(page.string() << ":" << block.first << ": " << item.command);
    const std::vector<std::string> actual = folder.run(item.command).lines;
    const bool as_shown = test::shows(item.output, actual);
    out.insert(out.end(), item.shown.begin(), item.shown.end());
    std::vector<std::string> output = item.output;
    if (lacks_a_library(actual)) {
      WARN(page.string() << ":" << block.first << ": not compared: built without a library");
    } else if (!as_shown && updates()) {
      const auto refreshed = test::with_the_cuts_of(item.output, actual);
      output = refreshed.value_or(actual);
      if (!refreshed)
        WARN(page.string() << ":" << block.first << ": its cuts (...) are lost: cut it again");
    } else {
      INFO("shown:\n" << test::joined(item.output) << "\nprinted:\n" << test::joined(actual));
      CHECK(as_shown);
    }
    out.insert(out.end(), output.begin(), output.end());
  }
  return out;
}

void check_page(const fs::path& page) {
  const test::ReadersFolder folder(test::tested_program());
  std::vector<std::string> lines = lines_of_page(page);
  const std::vector<std::string> before = lines;
  std::ptrdiff_t shift = 0;
  for (const test::FencedBlock& block : test::fenced_blocks(before)) {
    if (block.language != "console")
      continue;
    const std::vector<std::string> now = checked_block(folder, page, block);
    const auto at = lines.begin() + static_cast<std::ptrdiff_t>(block.first) + shift;
    const auto old_size = static_cast<std::ptrdiff_t>(block.lines.size());
    lines.insert(lines.erase(at, at + old_size), now.begin(), now.end());
    shift += static_cast<std::ptrdiff_t>(now.size()) - old_size;
  }
  if (updates() && lines != before)
    std::ofstream(page, std::ios::binary) << test::joined(lines);
}

/// What stands in no code, where NaN may be spoken of.
std::string prose_of(const Lines& page) {
  static const std::regex code("`[^`]*`|NaN");
  std::string out;
  bool is_code = false;
  for (const std::string& line : page) {
    is_code = is_code != line.starts_with("```");
    if (!is_code && !line.starts_with("    "))
      out += std::regex_replace(line, code, "code") + "\n";
  }
  return out;
}

/// Words such as "--seed" of a text.
std::set<std::string> options_in(const std::string& text) {
  static const std::regex option(R"((^|[^-\w])(--[a-z][-a-z0-9]*))");
  std::set<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), option), end; it != end; ++it)
    out.insert((*it)[2]);
  return out;
}

/// Why a link of this page leads nowhere; empty where it leads somewhere or out of the project.
std::string dead_link(const fs::path& page, const std::string& target) {
  if (target.starts_with("https://") || target.starts_with("http://"))
    return "";
  const std::size_t hash = target.find('#');
  const std::string path = target.substr(0, hash);
  const fs::path file = path.empty() ? page : page.parent_path() / path;
  if (!fs::exists(file))
    return "there is no " + file.lexically_normal().string();
  if (hash != std::string::npos && file.extension() == ".md" &&
      !test::heading_anchors(lines_of_page(file)).contains(target.substr(hash + 1)))
    return file.lexically_normal().string() + " has no heading " + target.substr(hash);
  return "";
}

/// The pages of docs/ whose names begin with these letters or one between.
void check_pages(char first, char last) {
  for (const fs::path& page : pages()) {
    const char letter = page.filename().string()[0];
    const bool is_of_docs =
        page.filename() != "README.md" || page.parent_path().filename() == "docs";
    if (is_of_docs && first <= letter && letter <= last)
      check_page(page);
  }
}

}  // namespace

TEST_CASE("the README shows what the program prints", "[cli][docs][whole-fits]") {
  check_page(root / "README.md");
}

// In three parts, which run beside each other.
TEST_CASE("the pages of docs/ from a to o show what the program prints",
          "[cli][docs][whole-fits]") {
  check_pages('A', 'o');
}

TEST_CASE("the pages of docs/ from p to s show what the program prints",
          "[cli][docs][whole-fits]") {
  check_pages('p', 's');
}

TEST_CASE("the pages of docs/ from t on show what the program prints", "[cli][docs][whole-fits]") {
  check_pages('t', 'z');
}

TEST_CASE("nearly all commands of the docs are run by the tests", "[cli][docs]") {
  std::size_t run = 0;
  std::size_t not_run = 0;
  for (const fs::path& page : pages()) {
    for (const test::FencedBlock& block : test::fenced_blocks(lines_of_page(page))) {
      INFO(page.string() << ":" << block.first);
      std::size_t commands = 0;
      for (const std::string& line : block.lines)
        commands += line.starts_with("$ ") || line.starts_with("perfmodel ");
      (block.language == "console" ? run : not_run) += commands;
      CHECK((block.language != "console" || block.lines.front().starts_with("$ ")));
      CHECK((commands == 0 || block.language == "console" || block.language == "text" ||
             block.language == "sh"));
    }
  }
  INFO(run << " commands are run, " << not_run << " are not");
  CHECK(run >= 10 * not_run);
  CHECK(run >= 30);
}

TEST_CASE("nothing that the documents show or say looks like a mistake", "[cli][docs]") {
  for (const fs::path& page : all_documents()) {
    INFO(page.string());
    CHECK(test::oddities_in(prose_of(lines_of_page(page))) == Lines());
    for (const test::FencedBlock& block : test::fenced_blocks(lines_of_page(page))) {
      if (block.language != "console" && block.language != "text")
        continue;
      for (const test::ConsoleCommand& item : test::console_commands(block.lines)) {
        INFO(page.string() << ":" << block.first << ": " << item.command);
        CHECK(test::oddities_in(test::joined(item.output)) == Lines());
      }
    }
  }
}

TEST_CASE("every link of the docs has a target", "[cli][docs]") {
  const std::vector<fs::path> all = all_documents();
  std::size_t links = 0;
  for (const fs::path& page : all) {
    for (const std::string& target : test::link_targets(lines_of_page(page))) {
      INFO(page.string() << ": " << target);
      CHECK(dead_link(page, target).empty());
      ++links;
    }
  }
  for (const auto& [name, schema] : json_schemas()) {
    for (const std::string& target : test::link_targets(test::lines_of(document_text(schema)))) {
      INFO("the meanings of " << name << ": " << target);
      CHECK(dead_link(root / "docs/json.md", target).empty());
    }
  }
  CHECK(links >= 20);
}

TEST_CASE("every page of docs/ stands in its index", "[cli][docs]") {
  const std::vector<std::string> links = test::link_targets(lines_of_page(root / "docs/README.md"));
  const std::set<std::string> listed(links.begin(), links.end());
  for (const fs::path& page : pages()) {
    INFO(page.string());
    CHECK((page.filename() == "README.md" || listed.contains(page.filename().string())));
  }
}

TEST_CASE("the measurements in data/ are described beside them", "[cli][docs]") {
  const std::string text = test::read_text((root / "data/README.md").string());
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(root / "data")) {
    if (entry.path().extension() != ".csv")
      continue;
    INFO(entry.path().string());
    CHECK(text.find("| `" + entry.path().filename().string() + "` |") != std::string::npos);
    ++files;
  }
  CHECK(files >= 6);
}

TEST_CASE("the README is short", "[cli][docs]") {
  CHECK(lines_of_page(root / "README.md").size() <= 200);
}

TEST_CASE("the options that the documents name exist", "[cli][docs]") {
  std::set<std::string> known = options_in(test::run_perfmodel({"--help-all"}).output);
  for (const std::string& command : test::listed_commands())
    known.merge(options_in(test::run_perfmodel({command, "--help-all"}).output));
  // Of cmake, ctest, pkg-config, the tests, the benchmarks, browsers, and tools whose files are
  // read.
  known.merge(std::set<std::string>{
      "--benchmark", "--build",    "--cflags",          "--compare",        "--component",
      "--config",    "--cores",    "--dump-dom",        "--export-json",    "--far",
      "--gpus",      "--headless", "--hide-scrollbars", "--install",        "--libs",
      "--list-tags", "--parsable", "--parameter-list",  "--parameter-scan", "--prefix",
      "--preset",    "--quality",  "--screenshot",      "--update",         "--window-size"});
  std::vector<fs::path> all = pages();
  all.insert(all.end(), {root / "CONTRIBUTING.md", root / "examples/ci/README.md"});
  for (const fs::path& page : all) {
    for (const std::string& option : options_in(test::read_text(page.string()))) {
      INFO(page.string() << ": " << option);
      CHECK(known.contains(option));
    }
  }
}
