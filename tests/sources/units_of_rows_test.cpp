// Columns of units beside numbers, however the file writes them.

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "roles/unit_columns.hpp"
#include "sources/source.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/property.hpp"
#include "support/temporary_directory.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::for_each_case;
using test::table_of;
using Numbers = std::vector<double>;
using Row = std::array<std::string, 3>;  ///< gpus, time, unit

std::string one_of(RandomStream& random, const std::vector<std::string>& words) {
  return words[random.below(words.size())];
}

/// A unit of time in one of its spellings, and what one is in seconds, as it follows a number.
struct SpeltUnit {
  std::string word;
  std::string exponent;
};

SpeltUnit any_unit(RandomStream& random) {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> spellings = {
      {"e0", {"s", "sec", "S", "Seconds", "[s]"}},
      {"e-3", {"ms", "MS", "Milliseconds", "msec.", "(ms)"}},
      {"e-6", {"us", "\u00b5s", "microseconds", "usec"}},
      {"e-9", {"ns", "Nanoseconds", "nsec"}}};
  const auto& [exponent, words] = spellings[random.below(spellings.size())];
  return {one_of(random, words), exponent};
}

std::string lines_with(const std::vector<Row>& rows, std::string_view begin, std::string_view mark,
                       std::string_view end) {
  std::string text;
  for (const auto& [gpus, time, unit] : rows)
    text.append(begin).append(gpus).append(mark).append(time).append(mark).append(unit).append(end);
  return text;
}

std::string as_json(const std::vector<Row>& rows, std::string_view between) {
  std::string text;
  for (std::size_t i = 1; i < rows.size(); ++i)
    text += std::string(i == 1 ? "" : between) + "{\"" + rows[0][0] + "\": " + rows[i][0] + ", \"" +
            rows[0][1] + "\": " + rows[i][1] + ", \"" + rows[0][2] + "\": \"" + rows[i][2] + "\"}";
  return text;
}

/// The rows, of which the first is the header, in one of the formats that have cells.
std::string written_as(std::size_t format, const std::vector<Row>& rows) {
  switch (format) {
    case 0:
      return lines_with(rows, "", ",", "\n");
    case 1:
      return lines_with(rows, "", ";", "\n");
    case 2:
      return lines_with(rows, "", "\t", "\n");
    case 3:
      return lines_with({rows[0]}, "| ", " | ", " |\n") + "|--|--|--|\n" +
             lines_with({rows.begin() + 1, rows.end()}, "| ", " | ", " |\n");
    case 4:
      return lines_with(rows, "", "   ", "\n");
    case 5:
      return "[" + as_json(rows, ", ") + "]";
    default:
      return as_json(rows, "\n");
  }
}
constexpr std::size_t kFormats = 7;

Table read_files(const std::vector<std::string>& texts) {
  const test::TemporaryDirectory directory;
  std::vector<SourceText> sources;
  for (std::size_t i = 0; i < texts.size(); ++i)
    sources.push_back(
        read_source(directory.write("runs" + std::to_string(i) + ".csv", texts[i]), {}));
  std::vector<CsvText> files;
  for (const SourceText& source : sources)
    files.push_back({source.csv, source.source});
  return parse_csv(files, {}, std::nullopt);
}

const std::vector<std::string> kUnitNames = {"unit",     "Units",   "time unit", "time_unit",
                                             "timeUnit", "Einheit", "time.unit", "Zeiteinheit"};

/// Rows of several units, and their times in seconds.
struct MixedRows {
  std::vector<Row> rows;
  Numbers seconds;
};

MixedRows mixed_rows(RandomStream& random) {
  MixedRows out{{{"gpus", "time", one_of(random, kUnitNames)}}, {}};
  std::set<std::string> units;
  const std::size_t count = 4 + random.below(8);
  for (std::size_t i = 0; i < count || units.size() < 2; ++i) {
    const SpeltUnit unit = any_unit(random);
    std::string number = std::to_string(1 + random.below(9999));
    if (random.below(3) == 0)
      number += "." + std::to_string(1 + random.below(9));
    units.insert(unit.exponent);
    out.rows.push_back({std::to_string(i + 1), number, unit.word});
    out.seconds.push_back(std::strtod((number + unit.exponent).c_str(), nullptr));
  }
  return out;
}

}  // namespace

TEST_CASE("runs with their units in a column are the same times in every format and spelling",
          "[units][property]") {
  for_each_case(
      "units of rows",
      [](RandomStream& random) {
        const MixedRows mixed = mixed_rows(random);
        const std::size_t format = random.below(kFormats);
        std::vector<std::string> files = {written_as(format, mixed.rows)};
        if (format != 4 && random.below(2) == 0) {
          // A part of Markdown with a single unit has it in the name.
          const std::size_t other = format == 3 ? 0 : format;
          const auto cut = mixed.rows.begin() + 3;
          std::vector<Row> rest(cut, mixed.rows.end());
          rest.insert(rest.begin(), mixed.rows[0]);
          files = {written_as(other, {mixed.rows.begin(), cut}), written_as(other, rest)};
        }
        INFO(files[0] << "\n" << (files.size() > 1 ? files[1] : ""));
        const Table table = read_files(files);
        CHECK(table.names() == std::vector<std::string>{"gpus", "time"});
        CHECK(table.at("time").unit == "s");
        CHECK(table.at("time").numbers == mixed.seconds);
        CHECK(doubt_of_units(table, table.at("time"), {}).empty());
      });
}

