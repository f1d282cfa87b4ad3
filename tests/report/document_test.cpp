#include "report/document.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/knowledge.hpp"
#include "perfmodel/table.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using doc::numbers;
using doc::words;

TEST_CASE(
    "cells of a table are aligned by their characters, and one that is too wide wraps its "
    "texts, then puts columns below",
    "[report]") {
  doc::Table narrow{{words("é"), numbers("1"), words("x")}};
  narrow.indentation = 2;
  narrow.add({"abc", "100"});
  CHECK(doc::text_lines(narrow) == std::vector<std::string>{"  \u00e9      1  x", "  abc  100"});
  doc::Table table{
      {words("configuration of a run"), numbers("first"), numbers("second"), numbers("third")}};
  table.indentation = 2;
  table.add({"a", "1000000000", "2000000000", "3000000000"});
  CHECK(doc::text_lines(table, 200) == doc::text_lines(table));
  CHECK(doc::text_lines(table, 58) ==
        std::vector<std::string>{"  configuration of a         first      second       third",
                                 "  run",
                                 "  a                     1000000000  2000000000  3000000000"});
  CHECK(doc::text_lines(table, 40) ==
        std::vector<std::string>{"  confi\u2026ration       first      second", "  of a run",
                                 "  a             1000000000  2000000000", "",
                                 "  confi\u2026ration       third", "  of a run",
                                 "  a             3000000000"});
}

TEST_CASE("one table is what people read and what programs compute with", "[report]") {
  doc::Table table{.columns = {words("model", "file"),
                               numbers("time [ms]", "time", doc::format_of(ShownTime("s", 0.02))),
                               {"90 % interval", doc::Align::left, doc::format_of({"s", 0.02})},
                               numbers("efficiency", "efficiency", doc::percent_of_share),
                               doc::for_programs("rows"),
                               words("note")},
                   .csv = {"rows", "file", "time", "efficiency"}};
  table.add({doc::shown_as("a,b.json", "a,b"), 0.0166, Interval{0.015, 0.02}, 0.5, std::size_t{7},
             "far"});
  table.add({"c", std::nan(""), std::optional<Interval>(), std::optional<double>()});
  const doc::Document document{.blocks = {table}};
  CHECK(document.in(OutputFormat::text) ==
        "model  time [ms]  90 % interval  efficiency  note\n"
        "a,b         16.6  15 .. 20           50.0 %  far\n"
        "c              -                          -\n");
  CHECK(document.in(OutputFormat::csv) ==
        "rows,file,time,efficiency\n7,\"a,b.json\",0.0166,0.5\n,c,,\n");
  CHECK(document.in(OutputFormat::latex) ==
        "\\begin{tabular}{lrlrl}\n"
        "  model & time [ms] & 90 \\% interval & efficiency & note \\\\ \\hline\n"
        "  a,b & 16.6 & 15 .. 20 & 50.0 \\% & far \\\\\n"
        "  c & - &  & - \\\\\n"
        "\\end{tabular}\n");
}

TEST_CASE("the blocks of a document in Markdown, where names are no markup", "[report]") {
  doc::Document document{.escapes_markup = true};
  document.add("\na *name*\n");
  document.add(doc::Answer{"How long?", "4 s", {"at <b>", "x"}, true});
  document.add(doc::Heading{"Warnings"});
  document.add(doc::List{{"none"}});
  CHECK(document.in(OutputFormat::markdown) ==
        "a \\*name\\*\n\n**How long?** \u26a0 4 s\n- at \\<b\\>\n- x\n\n**Warnings**\n- none\n");
  CHECK(doc::html(document.blocks[2]) == "<h3>Warnings</h3>\n");
  CHECK(doc::html(document.blocks[3]) == "<ul>\n<li>none</li>\n</ul>\n");
}

TEST_CASE("metrics have one heading, unit and name each", "[report]") {
  const std::vector<std::string_view> shown = {"rows", "mse", "r2"};
  const std::vector<doc::Column> columns = doc::metric_columns(shown, ShownTime("s", 0.02));
  REQUIRE(columns.size() == 3);
  CHECK(columns[1].heading == "MSE [ms^2]");
  CHECK(columns[1].name == "mse");
  std::vector<doc::Cell> cells;
  doc::add_metrics(cells, shown, {.rows = 3, .mse = 4e-6, .r2 = 0.5});
  doc::Table table{columns};
  table.add(cells);
  CHECK(table.text(table.rows[0], 0) == "3");
  CHECK(table.text(table.rows[0], 1) == "4");
  CHECK(table.text(table.rows[0], 2) == "0.5");
}
