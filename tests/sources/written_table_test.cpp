#include "sources/written_table.hpp"

#include <array>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "sources/source.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::CsvFile;

/// What is read from a sheet: names with '*' for texts, cells, and the lines of the rows.
struct ReadSheet {
  std::string cells;
  std::vector<std::uint32_t> lines;
  std::vector<std::string> notices;
  CellStyle style;
};

ReadSheet sheet_of(std::string_view text, std::optional<char> decimal = {}) {
  const CsvFile file(text);
  const SourceText source = read_source(file.path(), {.decimal = decimal});
  const Table table =
      parse_csv(std::array{CsvText{source.csv, "sheet", 0, decimal}}, {}, std::nullopt);
  ReadSheet out{"", table.lines, source.notices, table.style};
  for (const Column& column : table.columns)
    out.cells += (out.cells.empty() ? "" : ",") + column.name + (column.is_numeric() ? "" : "*");
  for (std::size_t row = 0; row < table.rows(); ++row)
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      out.cells += (i == 0 ? "|" : ",") + table.columns[i].text(row);
  return out;
}

std::string refusal_of(std::string_view text) {
  return test::message_of<InputError>([&] { sheet_of(text); });
}

struct Oddity {
  std::string name;
  std::string text;
  std::string cells;
  std::size_t notices;
};

}  // namespace

