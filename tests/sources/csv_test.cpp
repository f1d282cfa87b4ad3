#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::Message;
using test::CsvFile;
using test::table_of;
using Lines = std::vector<std::uint32_t>;
using Texts = std::vector<std::string>;

Texts texts(const Table& table, std::string_view column) {
  Texts result;
  for (std::size_t row = 0; row < table.rows(); ++row)
    result.push_back(table.at(column).text(row));
  return result;
}

/// The message of the error of reading these bytes, as if they stood in "runs.csv".
std::string csv_error(std::string_view bytes) {
  const CsvFile file(bytes);
  std::string message = test::message_of<InputError>([&] { read_csv(file.path()); });
  for (std::size_t at = 0; (at = message.find(file.path(), at)) != std::string::npos;)
    message.replace(at, file.path().size(), "runs.csv");
  return message;
}

TEST_CASE("columns of numbers and of texts are read with their lines", "[csv]") {
  const Table table = table_of("filters,padding,time_s\n4,same,0.1\n64,valid,1e-3\n8,same,.5\n");
  CHECK(table.names() == Texts{"filters", "padding", "time_s"});
  CHECK(table.lines == Lines{2, 3, 4});
  CHECK(table.at("filters").numbers == std::vector<double>{4, 64, 8});
  CHECK(table.at("time_s").numbers == std::vector<double>{0.1, 1e-3, 0.5});
  CHECK_FALSE(table.at("padding").is_numeric());
  CHECK(table.at("padding").levels == Texts{"same", "valid"});
  CHECK(table.at("padding").codes == std::vector<std::uint32_t>{0, 1, 0});
  // The source of a table is the path as it was given.
  const CsvFile file("a,b\n1,2\n");
  CHECK(read_csv(file.path()).where(0) == file.path() + ":2");
}

TEST_CASE("numbers are read to the last bit", "[csv]") {
  std::mt19937_64 random(1);
  std::vector<double> numbers;
  std::string csv = "x\n";
  while (numbers.size() < 10000) {
    const std::uint64_t bits = random();
    double x = 0;
    static_assert(sizeof x == sizeof bits);
    std::memcpy(&x, &bits, sizeof x);
    if (std::isfinite(x)) {
      numbers.push_back(x);
      csv += to_text(x) + "\n";
    }
  }
  CHECK(table_of(csv).at("x").numbers == numbers);
}

TEST_CASE("line ends may be CRLF, the last may be missing, a byte-order mark is skipped", "[csv]") {
  for (const std::string_view csv : {"a,b\r\n1,x\r\n2,y\r\n", "a,b\n1,x\n2,y", "a,b\r\n1,x\r\n2,y",
                                     "\xEF\xBB\xBF"
                                     "a,b\n1,x\n2,y\n",
                                     "a,b\n1,x\r\n2,y\n"}) {
    CAPTURE(csv);
    const Table table = table_of(csv);
    CHECK(table.names() == Texts{"a", "b"});
    CHECK(texts(table, "a") == Texts{"1", "2"});
    CHECK(texts(table, "b") == Texts{"x", "y"});
  }
}

TEST_CASE("reading reports how many bytes of all files have been read", "[csv]") {
  std::string first = "filters,time_s\n";
  const std::string padding(std::size_t{1} << 20, ' ');
  for (int line = 0; line < 40; ++line)
    first += "1," + padding + "2\n";
  const std::string second = "time_s,filters\n1,2\n";
  std::vector<std::size_t> told;
  const Table table = parse_csv(std::vector<CsvText>{{first, "a.csv"}, {second, "b.csv"}}, {},
                                std::nullopt, [&](std::size_t done, std::size_t all) {
                                  CHECK(all == first.size() + second.size());
                                  told.push_back(done);
                                });
  CHECK(table.columns[0].numbers.back() == 2);
  REQUIRE(told.size() > 2);
  CHECK(told.front() == 0);
  CHECK(told[1] < first.size());  // within the first file
  CHECK(std::is_sorted(told.begin(), told.end()));
  CHECK(told.back() >= first.size());  // of the second file, behind all of the first
}

TEST_CASE("blank lines are skipped and counted, blanks around cells do not count", "[csv]") {
  CHECK(table_of("\n\na,b\n\n1,2\n  \t\n\r\n3,4\n\n").lines == Lines{5, 8});
  const Table table = table_of(" a ,\tb c\n 1 , x y \n\t2\t,x y\n");
  CHECK(table.names() == Texts{"a", "b c"});
  CHECK(table.at("a").numbers == std::vector<double>{1, 2});
  CHECK(table.at("b c").levels == Texts{"x y"});
}

