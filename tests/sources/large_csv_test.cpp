#include "sources/large_csv.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/table.hpp"
#include "support/catch.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// 600 rows of 12 configurations, times of two digits, so that many are equal; a configuration
/// is written in quotes sometimes, and there are a blank line and a last line without its end.
std::string repeated_runs() {
  RandomStream random(1, "repeated runs", 0);
  std::string out = "net,gpus,time_s,host\r\n";
  for (int i = 0; i < 600; ++i) {
    const std::string net = "n" + std::to_string(random.below(3));
    const std::size_t gpus = std::size_t{1} << random.below(4);
    const double time = std::round(100 * std::exp(0.1 * random.normal())) / 100;
    out += (i % 50 == 7 ? "\"" + net + "\"" : net) + "," + std::to_string(gpus) + "," +
           to_text(time) + ",host" + std::to_string(i);
    out += i == 300 ? "\r\n\r\n" : i == 599 ? "" : "\r\n";
  }
  return out;
}

/// Hosts make no two rows different.
LineSink counted(const CsvBeginning& beginning, std::size_t most = 1000) {
  return CountedLines(
      {.separator = ',', .names = beginning.table.names(), .counts = {true, true, true, false}},
      most);
}

Table counted_rows(const CsvBeginning& beginning, std::size_t threads) {
  return table_of(beginning,
                  std::get<CountedLines>(read_lines(beginning, counted(beginning), threads)));
}

/// Configuration and time -> runs.
std::map<std::string, std::uint64_t> counts_of(const Table& table) {
  std::map<std::string, std::uint64_t> out;
  for (std::size_t row = 0; row < table.rows(); ++row)
    out[table.at("net").text(row) + "," + table.at("gpus").text(row) + "," +
        table.at("time_s").text(row)] += table.runs.empty() ? 1 : table.runs[row];
  return out;
}

}  // namespace

TEST_CASE("ranges that follow each other have each line of a file once") {
  const TemporaryDirectory directory;
  const std::string text = "a\nbb\n\nccc\nd";
  const std::string path = directory.write("lines.txt", text);
  REQUIRE(regular_file_size(path) == text.size());
  for (std::uint64_t first = 0; first <= text.size(); ++first) {
    for (std::uint64_t second = first; second <= text.size(); ++second) {
      std::string all;
      const auto read = [&](std::uint64_t begin, std::uint64_t end) {
        for_each_block(path, begin, end, [&](std::string_view lines, std::uint64_t offset) {
          CHECK(offset == all.size());
          CHECK(offset < end);
          all += lines;
        });
      };
      read(0, first);
      read(first, second);
      read(second, text.size());
      CHECK(all == text);
    }
  }
}

TEST_CASE("merged rows are those of the file, each with its runs and its first line") {
  const TemporaryDirectory directory;
  const std::string text = repeated_runs();
  const std::string path = directory.write("runs.csv", text);
  const Table all = parse_csv(text, path);
  const CsvBeginning beginning = read_beginning(path, {}, {});
  const LineSink empty_sample = LineSample(50, 7);
  const auto sample_of = [&](std::size_t threads) {
    return std::get<LineSample>(read_lines(beginning, empty_sample, threads));
  };
  const Table merged = counted_rows(beginning, 1);
  CHECK(counts_of(merged) == counts_of(all));
  CHECK(merged.measured_runs() == 600);
  CHECK(merged.rows() < 500);
  for (std::size_t row = 0; row < merged.rows(); ++row) {
    const auto line = std::find(all.lines.begin(), all.lines.end(), merged.lines[row]);
    REQUIRE(line != all.lines.end());
    const auto of_file = static_cast<std::size_t>(line - all.lines.begin());
    CHECK(all.at("time_s").numbers[of_file] == merged.at("time_s").numbers[row]);
    CHECK(all.at("net").text(of_file) == merged.at("net").text(row));
  }

  // However it is cut.
  for (const std::size_t threads : {1U, 2U, 3U, 7U}) {
    const Table table = counted_rows(beginning, threads);
    CHECK(table.lines == merged.lines);
    CHECK(table.runs == merged.runs);
    CHECK(table.at("time_s").numbers == merged.at("time_s").numbers);
    const Table drawn = table_of(beginning, sample_of(threads));
    CHECK(drawn.rows() == 50);
    CHECK(drawn.lines == table_of(beginning, sample_of(1)).lines);
    CHECK(sample_of(threads).lines_to_draw_from() == 600);
  }
}

TEST_CASE("too many different rows are refused with what can be done") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", repeated_runs());
  const CsvBeginning beginning = read_beginning(path, {}, {});
  const std::size_t rows = counted_rows(beginning, 1).rows();
  // As many as there are, and one less than that, however the file is read.
  for (const std::size_t threads : {1U, 3U}) {
    CHECK_NOTHROW(read_lines(beginning, counted(beginning, rows), threads));
    CHECK_THROWS_WITH(
        read_lines(beginning, counted(beginning, rows - 1), threads),
        ContainsSubstring("more than " + std::to_string(rows - 1) + " different rows") &&
            ContainsSubstring("'time_s' has the most different values") &&
            ContainsSubstring("sample_rows"));
  }
}

TEST_CASE("lines without a time are counted as they are, for the reader of the table to refuse") {
  const TemporaryDirectory directory;
  std::string text = "net,gpus,time_s,host\n";
  for (int i = 0; i < 90; ++i)
    text += "n,1," + std::string(i % 9 == 4 ? " oom" : i % 9 == 6 ? "\"\"" : "1.5") + ",h\n";
  const CsvBeginning beginning = read_beginning(directory.write("runs.csv", text), {}, {});
  for (const std::size_t threads : {1U, 3U, 7U}) {
    const WithoutFailed runs = without_failed_runs(counted_rows(beginning, threads), "time_s", {});
    CHECK(runs.table.runs == std::vector<std::uint64_t>{70});
    REQUIRE(runs.failed.size() == 2);
    CHECK(runs.failed[0].cell == "");
    CHECK(runs.failed[0].rows == 10);
    CHECK(runs.failed[1].cell == "oom");
    CHECK(runs.failed[1].rows == 10);
    CHECK(runs.failed[1].lines == std::vector<std::uint32_t>{6});
    CHECK(words_for(runs.failed, "time_s", 90) ==
          "runs.csv: 20 of 90 runs failed and are left out: 'time_s' is blank in 10 (lines 8 and 9 "
          "more) and \"oom\" in 10 (lines 6 and 9 more)");
  }
}
