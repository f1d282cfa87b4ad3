#include "io/large/large_csv.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "io/large/line_blocks.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv/csv.hpp"
#include "support/catch.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::size_t kTimeColumn = 2;

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

LargePart empty_part(const CsvBeginning& beginning, MergedTimes times, MergeLimits limits = {}) {
  LineLayout layout;
  layout.names = beginning.table.names();
  layout.time = kTimeColumn;
  layout.plays_no_part = {false, false, false, true};
  return {MergedLines(layout, times, limits), LineSample(50, 7)};
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
  const LargePart empty = empty_part(beginning, MergedTimes::distinct);
  const Table merged = table_of(beginning, *read_lines(beginning, empty, 1).merged, kTimeColumn);
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
    const LargePart part = read_lines(beginning, empty, threads);
    const Table table = table_of(beginning, *part.merged, kTimeColumn);
    CHECK(table.lines == merged.lines);
    CHECK(table.runs == merged.runs);
    CHECK(table.at("time_s").numbers == merged.at("time_s").numbers);
    const Table drawn = table_of(beginning, part.sample);
    CHECK(drawn.rows() == 50);
    CHECK(drawn.lines == table_of(beginning, read_lines(beginning, empty, 1).sample).lines);
    CHECK(part.sample.lines_to_draw_from() == 600);
  }
}

TEST_CASE("times of a configuration become a list where there are too many pairs of them") {
  const TemporaryDirectory directory;
  const std::string text = repeated_runs();
  const std::string path = directory.write("runs.csv", text);
  const CsvBeginning beginning = read_beginning(path, {}, {});
  const LargePart empty = empty_part(beginning, MergedTimes::lists, {.before_moments = 100});
  const LargePart whole = read_lines(beginning, empty, 1);
  const Table merged = table_of(beginning, *whole.merged, kTimeColumn);
  REQUIRE(merged.time_lists.size() == merged.rows());
  CHECK(merged.measured_runs() == 600);
  std::map<std::string, std::uint64_t> counts;
  std::size_t pairs = 0;
  for (std::size_t row = 0; row < merged.rows(); ++row) {
    const TimeList& list = *merged.time_lists[row];
    CHECK(std::is_sorted(list.times.begin(), list.times.end(), std::less_equal<>()));
    pairs += list.times.size();
    for (std::size_t i = 0; i < list.times.size(); ++i)
      counts[merged.at("net").text(row) + "," + merged.at("gpus").text(row) + "," +
             to_text(list.times[i])] += list.runs[i];
  }
  CHECK(counts == counts_of(parse_csv(text, path)));
  for (const std::size_t threads : {2U, 3U, 7U}) {
    const Table table =
        table_of(beginning, *read_lines(beginning, empty, threads).merged, kTimeColumn);
    REQUIRE(table.runs == merged.runs);
    for (std::size_t row = 0; row < merged.rows(); ++row) {
      CHECK(table.time_lists[row]->times == merged.time_lists[row]->times);
      CHECK(table.time_lists[row]->runs == merged.time_lists[row]->runs);
    }
  }
  // As many as there are, and one less than that, however the file is read.
  for (const std::size_t threads : {1U, 3U}) {
    MergeLimits limits{.distinct = pairs, .before_moments = 100};
    CHECK_NOTHROW(
        read_lines(beginning, empty_part(beginning, MergedTimes::lists, limits), threads));
    --limits.distinct;
    CHECK_THROWS_WITH(
        read_lines(beginning, empty_part(beginning, MergedTimes::lists, limits), threads),
        ContainsSubstring("different pairs of a configuration"));
  }
}