TEST_CASE("sheets with one oddity each are read as the plain table", "[written]") {
  const std::vector<Oddity> sheets = {
      {"a title", "Results of March, node 7\nn,batch,t\n1,16,0.5\n2,16,0.3\n",
       "n,batch,t|1,16,0.5|2,16,0.3", 1},
      {"titles with separators", "Title;;;\nDate;2024-03-01;;\nn;b;x;t\n1;2;3;0,5\n2;2;3;0,3\n",
       "n,b,x,t|1,2,3,0.5|2,2,3,0.3", 1},
      {"a comment", "# node 7, 2024\nn,t\n1,0.5\n2,0.3\n", "n,t|1,0.5|2,0.3", 1},
      {"units below", "n,time,mem,kind\n#,ms,GB,\n1,12.5,3,a\n2,7.5,4,b\n",
       "n,time (ms),mem (GB),kind*|1,12.5,3,a|2,7.5,4,b", 1},
      {"units that the names have", "n,time_ms\n-,[ms]\n1,12.5\n2,7.5\n", "n,time_ms|1,12.5|2,7.5",
       1},
      {"merged headers", ",GPU,,CPU,\nn,time,mem,time,mem\n1,5,3,7,2\n2,3,3,5,2\n",
       "n,GPU time,GPU mem,CPU time,CPU mem|1,5,3,7,2|2,3,3,5,2", 1},
      {"headers merged downwards", "n,GPU,,batch\n,time,mem,\n1,5,3,16\n2,3,3,16\n",
       "n,GPU time,GPU mem,batch|1,5,3,16|2,3,3,16", 1},
      {"two headers and units", ",GPU,\nn,time,mem\n,ms,GB\n1,5,3\n2,3,3\n",
       "n,GPU time (ms),GPU mem (GB)|1,5,3|2,3,3", 2},
      {"a total", "n,t\n1,0.5\n2,0.3\n4,0.2\nTotal:,1.0\n", "n,t|1,0.5|2,0.3|4,0.2", 1},
      {"statistics", "n,b,t\n1,2,0.5\n2,2,0.3\nMEAN,,0.4\nStd. Dev.,,0.1\n",
       "n,b,t|1,2,0.5|2,2,0.3", 2},
      {"a unit beside another one", "a_ms,n\ns,#\n1,2\n4,5\n", "a_ms (s),n|1,2|4,5", 1},
      {"an index from 1", "Title\n,n,t\n1,1,0.5\n2,2,0.3\n", "row index,n,t|1,1,0.5|2,2,0.3", 1},
      {"a mean of levels", "device,n,t\nA,1,0.5\nB,1,0.3\nA,2,0.1\nAverage,1.3,0.30\n",
       "device*,n,t|A,1,0.5|B,1,0.3|A,2,0.1", 1},
      {"notes below", "n,b,t\n1,16,0.5\n2,16,0.3\n\n* with a warm cache\nMeasured, in March.\n",
       "n,b,t|1,16,0.5|2,16,0.3", 2},
      {"blank columns", ",n,,t,\n,1,,0.5,\n,2,,0.3,\n,,,,\n,4,,0.2,\n", "n,t|1,0.5|2,0.3|4,0.2", 1},
      {"separators at the ends of rows", "n,t\n1,0.5,\n2,0.3,\n", "n,t|1,0.5|2,0.3", 1},
      {"a separator at the end of the header", "n,t,\n1,0.5\n2,0.3\n", "n,t|1,0.5|2,0.3", 1},
      {"an index of names", ",n,t\nrun a,1,0.5\nrun b,2,0.3\n", "row*,n,t|run a,1,0.5|run b,2,0.3",
       1},
      {"Markdown",
       "Before.\n\n| n | `t` (ms) |\n|---|:--:|\n| 1 | **12.5** |\n| 2 | 7.5 |\n\nAfter.\n",
       "n,`t` (ms)|1,12.5|2,7.5", 2},
      {"psql", " n | time \n---+------\n 1 |  0.5\n 2 |  0.3\n(2 rows)\n", "n,time|1,0.5|2,0.3", 2},
      {"MySQL", "+---+-----+\n| n | t   |\n+---+-----+\n| 1 | 0,5 |\n| 2 | 0,3 |\n+---+-----+\n",
       "n,t|1,0.5|2,0.3", 1},
      {"aligned columns",
       "GPUs   Step Time (ms)   device\n1      12.5             RTX 4090\n"
       "2      7.5              RTX 4090\n",
       "GPUs,Step Time (ms),device*|1,12.5,RTX 4090|2,7.5,RTX 4090", 1},
      {"single blanks and a note", "n batch time\n1 16 0.5\n2 16 0.3\nmeasured on one node\n",
       "n,batch,time|1,16,0.5|2,16,0.3", 2},
      {"a data frame as it is printed", "   n  time device\n0  1   0.5      a\n1  2   0.3      b\n",
       "row index,n,time,device*|0,1,0.5,a|1,2,0.3,b", 1},
      {"comments between rows", "n,t\n1,0.5\n# after a reboot\n2,0.3\n# 4,0.1\n4,0.2\n",
       "n,t|1,0.5|2,0.3|4,0.2", 1},
      {"a header in comments", "# node 7\n#\n# n  time (s)\n\n1  0.5\n2  0.3\n",
       "n,time (s)|1,0.5|2,0.3", 3},
      {"a header of a count", "#gpus,t\n1,0.5\n2,0.3\n#3,0.2\n", "#gpus,t|1,0.5|2,0.3", 1},
      {"rows that begin with a hash", "run,t\n#1,0.5\n#2,0.3\n", "run*,t|#1,0.5|#2,0.3", 0},
      {"a repeated header", "n,t\n1,0.5\nn,t\n2,0.3\n", "n,t|1,0.5|2,0.3", 1},
      {"carriage returns alone", "n,t\r1,0.5\r2,0.3\r", "n,t|1,0.5|2,0.3", 1},
      {"boxes",
       "\u250c\u2500\u252c\u2500\u2510\n\u2502 n \u2502 t \u2502\n\u251c\u2500\u253c\u2500\u2524\n"
       "\u2502 1 \u2502 0.5 \u2502\n\u2502 2 \u2502 0.3 \u2502\n\u2514\u2500\u2534\u2500\u2518\n",
       "n,t|1,0.5|2,0.3", 1},
      {"types below the header", "n,t,kind\ni64,f64,str\n1,0.5,a\n2,0.3,b\n",
       "n,t,kind*|1,0.5,a|2,0.3,b", 1},
      {"Markdown without the last cells",
       "| n | t | note |\n|--|--|--|\n| 1 | 0.5\n| 2 | 0.3 | x |\n", "n,t,note*|1,0.5,|2,0.3,x", 1},
      {"links and tags",
       "| device | t |\n|--|--|\n| [A 1](https://a.b/c) | 0.5<sub>\u00b10.1</sub> |\n"
       "| **B** | **0.3**<sub>\u00b10.1</sub> |\n",
       "device*,t|A 1,0.5|B,0.3", 2},
      {"uncertainties", "n,t\n1,0.5+-0.1\n2,0.3 (+/- 2 %)\n4,0.25\n", "n,t|1,0.5|2,0.3|4,0.25", 1},
      {"a word behind all numbers",
       "| n | rate | size |\n|--|--|--|\n| 1 | 1,205.5 t/s | 7 px |\n| 2 | 98 t/s | 13 px |\n"
       "| 4 | N/A | 7 px |\n",
       "n,rate (t/s),size (px)|1,1205.5,7|2,98,13|4,N/A,7", 2},
      {"words in CSV are for those who name them", "n,nodes\n1,4 GPUs\n2,8 GPUs\n",
       "n,nodes*|1,4 GPUs|2,8 GPUs", 0},
      {"words that differ", "n,gpu,t\n1,3090 Ti,0.5\n2,4090,0.3\n",
       "n,gpu*,t|1,3090 Ti,0.5|2,4090,0.3", 0},
      {"one unit in a column",
       "| n | Score | Units |\n|--|--|--|\n| 1 | 12.5 | ops/s |\n| 2 | 7.5 | ops/s |\n",
       "n,Score (ops/s)|1,12.5|2,7.5", 2},
      {"one unit in a column of CSV", "n,Score,Units\n1,12.5,ops/s\n2,7.5,ops/s\n",
       "n,Score,Units*|1,12.5,ops/s|2,7.5,ops/s", 0},
      {"several units in a column", "n,Score,Unit\n1,12.5,us/op\n2,7.5,ms/op\n",
       "n,Score|1,1.25e-05|2,0.0075", 0},
      {"merged cells",
       "| gpu | n | t |\n|--|--|--|\n| A | 1 | 5 |\n| | 2 | 4 |\n| B | 1 | 3 |\n| | 2 | 2 |\n",
       "gpu*,n,t|A,1,5|A,2,4|B,1,3|B,2,2", 2},
      {"three lines of a header",
       "#                 out-of-place       in-place\n"
       "#    size  type    time   busbw    time   busbw\n"
       "#     (B)          (us)  (GB/s)    (us)  (GB/s)\n"
       "        8     x    8.72    0.00    8.77    0.00\n"
       "       16     x    8.73    0.01    8.74    0.02\n",
       "size (B),type*,out-of-place time (us),out-of-place busbw (GB/s),in-place time (us),"
       "in-place busbw (GB/s)|8,x,8.72,0,8.77,0|16,x,8.73,0.01,8.74,0.02",
       2},
      {"a blank cell of aligned columns",
       "n    ram   time\n1    3.5    0.5\n2           0.3\n4    2.5    0.2\n",
       "n,ram,time|1,3.5,0.5|2,,0.3|4,2.5,0.2", 1},
      {"signs between aligned numbers",
       "n   Mode    Score    Error\n1   avgt  130.946 \u00b1  8.761\n2   avgt 1546.584 \u00b1 "
       "24.937\n",
       "n,Mode*,Score,Error|1,avgt,130.946,8.761|2,avgt,1546.584,24.937", 1},
      {"a column without a name at the end",
       "Run on 4 cores\nBenchmark      Time      CPU\n-------------------------\n"
       "f/1         6708 ns  6334 ns  145MB/s\nf/2         6675 ns  6429 ns  585MB/s\n",
       "Benchmark*,Time,CPU,column 4 "
       "(MB/s)|f/1,6.708e-06,6.334e-06,145|f/2,6.675e-06,6.429e-06,585",
       4},
      {"numbers wider than the gaps of single blanks",
       "gpus  batch time_s\n   1      8    8.5\n   2     16    4.5\n   4     64   12.5\n"
       "   8    256 1234.5\n  16   1024 9999.5\n",
       "gpus,batch,time_s|1,8,8.5|2,16,4.5|4,64,12.5|8,256,1234.5|16,1024,9999.5", 1},
      {"blank cells at the end of aligned rows",
       "gpus  batch   time\n   1      8    8.5\n   2      8\n   4      8    2.5\n   8\n",
       "gpus,batch,time|1,8,8.5|2,8,|4,8,2.5|8,,", 1},
      {"blank cells below single blanks",
       "gpu  n time\na   10  0.5\nb       0.3\nc    4\nd  128  9.5\n",
       "gpu*,n,time|a,10,0.5|b,,0.3|c,4,|d,128,9.5", 1},
      {"a first run with a blank cell",
       "n    kind   time\n1    a\n2    b      0.5\n4    c      0.3\n8    d      0.2\n",
       "n,kind*,time*|1,a,|2,b,0.5|4,c,0.3|8,d,0.2", 1},
      {"names of several words above single blanks",
       "  n Step time (ms) kind\n  1           12.5    a\n128            7.5    b\n",
       "n,Step time (ms),kind*|1,12.5,a|128,7.5,b", 1},
      {"a title as long as the header", "times of march\nn batch time\n1 16 0.5\n2 16 0.3\n",
       "n,batch,time|1,16,0.5|2,16,0.3", 2},
      {"runs out of memory in aligned columns", "n   time\n1   0.5\n2   0.3\n4   OOM\n",
       "n,time|1,0.5|2,0.3|4,OOM", 1},
      {"totals of any word", "n;b;t\n1;2;0,5\n2;2;0,25\n4;8;2,5\nGesamt;12;3,25\n",
       "n,b,t|1,2,0.5|2,2,0.25|4,8,2.5", 1},
      {"means of levels", "gpu,n,t\nA,1,0.5\nB,2,0.3\nC,4,0.1\nMoyenne,2.33,0.30\n",
       "gpu*,n,t|A,1,0.5|B,2,0.3|C,4,0.1", 1},
      {"the largest of each column", "gpu,n,t\nA,1,0.5\nB,2,0.3\nC,4,0.1\nbest,4,0.5\n",
       "gpu*,n,t|A,1,0.5|B,2,0.3|C,4,0.1", 1},
      {"totals of times with units",
       "| n | t |\n|--|--|\n| 1 | 500 ms |\n| 2 | 1.5 s |\n| Summe | 2 s |\n", "n,t|1,0.5|2,1.5",
       2},
      {"a remark between aligned rows", "n   time\n1   0.5\nwith a warm cache:\n2   0.3\n",
       "n,time|1,0.5|2,0.3", 2},
  };
  for (const Oddity& sheet : sheets) {
    INFO(sheet.name);
    const ReadSheet read = sheet_of(sheet.text);
    CHECK(read.cells == sheet.cells);
    CHECK(read.notices.size() == sheet.notices);
    std::string with_returns;
    for (const char c : sheet.text)
      with_returns += c == '\n' ? "\r\n" : std::string(1, c);
    CHECK(sheet_of("\xEF\xBB\xBF" + with_returns).cells == sheet.cells);
  }
}

