#include "roles/column_facts.hpp"

#include <string>

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("numbers with separated thousands are told from other texts", "[columns]") {
  CHECK(without_group_marks("1,024") == "1024");
  CHECK(without_group_marks("12_345_678") == "12345678");
  CHECK(without_group_marks("1 024.5") == "1024.5");
  CHECK(without_group_marks("131'072") == "131072");
  for (const std::string text :
       {"", "1024", "1,5", "1,02", "1,0244", "1024,512", ",512", "1,024_512", "a,024", "1,02a",
        "1,024.x", "0x1,024", "16k", "1-024"}) {
    CAPTURE(text);
    CHECK_FALSE(without_group_marks(text));
  }
  CHECK(has_size_letter("16k"));
  CHECK(has_size_letter("1.5M"));
  for (const std::string text : {"", "k", "16", "16kB", "v2k", "16 k ", "fp16"}) {
    CAPTURE(text);
    CHECK_FALSE(has_size_letter(text));
  }
}

TEST_CASE("a column of such numbers alone is one", "[columns]") {
  Column column;
  column.kind = Column::Kind::text;
  column.levels = {"1,024", "16k"};
  CHECK(holds_written_numbers(column));
  column.levels.emplace_back("base");
  CHECK_FALSE(holds_written_numbers(column));
  CHECK_FALSE(holds_written_numbers(Column{}));
}