TEST_CASE("times of a configuration become moments where there are too many of them") {
  const TemporaryDirectory directory;
  const std::string text = repeated_runs();
  const std::string path = directory.write("runs.csv", text);
  const Table all = parse_csv(text, path);
  const CsvBeginning beginning = read_beginning(path, {}, {});
  const LargePart empty =
      empty_part(beginning, MergedTimes::logarithmic_moments, {.before_moments = 100});
  const Table merged = table_of(beginning, *read_lines(beginning, empty, 1).merged, kTimeColumn);
  REQUIRE(merged.moments.size() == merged.rows());
  CHECK(merged.measured_runs() == 600);
  // A configuration that is written in two ways has two rows.
  std::map<std::string, std::vector<double>> times;
  std::map<std::string, std::vector<std::size_t>> rows;
  const auto configuration = [](const Table& table, std::size_t row) {
    return table.at("net").text(row) + "," + table.at("gpus").text(row);
  };
  for (std::size_t row = 0; row < all.rows(); ++row)
    times[configuration(all, row)].push_back(all.at("time_s").numbers[row]);
  for (std::size_t row = 0; row < merged.rows(); ++row)
    rows[configuration(merged, row)].push_back(row);
  REQUIRE(rows.size() == 12);
  for (const auto& [name, own] : rows) {
    double sum = 0;
    double log_sum = 0;
    for (const double time : times[name]) {
      sum += time;
      log_sum += std::log(time);
    }
    double squares = 0;
    double log_squares = 0;
    const auto runs = static_cast<double>(times[name].size());
    for (const double time : times[name]) {
      squares += std::pow(time - sum / runs, 2);
      log_squares += std::pow(std::log(time) - log_sum / runs, 2);
    }
    double merged_sum = 0;
    double merged_log_sum = 0;
    double merged_squares = 0;
    double merged_log_squares = 0;
    std::uint64_t merged_runs = 0;
    for (const std::size_t row : own) {
      const TimeMoments& moments = merged.moments[row];
      const auto count = static_cast<double>(merged.runs[row]);
      merged_runs += merged.runs[row];
      merged_sum += count * moments.mean;
      merged_log_sum += count * moments.log_mean;
      merged_squares += moments.squares + count * std::pow(moments.mean - sum / runs, 2);
      merged_log_squares +=
          moments.log_squares + count * std::pow(moments.log_mean - log_sum / runs, 2);
    }
    CHECK(merged_runs == times[name].size());
    CHECK(merged_sum == Approx(sum).epsilon(1e-13));
    CHECK(merged_log_sum == Approx(log_sum).epsilon(1e-11));
    CHECK(merged_squares == Approx(squares).epsilon(1e-10));
    CHECK(merged_log_squares == Approx(log_squares).epsilon(1e-10));
  }
  for (const std::size_t threads : {2U, 3U, 7U}) {
    const Table table =
        table_of(beginning, *read_lines(beginning, empty, threads).merged, kTimeColumn);
    REQUIRE(table.runs == merged.runs);
    for (std::size_t row = 0; row < merged.rows(); ++row) {
      CHECK(table.moments[row].mean == merged.moments[row].mean);
      CHECK(table.moments[row].squares == merged.moments[row].squares);
      CHECK(table.moments[row].log_mean == merged.moments[row].log_mean);
      CHECK(table.moments[row].log_squares == merged.moments[row].log_squares);
    }
  }
  const LargePart strict = empty_part(beginning, MergedTimes::distinct, {.distinct = 100});
  CHECK_THROWS_WITH(read_lines(beginning, strict, 1),
                    ContainsSubstring("more than 100 different pairs of a configuration"));
  const LargePart few = empty_part(beginning, MergedTimes::moments, {.configurations = 10});
  CHECK_THROWS_WITH(read_lines(beginning, few, 1),
                    ContainsSubstring("more than 10 different configurations") &&
                        ContainsSubstring("'gpus' has the most different values"));
}

TEST_CASE("runs that failed are counted by their cells however a file is cut") {
  const TemporaryDirectory directory;
  std::string text = "net,gpus,time_s,host\n";
  for (int i = 0; i < 90; ++i)
    text += "n,1," + std::string(i % 9 == 4 ? " oom" : i % 9 == 6 ? "\"\"" : "1.5") + ",h\n";
  const CsvBeginning beginning = read_beginning(directory.write("runs.csv", text), {}, {});
  LineLayout layout;
  layout.names = beginning.table.names();
  layout.time = kTimeColumn;
  layout.is_failure = [](const std::string& cell) { return cell.empty() || cell == "oom"; };
  const LargePart empty{MergedLines(layout, MergedTimes::distinct), LineSample(50, 7)};
  for (const std::size_t threads : {1U, 3U, 7U}) {
    const LargePart part = read_lines(beginning, empty, threads);
    CHECK(part.merged->odd_lines().empty());
    REQUIRE(part.merged->failed().size() == 2);
    const MergedLines::Failed& oom = part.merged->failed().at("oom");
    CHECK(oom.runs == 10);
    CHECK(oom.lines == std::vector<std::uint64_t>{4, 13, 22, 31, 40});
    CHECK(part.merged->failed().at("").lines.front() == 6);
  }
}
