#include "sources/large_csv.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "support/program_fixture.hpp"

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

}  // namespace

TEST_CASE_METHOD(ProgramTest, "ranges that follow each other have each line of a file once") {
  const std::string text = "a\nbb\n\nccc\nd";
  const std::string path = write("lines.txt", text);
  REQUIRE(read_beginning(write("runs.csv", repeated_runs()), {}, {}).size ==
          repeated_runs().size());
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

TEST_CASE_METHOD(ProgramTest,
                 "sampled rows are rows of the file, and the same ones however it is cut") {
  const std::string text = repeated_runs();
  const std::string path = write("runs.csv", text);
  const Table all = parse_csv(text, path);
  const CsvBeginning beginning = read_beginning(path, {}, {});
  const auto sample_of = [&](std::size_t threads) {
    return draw_lines(beginning, LineSample(50, 7), threads);
  };
  const Table once = table_of(beginning, sample_of(1));
  CHECK(once.rows() == 50);
  for (std::size_t row = 0; row < once.rows(); ++row) {
    const auto line = std::find(all.lines.begin(), all.lines.end(), once.lines[row]);
    REQUIRE(line != all.lines.end());
    const auto of_file = static_cast<std::size_t>(line - all.lines.begin());
    CHECK(all.at("time_s").numbers[of_file] == once.at("time_s").numbers[row]);
    CHECK(all.at("net").text(of_file) == once.at("net").text(row));
  }
  for (const std::size_t threads : {2U, 3U, 7U}) {
    CHECK(table_of(beginning, sample_of(threads)).lines == once.lines);
    CHECK(sample_of(threads).lines_to_draw_from() == 600);
  }
}
