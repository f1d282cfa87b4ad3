#include "codegen/formula_code.hpp"

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("two columns never get the same name in code", "[model][show]") {
  CodeNames names(python_dialect());
  CHECK(names.of("batch size") == "batch_size");
  CHECK(names.of("batch-size") == "batch_size_");
  CHECK(names.of("1st") == "x1st");
  CHECK(names.of("W") == "W");
  CHECK(names.of("w") == "w");
}

TEST_CASE("words and macros of the languages are no names in code", "[model][show]") {
  for (const char* const word : {"None", "async", "finally", "inline", "lambda", "register",
                                 "sizeof", "unsigned", "NULL", "NAN", "M_PI", "linux"}) {
    CHECK(CodeNames(python_dialect()).of(word) == word + std::string("_"));
    CHECK(CodeNames(c_dialect()).of(word) == word + std::string("_"));
  }
}

TEST_CASE("names that a language keeps for itself are no names in code", "[model][show]") {
  for (const char* const word : {"_Bool", "__LINE__", "_Foo", "__func__", "_x", "_"})
    CHECK(CodeNames(c_dialect()).of(word) == "x" + std::string(word));
  CHECK(CodeNames(c_dialect()).of("~x") == "x_x");
  CHECK(CodeNames(python_dialect()).of("__debug__") == "x__debug__");
  CHECK(CodeNames(python_dialect()).of("_x") == "_x");
}

TEST_CASE("what a spreadsheet takes for a cell is no name of an input", "[model][show]") {
  CodeNames names(spreadsheet_dialect());
  for (const char* const cell : {"k1", "A100", "GPU8", "R", "c", "R1C1", "rc", "r2"})
    CHECK(names.of(cell) == cell + std::string("_"));
  for (const char* const name : {"k", "gpus", "conv1", "k1x", "k_1", "rate", "cr", "R2D2"})
    CHECK(names.of(name) == name);
  CHECK(CodeNames(python_dialect()).of("k1") == "k1");
}

TEST_CASE("a spreadsheet does not tell upper from lower case in names", "[model][show]") {
  CodeNames names(spreadsheet_dialect());
  CHECK(names.of("Workers") == "Workers");
  CHECK(names.of("workers") == "workers_");
}