TEST_CASE("all repairs of a sheet are told at once and rows keep their lines", "[written]") {
  const ReadSheet read = sheet_of(
      "Results of March\n\n,GPU,,\nn,time,mem,\n,ms,GB,\n1,12.5,3,\n2,7.5,3,\nSum,20,6,\nOf node "
      "7.\n");
  CHECK(read.cells == "n,GPU time (ms),GPU mem (GB)|1,12.5,3|2,7.5,3");
  CHECK(read.lines == std::vector<std::uint32_t>{6, 7});
  REQUIRE(read.notices.size() == 6);
  CHECK_THAT(read.notices[0],
             ContainsSubstring("line 1, \"Results of March\", is a title above the header"));
  CHECK_THAT(read.notices[1], ContainsSubstring("lines 3 and 4 are one header"));
  CHECK_THAT(read.notices[2], ContainsSubstring("line 5 is of units"));
  CHECK_THAT(read.notices[3], ContainsSubstring("line 9, \"Of node 7.\", is a note"));
  CHECK_THAT(read.notices[4], ContainsSubstring("line 8, \"Sum,20,6,\", is a total"));
  CHECK_THAT(read.notices[5], ContainsSubstring("column 4 is blank"));
}

TEST_CASE("a sheet that is not one table is refused with the cure", "[written]") {
  CHECK_THAT(
      refusal_of("| a | b |\n|---|---|\n| 1 | 2 |\n\nand\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
      ContainsSubstring("there are 2 tables, from lines 1 and 7 on; keep one of them"));
  CHECK_THAT(refusal_of("device n time\nRTX 4090 1 0.5\nRTX 4090 2 0.3\nA100 1 0.4\n"),
             ContainsSubstring("write two blanks or more between columns, or commas"));
  CHECK_THAT(refusal_of("device  n  time\nA  1  0.5\nB    0.3\nC  2  0.3\n"),
             ContainsSubstring(":3: the columns seem to be separated by blanks"));
}

TEST_CASE("lines with as many numbers as rows are rows, or are shown", "[written]") {
  for (const auto& [text, shown] : std::array<std::array<std::string, 2>, 8>{{
           {"| n | t |\n|---|---|\n| 1 | 2 |\n| 2 | 3 |\n\n| 4 | 5 |\n", ":6: \"| 4 | 5 |\""},
           {"| n | t |\n|---|---|\n| 1 | 2 |\n| 2 | 3 |\n4 5\n", ":5: \"4 5\""},
           {"n  batch  t\n1  16  0.5\n2  16  0.3\n4 nodes  16  0.2\n8  16 warm  0.1\n",
            ":5: the columns seem to be separated by blanks, but \"8  16 warm  0.1\""},
           {"n batch t\n1 16 0.5\n2 16 0.3\n4 16 0.2 warm\n", "\"4 16 0.2 warm\" has not"},
           {"n batch t\n1 16 0.5\n2 16 0.3\n128 16\n", ":4: the columns seem to be separated"},
           {"1 16 0.5\nn batch t\n2 16 0.3\n4 16 0.2\n", ":1: the columns seem to be"},
           {"7;3;;\nn;b;x;t\n1;a;b;5\n2;a;b;7\n", ":1: \"7;3;;\" is above the header"},
           {"  W    lr nodes  t\n1.5  a100 0.5    1\n2.5   b10 0.25   2\n",
            "'lr nodes' may be the name"},
       }}) {
    INFO(text);
    CHECK_THAT(refusal_of(text), ContainsSubstring(shown));
  }
}

TEST_CASE("plain tables that look odd are left alone", "[written]") {
  for (const char* text : {
           "op,t\ntotal,1\nmatmul,2\ntotal,2.5\n",                          // a level
           "op,t\nmatmul,1\nmatmul,2\nsum,2.5\n",                           // an operation
           "op,t\nforward,1\nbackward,2\noptim,0.5\ntotal,3.5\n",           // a level
           "op,n,t\nforward,8,1\nbackward,8,2\noptim,8,.5\ntotal,8,3.5\n",  // one of a batch
           "op,n,t\nread,4,1.5\nwrite,2,2.5\ntotal,8,7.5\n",                // no total
           "gpu,n,t\nA,1,1\nB,2,2\nC,2,2\n",                                // two alike
           "stat,t\nmin,1\nmax,3\nmean,2\n",                                // a table of statistics
           "time_s\n0.5\n0.7\n",                                            // one column
           "my times\n12.5 ms\n7.5 ms\n",   // one column of quantities
           "kind,device\nx,A\ny,B\nz,C\n",  // texts alone
           "size,kind,t\ns,m,1\nm,s,2\n",   // levels that are units
           "device,size,t\nsmall,large,1\nlarge,small,2\n",
           "n,batch,t\n1,16,0.5\n2,16,0.3\n4,16\n",    // cut off
           "a,b\n1,2,3\n4,5,6\n",                      // a header that is too short
           "device,t\nA100,0.5\nH100,\n",              // a run without a time
           "gpus,host,t\n1,a,0.5\n2,b,0.3\n,a,0.7\n",  // a setting is missing
           ",n,t\n0,1,0.5\n1,2,0.3\n",                 // an index
           "#gpus,t\n1,0.5\n2,0.3\n",                  // a name
           "a|b\n-|-\n1|2\n",                          // no rule
           "PAR1,t\n1,0.5\n2,0.3\n",
           "n,t\n\"1,5\",2\n",
       }) {
    INFO(text);
    CHECK_FALSE(written_table(text, "sheet", std::nullopt));
    CHECK(is_plain_csv(text, {}));
  }
  const std::string titled = "Title\nn,t\n1,0.5\n2,0.3\n";
  CHECK(written_table(titled, "sheet", std::nullopt));
  CHECK_FALSE(is_plain_csv(titled, {}));
  const CsvFile file(titled);
  CHECK(read_source(file.path(), {.format = InputFormat::csv}).csv == titled);
}

TEST_CASE("generated plain tables are never changed", "[written]") {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return random() % n; };
  const std::vector<std::string> words = {"a",     "total", "mean", "s",         "ms", "A100",
                                          "4090",  "x y",   "GB",   "max pool",  "-",  "sum",
                                          "node7", "B/s",   "#1",   "2024-03-01"};
  for (int trial = 0; trial < 2000; ++trial) {
    const char separator = ",;\t|"[below(4)];
    const std::size_t columns = 2 + below(4);
    const std::size_t rows = 2 + below(90);
    std::string text = "time_s";
    for (std::size_t i = 1; i < columns; ++i)
      text += separator + ("c" + std::to_string(i));
    text += '\n';
    std::vector<bool> is_text(columns);
    for (std::size_t i = 1; i < columns; ++i)
      is_text[i] = below(2) == 0;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < columns; ++i)
        text += (i == 0 ? std::string() : std::string(1, separator)) +
                (is_text[i] ? words[below(static_cast<unsigned>(words.size()))]
                            : to_text(0.25 * static_cast<double>(1 + below(100))));
      text += '\n';
    }
    INFO(text);
    REQUIRE_FALSE(written_table(text, "sheet", std::nullopt));
  }
}

