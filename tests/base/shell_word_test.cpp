#include "base/text.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("a word that messages suggest can be pasted into a shell", "[text]") {
  CHECK(shell_word("a,b.c") == "a,b.c");
  CHECK(shell_word("drop out") == "'drop out'");
  CHECK(shell_word("it's,b") == "'it'\\''s,b'");
  CHECK(shell_word("") == "''");
}
