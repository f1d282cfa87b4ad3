// Names in backquotes and texts in quotes: what they stand for, and what is refused.

#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"
#include "table/formula.hpp"

using namespace perfmodel;

namespace {

const std::vector<std::string> kNames = {"gpus",         "config.gpus", "Price per hour",
                                         "Memory (GiB)", "GPU-count",   "gr\u00f6\u00dfe",
                                         "padding",      "device",      "`it's`"};

/// The columns padding and device hold texts.
TextCodes known_texts() {
  TextCodes codes;
  codes.add_column("padding", {"same", "valid"});
  codes.add_column("device", {"a100", "same", "8"});
  return codes;
}

/// The value where every column of numbers is its place among the names, from 1.
double value_of(const std::string& text, const std::string& padding = "same",
                const std::string& device = "a100") {
  TextCodes codes = known_texts();
  std::vector<double> values;
  for (const std::string& name : kNames)
    values.push_back(name == "padding"  ? codes.code(padding)
                     : name == "device" ? codes.code(device)
                                        : static_cast<double>(values.size() + 1));
  return Formula(text, kNames, codes, "here")(values);
}

std::string error_of(const std::string& text) {
  return test::message_of<UsageError>([&] { value_of(text); })
      .substr(("here: " + quoted_formula(text) + ": ").size());
}

}  // namespace

TEST_CASE("a name in backquotes is that of a column, whatever its characters", "[formula]") {
  CHECK(value_of("`gpus` + 10 * `config.gpus`") == 21);
  CHECK(value_of("`Price per hour`*`Memory (GiB)`^2 - `GPU-count`") == 43);
  CHECK(value_of("-`gr\u00f6\u00dfe`") == -6);
  CHECK(value_of("```it's```") == 9);  // a backquote in a name is doubled
  CHECK(value_of("max(`GPU-count`, `gpus`) >= 5 ? `config.gpus` : 0") == 2);
  CHECK(Formula::names_in("`b c` * a + `a` + _pi + `_e`", "here") ==
        std::vector<std::string>{"_e", "a", "b c"});
}

TEST_CASE("names as formulas write them are read as they were", "[formula]") {
  RandomStream random(1, "formula names");
  const std::string characters = "a_9`'\"( )+.\\\n\x80=&";
  for (int trial = 0; trial < 500; ++trial) {
    std::string name;
    for (std::size_t k = 1 + random.below(8); k > 0; --k)
      name += characters[random.below(characters.size())];
    CAPTURE(name);
    const std::string written = formula_name(name);
    REQUIRE(Formula::names_in(written + " * 1", "here") == std::vector<std::string>{name});
    REQUIRE(name_as_written(written) == name);
    REQUIRE(without_quoted(written + "&&" + written).find("&&") == written.size());
    TextCodes codes;
    codes.add_column("x", {name});
    const double values[] = {codes.code(name)};
    for (const char quote : {'\'', '"'})
      REQUIRE(Formula("x == " + formula_text(name, quote), {"x"}, codes, "here")(values) == 1);
  }
  CHECK(formula_name("gpus") == "gpus");
  CHECK(formula_name("_pi") == "`_pi`");
  CHECK(formula_name("2nd") == "`2nd`");
}

TEST_CASE("a text in quotes is a level, compared with a column of texts that has it", "[formula]") {
  CHECK(value_of("padding == 'same'") == 1);
  CHECK(value_of("\"valid\" != `padding`") == 1);
  CHECK(value_of("padding == device", "same", "same") == 1);
  CHECK(value_of("padding != device && ('same') == padding") == 1);
  CHECK(value_of("device == '8' ? gpus : 0", "same", "8") == 1);
}

TEST_CASE("a text that is no level of a column is refused with the spelling of columns",
          "[formula]") {
  const std::string text = " is a text, which == and != compare with a column of texts; ";
  const std::string gpus = "\"gpus\"" + text + "the column is written `gpus`";
  for (const std::string formula :
       {"\"gpus\" < 8", "'gpus' * 2", "-'gpus'", "sqrt('gpus')", "'gpus' == 8", "'gpus' == gpus",
        "gpus > 0 ? 'gpus' : 1", "'gpus' == 'padding'", "(padding == 'same') == 'gpus'"})
    CHECK(error_of(formula) == gpus);
  CHECK(error_of("'gpus'") == gpus);
  CHECK(error_of("'Price' * 2") ==
        "\"Price\"" + text + "a column is written in backquotes: `Price`");
  CHECK(error_of("gpus == '8'") ==
        "\"8\"" + text + "`gpus` is compared with the number 8, without quotes");
  CHECK(error_of("gpus != 'eight'") == "\"eight\"" + text + "`gpus` is none");
  CHECK(error_of("padding == 'sane'") ==
        "column 'padding' has no level \"sane\"; did you mean 'same'?");
  CHECK(error_of("'Memory (GiB)' != padding") ==
        "column 'padding' has no level \"Memory (GiB)\"; the column is written `Memory (GiB)`");
}

TEST_CASE("a column of texts is no number", "[formula]") {
  const std::string texts =
      "'padding' holds texts, which can only be compared, by == or !=, as in "
      "padding == \"same\"";
  for (const std::string formula : {"padding", "padding * 2", "padding < 'valid'", "padding == 8",
                                    "padding == gpus", "padding ? 1 : 2", "!padding"})
    CHECK(error_of(formula) == texts);
  CHECK(error_of("padding == valid") ==
        "there is no 'valid'; a text is written in quotes: \"valid\"");
}

TEST_CASE("a formula with a name that needs backquotes is told its spelling", "[formula]") {
  const auto hint = [](const std::string& text) {
    const std::string error = error_of(text);
    return error.substr(std::min(error.rfind("; "), error.size()));
  };
  CHECK(hint("config.gpus * 2") == "; the column is written `config.gpus`");
  CHECK(hint("2 * Price per hour") == "; the column is written `Price per hour`");
  CHECK(hint("Memory (GiB) < 80") == "; the column is written `Memory (GiB)`");
  CHECK(hint("gr\u00f6\u00dfe + 1") == "; the column is written `gr\u00f6\u00dfe`");
  CHECK(hint("gpus / GPU-count") == "; the column is written `GPU-count`");
  CHECK(hint("`config.gpu`") == "; did you mean `config.gpus`?");
  CHECK(hint("gpu") == "; did you mean 'gpus'?");
  CHECK(hint("`GPU-count` + count") != "; the column is written `GPU-count`");
  // Without known names, the text around the mistake may be one.
  const auto guess = [](const std::string& text) {
    const std::string error =
        test::message_of<UsageError>([&] { Formula::names_in(text, "here"); });
    return error.substr(std::min(error.rfind("; "), error.size()));
  };
  CHECK(guess("2 * cost per hour + 1") == "; a column of this name is written `cost per hour`");
  CHECK(guess("log2(config.gpus)") == "; a column of this name is written `config.gpus`");
  CHECK(guess("peak memory (MiB) / 2") == "; a column of this name is written `peak memory (MiB)`");
  CHECK(guess("rate (img/s) * 2") == "; a column of this name is written `rate (img/s)`");
}
