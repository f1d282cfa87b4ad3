// `fit` reads of the CSV that `import` writes what it reads of the file itself.

#include <fmt/format.h>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "import/readers.hpp"
#include "perfmodel/error.hpp"
#include "support/catch.hpp"
#include "support/generated_runs.hpp"
#include "support/property.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using perfmodel::test::happens;
using perfmodel::test::one_of;

namespace {

/// The rows of a table.
std::string text_of(const Table& table) {
  std::string out;
  for (const Column& column : table.columns) {
    out += fmt::format("\n{} [{}], {}:", column.name, column.unit, column.last_digit);
    for (std::size_t row = 0; row < table.rows(); ++row)
      out += " " + quoted_cell(column.text(row));
  }
  return out;
}

/// The roles of the columns and the rows of a fit; "no roles" if these cannot be fitted.
std::string roles_of(RunsFile file) try {
  const LabelledRuns runs = label_runs(std::move(file), RoleRequest{});
  const Roles& roles = runs.roles;
  std::string out = roles.target + " [" + roles.unit + "]";
  for (const auto& columns : {roles.intrinsic, roles.categorical, roles.extrinsic})
    out += ": " + joined(columns, ", ");
  return out + text_of(runs.file.table);
} catch (const Error&) {
  return "no roles";
}

/// What is read of a file; empty if it is refused.
std::string reading_of(const std::string& path) try {
  RunsFile file = read_runs(path);
  const std::string rows = text_of(file.table);
  return rows + "\n" + roles_of(std::move(file)) + "\n";
} catch (const Error&) {
  return "";
}

/// The CSV that is imported; empty if the file cannot be read.
std::string imported(const std::string& path) try {
  return csv_of_runs(read_as_written({path}, {}));
} catch (const Error&) {
  return "";
}

/// Checks that a file and what is imported of it are read alike.
void check_reading(const std::string& path) {
  INFO(path << "\n" << test::read_text(path).substr(0, 2000));
  const test::TemporaryDirectory directory;
  const std::string csv = imported(path);
  INFO(csv.substr(0, 2000));
  CHECK((csv.empty() ? "" : reading_of(directory.write("imported.csv", csv))) == reading_of(path));
}

/// How numbers and cells of a generated table are written.
struct Hand {
  std::string separator;
  char decimal = '.';
  bool groups = false;

