// Names of columns may be any text: what takes them apart must not rely on a letter in them.
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/generated_runs.hpp"
#include "support/program.hpp"
#include "support/property.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using Words = std::vector<std::string>;

namespace {

constexpr const char* kMarksOfNames[] = {
    "#",  "*",  "%",  "?",  "_",   "(#)", "(",  ")",      "[",       "]",       "{}", "/",
    "//", "-",  "--", ".",  "...", ":",   "'",  "\"",     ";",       "|",       "&",  "$",
    "@",  "!",  "~",  "`",  "^",   "+",   "=",  "<",      ">",       "\\",      " ",  "%%",
    "()", "[]", ",",  "\t", "._.", "#/",  "=a", "\u00b5", "\u00b0C", "\u20ac/", "_s", "\u00d7"};
constexpr const char* kMarksAbove[] = {"\u0301", "\u0308", "\u0327", "\u200d", "\ufe0f", "\u0488"};
constexpr const char* kWordsOfNames[] = {"time",  "gpus", "ms",      "s",   "iterations", "batch",
                                         "ID",    "per",  "total",   "mem", "GPU",        "p99",
                                         "speed", "x",    "seconds", "id",  "vm",         "count"};

/// Empty, of marks alone, of one character, of 10,000, with combining marks, or a usual word among
/// marks.
std::string name_of_any_text(RandomStream& random) {
  std::string out;
  switch (random.below(6)) {
    case 0:
      break;
    case 1:
      for (std::size_t i = 1 + random.below(4); i > 0; --i)
        out += test::one_of(random, kMarksOfNames);
      break;
    case 2:
      out = std::string(1, static_cast<char>('!' + random.below('~' - '!' + 1)));
      break;
    case 3: {
      const std::string part = test::happens(random, 0.5) ? test::one_of(random, kMarksOfNames)
                                                          : test::one_of(random, kWordsOfNames);
      while (out.size() < 10'000)
        out += part;
      break;
    }
    case 4:
      out = test::happens(random, 0.5) ? "" : "e";
      for (std::size_t i = 1 + random.below(3); i > 0; --i)
        out += test::one_of(random, kMarksAbove);
      break;
    default:
      out = std::string(test::one_of(random, kMarksOfNames)) + test::one_of(random, kWordsOfNames) +
            test::one_of(random, kMarksOfNames);
  }
  return out;
}

/// "gpus", then columns of such names, then "time_s", or a name like the others.
Words names_of_any_text(RandomStream& random) {
  std::set<std::string> known = {"gpus", "time_s"};
  Words out = {"gpus"};
  while (out.size() < 4)
    if (const std::string name = name_of_any_text(random); known.insert(name).second)
      out.push_back(name);
  out.push_back(test::happens(random, 0.8) ? "time_s" : name_of_any_text(random));
  return out;
}

/// Runs with numbers that may be settings, counts of calls, results or texts.
std::vector<Words> rows_of_any_names(RandomStream& random) {
  std::vector<Words> out;
  const std::size_t kind = random.below(4);
  for (int row = 0; row < 12; ++row) {
    const double gpus = 1 << (row % 4);
    const double batch = 8 << (row / 4);
    const double time = batch / gpus * (1 + 0.05 * random.uniform());
    const std::string last = kind == 0   ? to_text(time * 3.25)
                             : kind == 1 ? to_text(16 / gpus)
                             : kind == 2 ? to_text(std::sqrt(batch))
                                         : Words{"a", "", "b c"}[static_cast<std::size_t>(row) % 3];
    out.push_back(
        {to_text(gpus), to_text(batch), to_text(std::round(1000 / time)), last, to_text(time)});
  }
  return out;
}

/// The runs in a format that a reader recognises.
std::string written_runs(const Words& names, const std::vector<Words>& rows, RandomStream& random) {
  const std::size_t format = random.below(4);
  if (format == 0) {
    nlohmann::json out = nlohmann::json::array();
    for (const Words& row : rows) {
      nlohmann::json& object = out.emplace_back(nlohmann::json::object());
      for (std::size_t i = 0; i < names.size(); ++i)
        if (const auto number = parse_number(row[i]))
          object[names[i]] = *number;
        else
          object[names[i]] = row[i];
    }
    return out.dump();
  }
  std::vector<Words> lines = rows;
  lines.insert(lines.begin(), names);
  std::string out;
  for (const Words& line : lines)
    out += format == 1   ? joined(line, "\t") + "\n"
           : format == 2 ? "| " + joined(line, " | ") + " |\n"
                         : csv_line(line);
  return out;
}

/// Runs the program, which may refuse its input, but ends in no other error.
bool is_done(const Words& words) {
  const test::ProgramResult result = test::run_perfmodel(words);
  INFO(words[0] << ": " << result.errors.substr(0, 300));
  CHECK((result.exit_code == 0 || result.exit_code == 2 || result.exit_code == 3));
  return result.exit_code == 0;
}

}  // namespace

TEST_CASE("property: readers, roles and commands take names of any text", "[property]") {
  std::size_t fitted = 0;
  test::for_each_case(
      "names",
      [&](RandomStream& random) {
        const test::TemporaryDirectory directory;
        const Words names = names_of_any_text(random);
        const std::string text = written_runs(names, rows_of_any_names(random), random);
        INFO(text.substr(0, 300));
        const std::string file = directory.write("runs.txt", text);
        const std::string model = directory.file("model.json");
        Words fit = {"fit", file, "--quiet", "-o", model, "--search", "generations=20"};
        if (test::happens(random, 0.3))
          fit.insert(fit.end(), {"--expression", "auto"});
        if (!is_done(fit))
          return;
        ++fitted;
        is_done({"predict", model, file, "--quiet", "-o", directory.file("times")});
        is_done({"report", model, file, "--quiet", "-o", directory.file("page.html")});
        is_done({"import", file, "--quiet", "-o", directory.file("runs.csv")});
      },
      100);
  CHECK(fitted >= 25);
}

// The memory before an empty list of words differs from run to run.
TEST_CASE("a name without a letter is no count of calls", "[cli]") {
  const test::TemporaryDirectory directory;
  for (const std::string name : {"#", "*", "?", "_", "(#)", "%", "\"\"", "-"}) {
    CAPTURE(name);
    const std::string file = directory.write(
        "runs.csv", "gpus," + name + ",time_s\n1,9,8\n2,15,4.1\n4,31,2\n8,68,1\n16,120,.5\n");
    for (int run = 0; run < 3; ++run) {
      const int code = test::run_perfmodel({"fit", file, "--quiet", "-o", "-"}).exit_code;
      CHECK((code == 0 || code == 3));
    }
  }
}

// There is no row behind the comments.
TEST_CASE("a file of comments alone is read as it is, or refused", "[cli]") {
  const test::TemporaryDirectory directory;
  for (const std::string text : {"# a\n# b 1\n", "# gpus time_s\n# 1 8\n# 2 4\n", "#\n#\n#\n#\n"})
    for (const std::string command : {"fit", "import", "scaling"}) {
      CAPTURE(text, command);
      const test::ProgramResult result =
          test::run_perfmodel({command, directory.write("runs.txt", text)});
      CHECK((result.exit_code == 0 || result.exit_code == 3));
    }
}