TEST_CASE("units that are blank or unknown or of another kind beside a number are in doubt",
          "[units][property]") {
  for_each_case(
      "doubtful units of rows",
      [](RandomStream& random) {
        MixedRows mixed = mixed_rows(random);
        std::string& wrong = mixed.rows[1 + random.below(mixed.rows.size() - 1)][2];
        wrong = one_of(random, {"-", "fortnights", "ops/ms", "MB", "ms/op"});
        mixed.rows[0][2] = one_of(random, {"unit", "time_unit", "Einheit"});
        const std::string text = written_as(random.below(kFormats), mixed.rows);
        INFO(text);
        const Table table = read_files({text});
        CHECK(table.at("time").unit.empty());
        CHECK_FALSE(doubt_of_units(table, table.at("time"), {}).empty());
        CHECK(doubt_of_units(table, table.at("time"), {mixed.rows[0][2]}).empty());
      });
}

TEST_CASE("a file of more than a mebibyte has the units of its rows", "[units]") {
  std::string text = "gpus,time,unit\n";
  for (int i = 1; text.size() <= std::size_t{1} << 20; ++i)
    text += std::to_string(i) + (i % 2 == 0 ? ",2,s\n" : ",900,ms\n");
  const Table table = read_files({text});
  CHECK(table.at("time").numbers[0] == 0.9);
  CHECK(table.at("time").numbers[1] == 2);
  CHECK(table.find("unit") == nullptr);
}

TEST_CASE("a column of units describes the column that it is named after, or the only result",
          "[units]") {
  const auto seconds_of = [](std::string_view csv, const std::string& name) {
    const Table table = table_of(csv);
    return table.at(name).unit == "s" ? table.at(name).numbers : Numbers{};
  };
  const std::string google =
      "name,iterations,real_time,cpu_time,time_unit,n\na,9,120,118,ns,64\nb,9,3.8,3.7,us,4096\n";
  CHECK(seconds_of(google, "real_time") == Numbers{120e-9, 3.8e-6});
  CHECK(seconds_of(google, "cpu_time") == Numbers{118e-9, 3.7e-6});
  CHECK(table_of(google).at("iterations").unit.empty());
  const std::string jmh =
      "Benchmark,Score,Score Error (99.9%),Unit,Param: n\na,2,1,s/op,1\na,900,9,ms/op,2\n";
  CHECK(seconds_of(jmh, "Score") == Numbers{2, 0.9});
  CHECK(seconds_of(jmh, "Score Error (99.9%)") == Numbers{1, 0.009});
  CHECK(table_of(jmh).at("Param: n").unit.empty());
  CHECK(seconds_of("n,mean,stddev,unit\n1,2,1,s\n2,900,9,ms\n", "stddev") == Numbers{1, 0.009});
  CHECK(seconds_of("gpus,t,as\n1,2,s\n2,900,ms\n", "t") == Numbers{2, 0.9});
  CHECK(seconds_of("gpus,time,unit\n1,OOM,\n2,2,s\n4,900,ms\n8,0,\n", "time").size() == 4);
  const Table memory = table_of("gpus,mem,unit\n1,2,GB\n2,900,mb\n");
  CHECK(memory.at("mem").unit == "B");
  CHECK(memory.at("mem").numbers == Numbers{2e9, 9e8});
  // Each of two columns of units describes the result before it.
  const Table two = table_of("gpus,time,unit,latency,unit 2\n1,2,s,5,ms\n2,900,ms,1,s\n");
  CHECK(two.at("time").numbers == Numbers{2, 0.9});
  CHECK(two.at("latency").numbers == Numbers{0.005, 1});
  // Numbers of one unit stay as they are.
  const Table one = table_of("gpus,time,unit\n1,2,ms\n2,900,Milliseconds\n");
  CHECK(one.at("time").numbers == Numbers{2, 900});
  CHECK(unit_beside(one.at("time")) == "ms");
}

TEST_CASE("texts that are no units of the numbers beside them stay levels", "[units]") {
  for (const char* csv :
       {"gpus,unit,time\n1,cpu,2\n2,gpu,3\n", "model,gpus,time\ns,1,2\nm,2,3\n",
        "model,gpus,time\nn,1,2\ns,2,3\nm,4,5\n", "region,gpus,time\nus,1,2\neu,2,3\n",
        "window,gpus,time_s\nhour,1,2\nday,2,3\n"}) {
    INFO(csv);
    const Table table = table_of(csv);
    CHECK(table.columns.size() == 3);
    CHECK(table.columns[2].unit.empty());
    CHECK(columns_of_units(table, {}).empty());
  }
  // Two results: it is not clear whose units they are.
  const Table unclear = table_of("gpus,read_time,write_time,unit\n1,2,1,s\n2,900,9,ms\n");
  CHECK_THAT(doubt_of_units(unclear, unclear.at("read_time"), {}),
             ContainsSubstring("column 'read_time': its numbers have no common unit: 'unit' says "
                               "\"ms\" (runs.csv:3) and \"s\" (runs.csv:2) beside them; name it "
                               "'read_time unit' if it has the units of that, pass --categorical "
                               "unit if these are no units, or fit a model of each: --by unit"));
  // Words for lengths of time may be settings.
  const Table lengths = table_of("window,gpus,time\nhour,1,2\nday,2,3\n");
  CHECK_FALSE(doubt_of_units(lengths, lengths.at("time"), {}).empty());
  CHECK(doubt_of_units(lengths, lengths.at("time"), {"window"}).empty());
}

}  // namespace perfmodel