  /// With at most three digits behind the mark.
  std::string number(double value) const {
    std::string text = fmt::format("{:.3f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
      text.pop_back();
    const std::size_t point = std::min(text.find('.'), text.size());
    if (point < text.size())
      text[point] = decimal;
    for (std::size_t at = point; groups && at > 3;)
      text.insert(at -= 3, 1, decimal == ',' ? '.' : ',');
    return text;
  }
};

using Cells = std::vector<std::string>;

Cells numbers_column(RandomStream& random, std::size_t rows, const Hand& hand) {
  const double scale = one_of(random, {1.0, 100.0, 10'000.0, 1e6});
  Cells cells;
  for (std::size_t i = 0; i < rows; ++i)
    cells.push_back(hand.number(scale * random.uniform(0.5, 2)));
  return cells;
}

Cells quantities_column(RandomStream& random, std::size_t rows) {
  const std::string unit = one_of<std::string>(
      random, {"ms", " s", "s", " sec", "KiB", " GiB", "GB", "m", "%", "us", "B"});
  Cells cells;
  for (std::size_t i = 0; i < rows; ++i)
    cells.push_back(happens(random, 0.05) ? "0"
                                          : fmt::format("{}{}",
                                                        std::round(random.uniform(1, 90)) /
                                                            (happens(random, 0.5) ? 1 : 4),
                                                        unit));
  return cells;
}

Cells texts_column(RandomStream& random, std::size_t rows, const Hand& hand) {
  const std::string quoted = hand.separator == "," ? "\"a,b\"" : "\"x\"\"y\"";
  Cells cells;
  for (std::size_t i = 0; i < rows; ++i)
    cells.push_back(one_of<std::string>(random, {"relu", "tanh", "total", "Mean", quoted,
                                                 "\" blank\"", "1.10", "#1", "{z}", "7B"}));
  return cells;
}

/// A table of 6 to 20 rows, maybe with an index, gaps, words in place of numbers, or a row of
/// words.
std::string generated_table(RandomStream& random) {
  Hand hand{one_of<std::string>(random, {",", ";", "\t", " | ", "   "})};
  if (hand.separator != ",")
    hand.decimal = one_of(random, {'.', ','});
  hand.groups = hand.separator != "," && happens(random, 0.4);
  const std::size_t rows = 6 + random.below(15);
  std::vector<Cells> columns;
  const auto add = [&](const std::string& name, Cells cells) {
    if (happens(random, 0.2))
      cells[random.below(2) == 0 ? 0 : random.below(rows)] =
          one_of<std::string>(random, {"", "OOM", "n/a", "-", "timeout"});
    cells.insert(cells.begin(), name);
    columns.push_back(std::move(cells));
  };
  if (happens(random, 0.3)) {
    const std::size_t first = random.below(2);
    columns.push_back({hand.separator == " | " || hand.separator == "   " ? "nr" : ""});
    for (std::size_t i = 0; i < rows; ++i)
      columns.back().push_back(std::to_string(first + i));
  }
  if (happens(random, 0.5))
    add("net", texts_column(random, rows, hand));
  add(one_of<std::string>(random, {"gpus", "n", "total", "#cores"}),
      numbers_column(random, rows,
                     Hand{.separator = ",", .decimal = hand.decimal, .groups = hand.groups}));
  if (happens(random, 0.5))
    add(one_of<std::string>(random, {"mem", "chunk", "peak_mem", "delay"}),
        quantities_column(random, rows));
  add(one_of<std::string>(random, {"time_s", "time", "t", "samples_per_s"}),
      happens(random, 0.2) ? quantities_column(random, rows) : numbers_column(random, rows, hand));
  std::string out = happens(random, 0.1) ? "Runs of May\n" : "";
  for (std::size_t row = 0; row <= rows; ++row) {
    std::vector<std::string> line;
    for (const Cells& cells : columns)
      line.push_back(cells[row]);
    out += joined(line, hand.separator) + (happens(random, 0.02) ? "\n\n" : "\n");
  }
  if (happens(random, 0.1))
    out += "Total" + std::string(columns.size() - 1, hand.separator[0]) + "\n";
  return out;
}

std::string json_of(const std::string& name, const std::string& value) {
  return fmt::format("\"{}\": {}", name, value);
}

/// Objects, or the results of Google Benchmark or Go, with counters that no name tells from inputs.
std::string generated_results(RandomStream& random) {
  const std::size_t kind = random.below(3);
  const std::size_t rows = 5 + random.below(8);
  const std::string counter = one_of<std::string>(random, {"hits", "visits", "depth", "bytes"});
  std::vector<std::string> items;
  for (std::size_t i = 0; i < rows; ++i) {
    const int n = 1 << (1 + i % 5);
    const double time = n * random.uniform(9, 11);
    const std::string count = std::to_string(random.below(9) + 1);
    const std::string op = i + 1 == rows ? "total" : one_of<std::string>(random, {"a", "b"});
    if (kind == 0)
      items.push_back("{" +
                      joined(std::vector{json_of("op", "\"" + op + "\""),
                                         json_of("n", std::to_string(n)), json_of(counter, count),
                                         json_of("time_s", fmt::format("{:.3f}", time))},
                             ", ") +
                      "}");
    else if (kind == 1)
      items.push_back("{" +
                      joined(std::vector{json_of("name", fmt::format("\"BM/{}\"", n)),
                                         json_of("time_unit", "\"ns\""),
                                         json_of("real_time", fmt::format("{:.3f}", time)),
                                         json_of("cpu_time", fmt::format("{:.3f}", time)),
                                         json_of(counter, count)},
                             ", ") +
                      "}");
    else
      items.push_back(fmt::format("BenchmarkX/n={}-8 {} {:.4g} ns/op {} {}", n, 1000 / n, time,
                                  count, counter));
  }
  return kind == 0   ? "[" + joined(items, ",\n") + "]\n"
         : kind == 1 ? "{\"context\": {}, \"benchmarks\": [" + joined(items, ",\n") + "]}\n"
                     : joined(items, "\n") + "\n";
}

}  // namespace

TEST_CASE("property: what is imported of a table is read like the table", "[property]") {
  test::for_each_case(
      "imported tables",
      [](RandomStream& random) {
        const test::TemporaryDirectory directory;
        check_reading(directory.write("table", generated_table(random)));
      },
      2000);
}

TEST_CASE("property: what is imported of the results of tools is read like them", "[property]") {
  test::for_each_case(
      "imported results",
      [](RandomStream& random) {
        const test::TemporaryDirectory directory;
        check_reading(directory.write("results", generated_results(random)));
      });
}

TEST_CASE("the files of the repository are read the same once they are imported") {
  std::size_t files = 0;
  for (const std::string folder : {"data", "examples", "tests/data", "tests/fuzz/corpus"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(PERFMODEL_SOURCE_DIR "/" + folder))
      if (entry.is_regular_file() && entry.file_size() < 100'000) {
        check_reading(entry.path());
        ++files;
      }
  CHECK(files > 100);
}

TEST_CASE("the files of public reports are read the same once they are imported",
          "[needs-shared-data]") {
  const char* folder = std::getenv("PERFMODEL_SHARED_DATA");
  REQUIRE(folder != nullptr);
  for (const char* of : {"", "/../reports"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder + std::string(of)))
      if (entry.is_regular_file() && entry.file_size() < 100'000)
        check_reading(entry.path());
}