TEST_CASE("quotes hold commas, quotes and blanks together", "[csv]") {
  const Table table =
      table_of("\"a, or b\",\"say \"\"hi\"\"\",n\n\"x,y\", \" z \" ,\"1.5\"\n\"\",\"\"\"\",2\n");
  CHECK(table.names() == Texts{"a, or b", "say \"hi\"", "n"});
  CHECK(texts(table, "a, or b") == Texts{"x,y", ""});
  CHECK(texts(table, "say \"hi\"") == Texts{" z ", "\""});
  CHECK(table.at("n").numbers == std::vector<double>{1.5, 2});
  CHECK(texts(table_of("disk\n5\" HDD\n"), "disk") == Texts{"5\" HDD"});  // within a field
}

TEST_CASE("a cell that is no number is kept as it stands, never changed", "[csv]") {
  const Table table = table_of("x\n1\nnan\n\"1,5\"\n0x10\n\"\"\ninf\n1e400\n1 2\n+2\n");
  const Column& x = table.at("x");
  CHECK(x.is_numeric());
  CHECK(texts(table, "x") == Texts{"1", "nan", "1,5", "0x10", "", "inf", "1e400", "1 2", "2"});
  REQUIRE(x.bad_cells.size() == 7);
  CHECK(x.bad_cells[1].row == 2);
  CHECK(x.bad_cells[1].text == "1,5");
  CHECK(std::isnan(x.numbers[1]));
  CHECK(x.numbers[8] == 2);
}

TEST_CASE("a column whose first cell is a text, or which is named, is one of texts", "[csv]") {
  const Table of_texts = table_of("x\nn/a\n1\n");
  CHECK_FALSE(of_texts.at("x").is_numeric());
  CHECK(of_texts.at("x").levels == Texts{"n/a", "1"});
  const Table table = table_of("version,x\n1.10,1\n1.1,2\n", {"version", "no such column"});
  CHECK(table.at("version").levels == Texts{"1.10", "1.1"});
  CHECK(table.at("x").is_numeric());
}

TEST_CASE("thousands of different texts are told apart", "[csv]") {
  std::string csv = "id,x\n";
  for (int i = 0; i < 20000; ++i)
    csv += "run-" + std::to_string(i % 10000) + ",1\n";
  const Column id = table_of(csv).at("id");
  CHECK(id.levels.size() == 10000);
  CHECK(id.codes[12345] == 2345);
  CHECK(id.levels[2345] == "run-2345");
}

TEST_CASE("files longer than the reader's buffers are read whole", "[csv]") {
  // LineReader works in blocks of 16 MiB; these lines straddle them.
  std::string csv = "n,text\n";
  const std::string filler(1000, 'x');
  std::size_t rows = 0;
  while (csv.size() < (std::size_t{50} << 20))
    csv += std::to_string(rows++) + "," + filler + "\n";
  csv.pop_back();
  const Table table = table_of(csv);
  REQUIRE(table.rows() == rows);
  CHECK(table.at("text").levels == Texts{filler});
  bool in_order = true;
  for (std::size_t row = 0; row < rows; ++row) {
    in_order = in_order && table.at("n").numbers[row] == static_cast<double>(row) &&
               table.lines[row] == row + 2;
  }
  CHECK(in_order);
}

TEST_CASE(
    "lines with too few or too many fields are errors with their line, the first twenty of "
    "them",
    "[csv]") {
  CHECK(
      csv_error("a,b,c\n1,2,3\n1,2\n\n1,2,3,4\n1\n") ==
      "runs.csv:3: 2 fields, but the header has 3 columns; add what is missing or remove the line\n"
      "runs.csv:5: 4 fields, but the header has 3 columns; is there a decimal comma, or a text "
      "with a comma that needs quotes?\n"
      "runs.csv:6: 1 field, but the header has 3 columns; add what is missing or remove the line");
  CHECK(
      csv_error("a\n1,5\n") ==
      "runs.csv:2: 2 fields, but the header has 1 column; is there a decimal comma, or a text with "
      "a comma that needs quotes?");
  std::string csv = "a,b\n";
  std::string expected;
  for (int line = 2; line <= 56; ++line) {
    csv += "1\n";
    if (line <= 21)
      expected +=
          "runs.csv:" + std::to_string(line) +
          ": 1 field, but the header has 2 columns; add what is missing or remove the line\n";
  }
  CHECK(csv_error(csv) == expected + "... and 35 more");
}