TEST_CASE("long sheets are read, but none that only a program can have written", "[written]") {
  std::string text = "n,t\n";
  for (int row = 1; row <= 1000; ++row)
    text += std::to_string(row) + ",2.5\n";
  CHECK_FALSE(written_table(text, "sheet", std::nullopt));
  const auto read = sheet_of(text + "Total,2500\nOn node 7\n");
  CHECK(read.lines.size() == 1000);
  CHECK(read.notices.size() == 2);
  CHECK_THAT(read.notices[1], ContainsSubstring("line 1002, \"Total,2500\","));
  const std::string titled = "Title\nn,t\n1,0.5\n";
  CHECK(written_table(titled + "2,0.3\n", "sheet", std::nullopt));
  CHECK_FALSE(written_table(titled + "2," + std::string(1 << 20, '0') + "\n", "sheet", {}));
}

TEST_CASE("marks of thousands and decimal commas are read by what the file shows", "[written]") {
  const auto cells = [](std::string_view text) { return sheet_of(text).cells; };
  const auto is_refused = [](std::string_view text) {
    return refusal_of(text).find("; pass --decimal ") != std::string::npos;
  };
  // One cell with two groups, or a column with decimal points, tells about the others.
  CHECK(cells("n,t\n1,\"128,768\"\n2,\"1,884,602\"\n") == "n,t|1,128768|2,1884602");
  CHECK(cells("n,t\n\"1,024\",2.5\n512,3.5\n") == "n,t|1024,2.5|512,3.5");
  CHECK(is_refused("n,t\n\"128,768\",2\n\"256,112\",3\n"));
  CHECK(is_refused("n,t\n512,2\n\"1,024\",3\n"));
  CHECK(is_refused("n,t\n\"1,024\",2.5\n4096,3.5\n"));
  CHECK(is_refused("n;t\n1;1.200 ms\n2;900 ms\n"));
  CHECK(sheet_of("n,t\n\"1,024\",2\n", '.').cells == "n,t|1024,2");
  CHECK(sheet_of("n,t\n\"1,024\",2\n", ',').cells == "n,t|1.024,2");
  CHECK(cells("n;t\n1.024;2,5\n2.048;3\n") == "n,t|1024,2.5|2048,3");
  CHECK(cells("n;t\n1.092,9;2\n1.024;3\n12,5;4\n") == "n,t|1092.9,2|1024,3|12.5,4");
  CHECK(cells("n;t\n1.024;0.5\n2.048;3\n") == "n,t|1.024,0.5|2.048,3");
  CHECK(is_refused("n;t\n512;0,5\n1,024;3\n"));
  CHECK(is_refused("n;t;x\n1.024;0,5;0.5\n2.048;3;1\n"));
  CHECK_THAT(refusal_of("n;t\n0,5;2\n0.5;3\n"), ContainsSubstring("both decimal commas and"));
  // Blanks and apostrophes are no decimal marks.
  CHECK(cells("n,t\n1 024,2\n512,3\n1'024'000,7\n") == "n,t|1024,2|512,3|1024000,7");
  CHECK(cells("n;t\n1\u202f024;2\n1\u2019024;3\n") == "n,t|1024,2|1024,3");
  // Units.
  CHECK(cells("n;t;u\n1;285,1 ms;71,6%\n2;1.200,5 ms;7%\n") == "n,t,u|1,0.2851,71.6|2,1.2005,7");
  CHECK(cells("n,t\n1,12.5 ms\n2,\"1,200 ms\"\n") == "n,t|1,0.0125|2,1.2");
  CHECK(cells("n;t\n1;2,5\u00a0ms\n2;3\u00a0ms\n") == "n,t|1,0.0025|2,0.003");
  // Where commas separate, decimal commas stand beside no decimal points.
  CHECK(cells("n,t\n1,\"0,5\"\n2,\"1,25\"\n") == "n,t|1,0.5|2,1.25");
  CHECK(cells("s,t\n\"640,480\",0.5\n\"1024,768\",0.7\n") == "s*,t|640,480,0.5|1024,768,0.7");
  // Names of models are no numbers, whatever stands beside them.
  CHECK(cells("d,t\nA100,0.5\n4090,0.25\nV100,0.3\nv1.024,0.3\n") ==
        "d*,t|A100,0.5|4090,0.25|V100,0.3|v1.024,0.3");
  const ReadSheet read = sheet_of("n;t\n1.024;2,5 ms\n512;3,5 ms\n");
  CHECK(read.style.decimal_comma == "2,5 ms");
  CHECK(read.style.thousands == std::vector<std::string>{"\"1.024\" of 'n' is 1024"});
}

