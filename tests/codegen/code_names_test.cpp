#include "codegen/formula_code.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/export.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Lines of a text by all line ends of Unicode.
std::size_t lines_of(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    REQUIRE(character.length > 0);
    const std::uint32_t c = character.code_point;
    count += (c >= 0xA && c <= 0xD) || c == 0x85 || c == 0x2028 || c == 0x2029 ? 1U : 0U;
    text.remove_prefix(character.length);
  }
  return count;
}

/// Code of a model whose columns and levels have these characters within.
std::string code_with(const std::string& within, FormulaLanguage language) {
  const std::string name = "a b" + within + "evil()";
  ModelSpec spec;
  spec.target = "t" + name;
  spec.unit = "MB";
  spec.intrinsic = {{"size " + name, 1, 2}};
  if (language != FormulaLanguage::extrap)
    spec.categorical = {{"kind " + name, {"x", "y" + name}}};
  spec.extrinsic = {{name, 1, 8}};
  Eigen::VectorXd constants(language == FormulaLanguage::extrap ? 4 : 6);
  constants.setLinSpaced(0.5, 1.5);
  return terms_code(spec, constants, language);
}

const std::vector<std::string> dangerous = {
    "\n",   "\r",   "\v",     "\f",     "\\",        "\"",     "'",      "`",
    "*/",   "/*",   "%>",     "-->",    "<!--",      "]]>",    "$(x)",   "${x}",
    "?\?/", "\r\n", "\'\'\'", "\"\"\"", "</script>", "\u0085", "\u2028", "\u2029"};

}  // namespace

TEST_CASE("no name of a column or level begins a line of code", "[model][show]") {
  for (const auto& [language, word] : texts_of(FormulaLanguage())) {
    const std::size_t lines = lines_of(code_with(" ", language));
    for (const std::string& within : dangerous) {
      INFO(word << " with " << printable_word(within));
      CHECK(lines_of(code_with(within, language)) == lines);
    }
  }
}

TEST_CASE("no name of a column or level ends a script of a page", "[model][show]") {
  for (const std::string& within : dangerous) {
    const std::string code = code_with(within, FormulaLanguage::javascript);
    for (const char* const end : {"</", "<!--", "-->", "]]>"})
      CHECK_THAT(code, !ContainsSubstring(end));
  }
}

TEST_CASE("code whose names have line ends computes what it should",
          "[model][show][needs-python][needs-node]") {
  for (const std::string& within : dangerous) {
    INFO(printable_word(within));
    // 1.1 is the power of the size, 1.3 that of the scale: (0.5 + 0.7) + 1.5.
    CHECK(test::output_of_python(code_with(within, FormulaLanguage::python) +
                                 "\nprint(predict(1, 'x', 1))\n") == "2.7\n");
    CHECK(test::output_of_javascript(code_with(within, FormulaLanguage::javascript) +
                                     "\nconsole.log(predict(1, 'x', 1))\n") == "2.7\n");
    CHECK(test::output_of_python(code_with(within, FormulaLanguage::snakemake) +
                                 "\nprint(mem_mb(1, 'x', 1))\n") == "3\n");
  }
}

TEST_CASE("two columns never get the same name in code", "[model][show]") {
  CodeNames names(dialect_of(FormulaLanguage::python));
  CHECK(names.of("batch size") == "batch_size");
  CHECK(names.of("batch-size") == "batch_size_");
  CHECK(names.of("1st") == "x1st");
  CHECK(names.of("W") == "W");
  CHECK(names.of("w") == "w");
  // A spreadsheet does not tell upper from lower case.
  CodeNames of_spreadsheet(dialect_of(FormulaLanguage::spreadsheet));
  CHECK(of_spreadsheet.of("Workers") == "Workers");
  CHECK(of_spreadsheet.of("workers") == "workers_");
}

TEST_CASE("keywords, macros and names that a language reserves are not used in code",
          "[model][show]") {
  for (const char* const word : {"None", "async", "finally", "inline", "lambda", "register",
                                 "sizeof", "unsigned", "NULL", "NAN", "M_PI", "linux"}) {
    CHECK(CodeNames(dialect_of(FormulaLanguage::python)).of(word) == word + std::string("_"));
    CHECK(CodeNames(dialect_of(FormulaLanguage::c)).of(word) == word + std::string("_"));
  }
  for (const char* const word : {"_Bool", "__LINE__", "_Foo", "__func__", "_x", "_"})
    CHECK(CodeNames(dialect_of(FormulaLanguage::c)).of(word) == "x" + std::string(word));
  CHECK(CodeNames(dialect_of(FormulaLanguage::c)).of("~x") == "x_x");
  CHECK(CodeNames(dialect_of(FormulaLanguage::python)).of("__debug__") == "x__debug__");
  CHECK(CodeNames(dialect_of(FormulaLanguage::python)).of("_x") == "_x");
}

TEST_CASE("what a spreadsheet takes for a cell is no name of an input", "[model][show]") {
  CodeNames names(dialect_of(FormulaLanguage::spreadsheet));
  for (const char* const cell : {"k1", "A100", "GPU8", "R", "c", "R1C1", "rc", "r2"})
    CHECK(names.of(cell) == cell + std::string("_"));
  for (const char* const name : {"k", "gpus", "conv1", "k1x", "k_1", "rate", "cr", "R2D2"})
    CHECK(names.of(name) == name);
  CHECK(CodeNames(dialect_of(FormulaLanguage::python)).of("k1") == "k1");
}
