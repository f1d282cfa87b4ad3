#include "base/text.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace perfmodel {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("a number is written as the shortest text that reads back to it", "[text]") {
  CHECK(to_text(0.1) == "0.1");
  CHECK(to_text(900) == "900");
  CHECK(to_text(1e-6) == "1e-06");
  CHECK(to_text(-0.5) == "-0.5");
  CHECK(to_text(0.1 + 0.2) == "0.30000000000000004");
  CHECK(parse_number(to_text(1.0 / 3)) == 1.0 / 3);
  CHECK(parse_number(to_text(std::numeric_limits<double>::max())) ==
        std::numeric_limits<double>::max());
  CHECK(parse_number(to_text(std::numeric_limits<double>::denorm_min())) ==
        std::numeric_limits<double>::denorm_min());
}

TEST_CASE("decimal numbers are read exactly", "[text]") {
  CHECK(parse_number("32") == 32.0);
  CHECK(parse_number("-0.25") == -0.25);
  CHECK(parse_number("1e-06") == 1e-6);
  CHECK(parse_number("1E+3") == 1000.0);
  CHECK(parse_number(".5") == 0.5);
  CHECK(parse_number("5.") == 5.0);
  CHECK(parse_number("007") == 7.0);
  // A case where adding digit by digit goes wrong in the last place.
  CHECK(parse_number("0.123456789012345678") == 0.123456789012345678);
  CHECK(parse_number("+5") == 5.0);
  CHECK(parse_number("+.5") == 0.5);
  CHECK_FALSE(std::signbit(parse_number("-0").value()));
  CHECK_FALSE(std::signbit(parse_number("-0.0").value()));
}

TEST_CASE("whatever is not one whole finite decimal number is not read as a number", "[text]") {
  const std::string text =
      GENERATE("", " ", "-", "+", ".", "e5", "1e", "1e+", "nan", "NaN", "inf", "-inf", "infinity",
               "0x10", "1,5", "1.5.2", "1 000", " 1", "1 ", "1s", "--1", "+-1", "++1", "+nan",
               "+inf", "1e400", "-1e400", "1_000", "1'000", "\u00a01", "１");
  CAPTURE(text);
  CHECK_FALSE(parse_number(text).has_value());
}

TEST_CASE("names are folded to lower case with underscores", "[text]") {
  CHECK(folded("Batch-Size (GPU)") == "batch_size_(gpu)");
}

TEST_CASE("the nearest candidate is the one with the fewest slips, if a word is a slip of any",
          "[text]") {
  const Words columns{"batch_size", "kernel_size", "workers", "time_s"};
  CHECK(nearest("batchsize", columns) == "batch_size");
  CHECK(nearest("Batch-Size", columns) == "batch_size");
  CHECK(nearest("wokers", columns) == "workers");
  CHECK(nearest("wrokers", columns) == "workers");
  CHECK(nearest("kernelsize", columns) == "kernel_size");
  CHECK(nearest("time", columns) == "time_s");
  CHECK_FALSE(nearest("dropout", Words{"batch_size", "workers"}).has_value());
  CHECK_FALSE(nearest("x", Words{"y", "z"}).has_value());
  CHECK_FALSE(nearest("x", Words{}).has_value());
  // A suggestion is the end of a sentence, or nothing.
  CHECK(did_you_mean("wokers", Words{"workers"}) == "; did you mean 'workers'?");
  CHECK(did_you_mean("dropout", Words{"workers"}).empty());
}

TEST_CASE("words are listed in quotes", "[text]") {
  CHECK(quoted_list(Words{}).empty());
  CHECK(quoted_list(Words{"a"}) == "'a'");
  CHECK(quoted_list(Words{"a", "b"}) == "'a' and 'b'");
  CHECK(quoted_list(Words{"a", "b", "c"}) == "'a', 'b' and 'c'");
}

TEST_CASE("a cell is shown in double quotes, cut and without control characters", "[text]") {
  CHECK(quoted_cell("1,5") == "\"1,5\"");
  CHECK(quoted_cell("a\x1B[31mb") == "\"a?[31mb\"");
  CHECK(quoted_cell("größe") == "\"größe\"");
  CHECK(quoted_cell(std::string(60, 'x')) == "\"" + std::string(60, 'x') + "\"");
  CHECK(quoted_cell(std::string(61, 'x')) == "\"" + std::string(60, 'x') + "...\"");
}

TEST_CASE("problems are shown in the order of the file, up to twenty", "[text]") {
  ProblemList problems;
  CHECK(problems.empty());
  for (std::size_t line = 55; line > 0; --line)
    problems.add(line, 0, [&] { return "line " + std::to_string(line); });
  CHECK(problems.count() == 55);
  std::string expected;
  for (int line = 1; line <= 20; ++line)
    expected += "line " + std::to_string(line) + "\n";
  CHECK(problems.text() == expected + "... and 35 more");
  // Those of one line in the order of its columns.
  ProblemList of_one_line;
  of_one_line.add(
      2, 1, [] { return "second"; });
  of_one_line.add(2, 0, [] { return "first"; });
  CHECK(of_one_line.text() == "first\nsecond");
}

TEST_CASE("a word that messages suggest can be pasted into a shell", "[text]") {
  CHECK(shell_word("a,b.c") == "a,b.c");
  CHECK(shell_word("drop out") == "'drop out'");
  CHECK(shell_word("it's,b") == "'it'\\''s,b'");
  CHECK(shell_word("") == "''");
}

TEST_CASE("a heading has one unit, and no number is -0", "[text]") {
  CHECK(with_unit("MAE", "s") == "MAE [s]");
  CHECK(with_unit("MAE", "") == "MAE");
  CHECK(with_unit("time [s]", "") == "time [s]");
  for (const char* name : {"time [s]", "Step Time (s)"})
    CHECK(with_unit(name, "s") == name);
  CHECK(with_unit("time [s]", "ms") == "time [ms]");
  CHECK(with_unit("Step Time (min)", "h") == "Step Time [h]");
  CHECK(with_unit("memory [GiB]", "MiB") == "memory [MiB]");
  CHECK(with_unit("time (forward)", "s") == "time (forward) [s]");
  CHECK(with_unit("[s]", "ms") == "[s] [ms]");
  CHECK(short_number(-0.0) == "0");
  CHECK(rounded(-0.0) == "0");
}

TEST_CASE("long names are shortened in their middle", "[cli]") {
  CHECK(clipped("short", 5) == "short");
  CHECK(clipped("abcdefghij", 5) == "ab\u2026ij");
  CHECK(display_width(clipped("ääääääääääää", 7)) == 7);
}

}  // namespace
}  // namespace perfmodel
