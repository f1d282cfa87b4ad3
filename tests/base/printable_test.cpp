#include "base/text.hpp"

#include "support/catch.hpp"

using perfmodel::printable;
using perfmodel::printable_word;

TEST_CASE("text for people has no character that steers a terminal", "[base]") {
  CHECK(printable("a\x1b[2Jb\x07\x08\r\t\x7f") == "a?[2Jb?????");
  CHECK(printable("a\xC2\x80"
                  "b\xC2\x9F"
                  "c\xC2\xA0") == "a?b?c\xC2\xA0");  // C1 ends before the no-break space
  CHECK(printable(std::string_view("a\0b", 3)) == "a?b");
  // Nor one that ends a line or turns the direction of writing.
  for (const char* const control :
       {"\u061C", "\u200E", "\u200F", "\u2028", "\u2029", "\u202A", "\u202B", "\u202C", "\u202D",
        "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"})
    CHECK(printable(std::string("a") + control + "b") == "a?b");
  for (const char* const neighbour : {"\u061B", "\u200D", "\u2010", "\u2027", "\u202F", "\u2065",
                                      "\u206A", "\u05D0", "\u0627", "gr\u00FC\u00DFe \u4E2D"})
    CHECK(printable(neighbour) == neighbour);
}

TEST_CASE("bytes that are no UTF-8 are masked one by one, and a name has one line only", "[base]") {
  CHECK(printable("a\x9B"
                  "2J") == "a?2J");
  CHECK(printable("gr\xF6\xDF"
                  "e") == "gr??e");
  CHECK(printable("\xE2\x80") == "??");  // cut short
  CHECK(printable("a\nb\n") == "a\nb\n");
  CHECK(printable_word("a\nb") == "a?b");
}