TEST_CASE("a first line that is like the rows below is no header", "[csv]") {
  CHECK(csv_error("PG,test1,100.95,16.68\nMySQL,test1,28.55,28.32\nPG,test1,94.62,9.39\n") ==
        "runs.csv: the first line must be a header with the column names, but it is like the rows "
        "below");
  // Names of wide tables may be numbers, and a level may be the name of its column.
  CHECK(csv_error("size,1,2,4\na,1.5,2.5,3\nb,2,3,4\n") == "(none)");
}

TEST_CASE("quotes that are not closed or not followed by a comma are errors", "[csv]") {
  CHECK(csv_error("a,b\n1,\"x\ny\"\n") ==
        "runs.csv:2: field 2: the quote is not closed on this line; line breaks inside quotes are "
        "not supported");
  CHECK(
      csv_error("a,b\n\"x\"y,1\n") ==
      "runs.csv:2: field 1: text after the closing quote; a quote inside a quoted field is written "
      "\"\"");
  CHECK(csv_error("a,\"b\n1,2\n") ==
        "runs.csv:1: field 2: the quote is not closed on this line; line breaks inside quotes are "
        "not supported");
}

TEST_CASE("headers with doubtful names, and texts that are not UTF-8, are errors", "[csv]") {
  CHECK(csv_error("a,b,a,\n1,2,3,4\n") ==
        "runs.csv:1: columns 1 and 3 are both named 'a'; rename one\n"
        "runs.csv:1: column 4 has no name; name it in the header");
  CHECK(csv_error("1,2\n3,4\n") ==
        "runs.csv:1: the first line must be a header with the column names, but it holds only "
        "numbers");
  CHECK(csv_error("gr\xF6\xDF"
                  "e,b\n1,2\n") ==
        "runs.csv:1: the name of column 1 is not UTF-8 text; save the file as UTF-8");
  // Once for each text.
  CHECK(csv_error("a,b\n1,x\n2,gr\xF6n\n3,gr\xF6n\n4,gr\xC3\xBCn\n") ==
        "runs.csv:3: column 'b': the text is not UTF-8; save the file as UTF-8");
}

TEST_CASE("a file without a header or without rows is an error", "[csv]") {
  const std::string empty =
      "runs.csv is empty; expected a header with the column names and one line per run";
  CHECK(csv_error("") == empty);
  CHECK(csv_error("\n \n") == empty);
  CHECK(csv_error("\xEF\xBB\xBF") == empty);
  CHECK(csv_error("a,b\n") == "runs.csv has a header, but no rows");
  CHECK(csv_error("a,b\n\n") == "runs.csv has a header, but no rows");
}

TEST_CASE("semicolons, tabs and bars are recognised, and taken where they are asked for", "[csv]") {
  for (const char* csv : {"a;b\n1;x,y\n2;z\n", "a\tb\n1\tx,y\n2\tz\n", "a|b\n1|x,y\n2|z\n"}) {
    const Table table = table_of(csv);
    CHECK(table.names() == std::vector<std::string>{"a", "b"});
    CHECK(table.at("a").numbers == std::vector<double>{1, 2});
    CHECK(table.at("b").levels == std::vector<std::string>{"x,y", "z"});
    CHECK(table.style.separator == csv[1]);
    CHECK(table.style.decimal_comma.empty());
  }
  CHECK(table_of("a,b|c\n1,2\n").names() == std::vector<std::string>{"a", "b|c"});
  CHECK(table_of("a,b|c\nx,y|2\n").names() == std::vector<std::string>{"a", "b|c"});
  CHECK(parse_csv("a,b|c\nx,y|2\n", "runs.csv", {}, '|').names() ==
        std::vector<std::string>{"a,b", "c"});
  CHECK(table_of("a\tb\n1\t\n").at("b").levels == std::vector<std::string>{""});
  CHECK(table_of("time_s\n1\n2\n").at("time_s").numbers == std::vector<double>{1, 2});
}

TEST_CASE("numbers have decimal commas where commas do not separate", "[csv]") {
  const Table table = table_of("x;y;z\n\"1,5\";1,024;1,5\n2;+2,5e-1;a\n", {"z"});
  CHECK(table.at("x").numbers == std::vector<double>{1.5, 2});
  CHECK(table.at("y").numbers == std::vector<double>{1.024, 0.25});
  CHECK(table.at("z").levels == std::vector<std::string>{"1,5", "a"});
  CHECK(table.style.decimal_comma == "1,5");
  // Commas that may be of thousands beside decimal points are.
  CHECK(table_of("x;y\n1,024;0.5\n").at("x").numbers == std::vector<double>{1024});
  CHECK(csv_error("x;y\n1,5;0.5\n1.5;1\n") ==
        "runs.csv: column 'x' has both decimal commas and decimal points; write all numbers in one "
        "of the two ways");
  CHECK(table_of("x,y\n\"1,5\",0.5\n").at("x").levels == std::vector<std::string>{"1,5"});
}