TEST_CASE("all columns whose marks are in doubt are asked for at once", "[written]") {
  const std::string refusal = refusal_of("n,m,t\n\"1,024\",\"2,048\",2\n\"1,536\",\"4,096\",3\n");
  CHECK_THAT(refusal, ContainsSubstring("sheet:2: column 'n': \"1,024\" can be 1024 or 1.024; pass "
                                        "--decimal . for 1024, or --decimal , for 1.024\n") &&
                          ContainsSubstring("sheet:2: column 'm': \"2,048\" can be 2048 or 2.048"));
}

TEST_CASE("files that are no tables are named with what to do", "[written]") {
  using namespace std::string_view_literals;
  const auto is_said = [](std::string_view bytes, const std::string& words) {
    return refusal_of(bytes).find(words) != std::string::npos;
  };
  CHECK(is_said("\n <!DOCTYPE HTML><html>", "is a web page (HTML)"));
  CHECK(is_said("<HTML>", "is a web page (HTML)"));
  CHECK(is_said("%PDF-1.7\n", "is a PDF"));
  CHECK(is_said("\x89PNG\r\n", "is a picture (PNG)"));
  CHECK(is_said("\xFF\xD8\xFF\xE0", "is a picture (JPEG)"));
  CHECK(is_said("GIF89a", "is a picture (GIF)"));
  CHECK(is_said("{\\rtf1 x}", "is formatted text (RTF)"));
  CHECK(is_said("PAR1\x15\x04"sv, "is a Parquet file"));
  CHECK(is_said("ARROW1\0\0"sv, "is an Arrow (Feather) file"));
  CHECK(is_said("\x89HDF\r\n", "is an HDF5 file"));
  CHECK(is_said("\x93NUMPY\x01", "is a NumPy array"));
  CHECK(is_said("PK\x03\x04 a.npy", "is an archive of NumPy arrays (npz)"));
  CHECK(is_said("PK\x03\x04 xl/workbook.xml", "is a spreadsheet (xlsx); save the sheet as CSV"));
  CHECK(is_said("PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
                "is a spreadsheet (ods)"));
  CHECK(is_said("PK\x03\x04 a.csv", "or unpack the archive"));
  CHECK(is_said("\x80\x04\x95.", "is a pickle of Python"));
}

}  // namespace perfmodel
