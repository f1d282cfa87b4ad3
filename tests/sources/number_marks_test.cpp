// Generated numbers with decimal marks and marks of thousands are read right or refused.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "perfmodel/error.hpp"
#include "sources/source.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"
#include "support/property.hpp"
#include "support/temporary_directory.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::ContainsSubstring;
using test::for_each_case;
using test::message_of;

/// How a file writes its numbers.
struct MarkStyle {
  char separator;      ///< '#': Markdown
  char decimal;        ///< '.' or ','
  bool has_thousands;  ///< the other mark between groups of three digits
  std::size_t digits;  ///< behind the decimal mark
};

/// A number of thousandths, of which the style may show fewer digits.
std::string with_marks(std::size_t whole, std::size_t fraction, std::size_t digits,
                       const MarkStyle& style) {
  std::string text = std::to_string(whole);
  if (style.has_thousands)
    for (std::size_t at = text.size(); at > 3; at -= 3)
      text.insert(at - 3, 1, style.decimal == '.' ? ',' : '.');
  if (digits > 0)
    text += style.decimal + std::to_string(1000 + fraction).substr(1, digits);
  return text;
}

struct MarkedRows {
  std::string text;
  std::vector<std::array<double, 2>> numbers;
};

MarkedRows marked_rows(RandomStream& random, const MarkStyle& style) {
  MarkedRows out;
  const bool is_markdown = style.separator == '#';
  const std::string between(1, is_markdown ? '|' : style.separator);
  const std::string bar = is_markdown ? "|" : "";
  const std::string quote = style.separator == ',' ? "\"" : "";
  out.text = bar + "n" + between + "t" + bar + "\n" + (is_markdown ? "|--|--|\n" : "");
  const std::size_t least = random.below(2) == 0 ? 1 : 1000;
  const std::size_t rows = 2 + random.below(5);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t n = least + random.below(30000);
    const std::size_t whole = least + random.below(9000);
    const std::size_t fraction = random.below(1000);
    const std::string t = with_marks(whole, fraction, style.digits, style);
    out.text +=
        bar + quote + with_marks(n, 0, 0, style) + quote + between + quote + t + quote + bar + "\n";
    const std::string plain = with_marks(whole, fraction, style.digits, {',', '.', false, 0});
    out.numbers.push_back({static_cast<double>(n), std::stod(plain)});
  }
  return out;
}

Table read_texts(const std::vector<std::string>& texts, std::optional<char> decimal = {}) {
  const test::TemporaryDirectory directory;
  std::vector<SourceText> sources;
  for (std::size_t i = 0; i < texts.size(); ++i)
    sources.push_back(
        read_source(directory.write("runs" + std::to_string(i), texts[i]), {.decimal = decimal}));
  std::vector<CsvText> files;
  for (const SourceText& source : sources)
    files.push_back({source.csv, source.source, 0, decimal});
  return parse_csv(files, {}, std::nullopt);
}

std::vector<std::array<double, 2>> numbers_in(const Table& table) {
  std::vector<std::array<double, 2>> out;
  for (std::size_t row = 0; row < table.rows(); ++row)
    out.push_back({table.at("n").numbers.at(row), table.at("t").numbers.at(row)});
  return out;
}

}  // namespace

TEST_CASE("generated marks in numbers are read right or asked for, in one file or several",
          "[marks][property]") {
  for_each_case(
      "marks of numbers",
      [](RandomStream& random) {
        MarkStyle style{",;\t#"[random.below(4)], random.below(2) == 0 ? '.' : ',',
                        random.below(2) == 0, random.below(4)};
        if (style.decimal == ',' && style.has_thousands)  // points alone are decimal points
          style.digits = 1 + random.below(2);
        std::vector<std::string> texts;
        std::vector<std::array<double, 2>> expected;
        const std::size_t files = 1 + random.below(2);
        for (std::size_t file = 0; file < files; ++file) {
          const MarkedRows rows = marked_rows(random, style);
          texts.push_back(rows.text);
          expected.insert(expected.end(), rows.numbers.begin(), rows.numbers.end());
        }
        INFO(texts[0] << (files > 1 ? texts[1] : ""));
        std::vector<std::array<double, 2>> read;
        const std::string refusal =
            message_of<InputError>([&] { read = numbers_in(read_texts(texts)); });
        if (refusal == "(none)")
          CHECK(read == expected);
        else
          CHECK_THAT(refusal, ContainsSubstring("; pass --decimal "));
        // The flag settles it.
        CHECK(numbers_in(read_texts(texts, style.decimal)) == expected);
      });
}

TEST_CASE("a comma that may be of thousands is asked for whatever separates", "[marks]") {
  for (const char* text :
       {"| n | t |\n|--|--|\n| 1,024 | 8,512 |\n| 2,048 | 4,301 |\n",
        "n\tt\n1,024\t8,512\n2,048\t4,301\n", "n;t\n1,024;8,512\n2,048;4,301\n",
        "n,t\n\"1,024\",\"8,512\"\n\"2,048\",\"4,301\"\n",
        "[{\"n\": \"1,024\", \"t\": \"8,512\"}, {\"n\": \"2,048\", \"t\": \"4,301\"}]"}) {
    INFO(text);
    CHECK_THAT(message_of<InputError>([&] { read_texts({text}); }),
               ContainsSubstring("column 'n': \"1,024\" can be 1024 or 1.024; pass --decimal . for "
                                 "1024, or --decimal , for 1.024") &&
                   ContainsSubstring("column 't': \"8,512\" can be 8512 or 8.512"));
  }
}

TEST_CASE("the files of a table decide together what their marks are", "[marks]") {
  const std::string doubtful = "n\tt\n1,024\t8,512\n2,048\t4,301\n";
  CHECK(numbers_in(read_texts({doubtful, "n\tt\n512\t0.5\n"})).front()[1] == 8512);
  CHECK(numbers_in(read_texts({"n;t\n0,5;0,25\n", doubtful})).back()[0] == 2.048);
  CHECK(numbers_in(read_texts({"n,t\n1884602,0.5\n", doubtful})).back()[0] == 2048);
  // Points that are decimal points in one file may be of thousands in another.
  const std::string points = "n;t\n1.024;2\n2.048;3\n";
  CHECK(numbers_in(read_texts({points})).front()[0] == 1.024);
  CHECK(numbers_in(read_texts({points, "n;t\n512;0,5\n"})).front()[0] == 1024);
  CHECK_THAT(message_of<InputError>([&] {
               read_texts({points, "n;t\n512;4\n"});
             }),
             ContainsSubstring("column 'n': \"1.024\" can be 1024 or 1.024"));
}

}  // namespace perfmodel