TEST_CASE("several files are one table by the names of their columns", "[csv]") {
  const std::vector<CsvText> files = {{"a,b\n1,x\n2,y\n", "one.csv"}, {"b;a\ny;3\n", "two.csv"}};
  const Table table = parse_csv(files, {}, std::nullopt);
  CHECK(table.at("a").numbers == std::vector<double>{1, 2, 3});
  CHECK(table.at("b").text(2) == "y");
  CHECK(table.source == "one.csv and two.csv");
  CHECK(table.where(1) == "one.csv:3");
  CHECK(table.where(2) == "two.csv:2");
  const std::vector<std::size_t> rows = {2, 0};
  const Table chosen = take_rows(table, rows);
  CHECK(chosen.where(0) == "two.csv:2");
  CHECK(chosen.at("a").numbers == std::vector<double>{3, 1});
  CHECK(chosen.at("b").levels == std::vector<std::string>{"y", "x"});
}

TEST_CASE("carriage returns that end no line are errors, with their line or as Macintosh's",
          "[csv]") {
  const std::string expected =
      "runs.csv: the lines end in bare carriage returns (old Macintosh style); save it with LF or "
      "CRLF line ends, for example: tr '\\r' '\\n'";
  CHECK(csv_error("a,b\r1,2\r3,4\r") == expected);
  CHECK(csv_error("a,b\r1,2\r3,4") == expected);
  CHECK(csv_error("a,b\r") == expected);
  const std::string problem =
      ": a carriage return that is not part of a line end (CRLF); remove it";
  CHECK(csv_error("a,b\n1,2\n3\r,4\n") == "runs.csv:3" + problem);
  CHECK(csv_error("a,b\n1,2\r\r\n") == "runs.csv:2" + problem);
  CHECK(csv_error("a,b\n1,2\r") == "runs.csv:2" + problem);
}

TEST_CASE("a NUL byte is an error with its line, and files that are no CSV at all are named",
          "[csv]") {
  using namespace std::string_view_literals;
  CHECK(csv_error("a,b\n1,2\n3,4\0\n5,6\n"sv) ==
        "runs.csv:3: a NUL byte; the file is damaged or not a text file");
  const std::string utf16 = "runs.csv is UTF-16 text; save it as UTF-8";
  CHECK(csv_error("\xFF\xFE"
                  "a\0,\0b\0\n\0"sv) == utf16);
  CHECK(csv_error("\xFE\xFF\0a\0,\0b\0\n"sv) == utf16);
  CHECK(csv_error("a\0,\0b\0\n\0"sv) == utf16);
  CHECK(csv_error("\0a\0,\0b\0\n"sv) == utf16);
  const std::string damaged = "runs.csv:1: a NUL byte; the file is damaged or not a text file";
  CHECK(csv_error("\0a,b\n1,2\n3,4\n"sv) == damaged);
  CHECK(csv_error("a\0,b\n1,2\n3,4\n"sv) == damaged);
  CHECK(csv_error("\0\0\0\0\0\0\0\0"sv) == damaged);
  CHECK(csv_error("PK\x03\x04..."sv) ==
        "runs.csv is a spreadsheet or a zip archive; save the sheet as CSV (UTF-8), or "
        "unpack the archive");
  CHECK(csv_error("\x1F\x8B..."sv) == "runs.csv is compressed by gzip; unpack it first (gunzip)");
}

TEST_CASE("a line that is far too long, and a table of far more columns than settings, are refused",
          "[csv]") {
  CHECK(csv_error("a,b\n1," + std::string((std::size_t{16} << 20), 'x') + "\n") ==
        "runs.csv:2: the line is longer than 16 MiB; is this a CSV file?");
  std::string header = "time_s";
  std::string row = "1";
  for (int i = 1; i <= 1000; ++i) {
    header += ",c" + std::to_string(i);
    row += ",2";
  }
  CHECK(csv_error(header + "\n" + row + "\n") ==
        "runs.csv:1: the header has 1001 columns, but at most 1000 are read; one line per run and "
        "one column per setting is expected: keep the time and the settings, or transpose the "
        "table");
}

TEST_CASE("a file that cannot be read is an error with the reason", "[csv]") {
  CHECK_THROWS_MATCHES(read_csv("/no/such/runs.csv"), InputError,
                       Message("cannot read /no/such/runs.csv: No such file or directory"));
  CHECK_THROWS_MATCHES(read_csv("/"), InputError, Message("cannot read /: Is a directory"));
}

}  // namespace
}  // namespace perfmodel
