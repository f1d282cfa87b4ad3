#include "base/text.hpp"

#include "support/catch.hpp"

namespace perfmodel {
namespace {

TEST_CASE("well-formed UTF-8 of every length is accepted, malformed one refused", "[utf8]") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("relu"));
  CHECK(is_utf8("\xC2\x80"));          // U+0080, the first of two bytes
  CHECK(is_utf8("\xDF\xBF"));          // U+07FF
  CHECK(is_utf8("\xE0\xA0\x80"));      // U+0800
  CHECK(is_utf8("\xEF\xBF\xBF"));      // U+FFFF
  CHECK(is_utf8("\xF0\x90\x80\x80"));  // U+10000
  CHECK(is_utf8("\xF4\x8F\xBF\xBF"));  // U+10FFFF, the last
  CHECK_FALSE(
      is_utf8("gr\xF6\xDF"
              "e"));                         // Latin-1
  CHECK_FALSE(is_utf8("\x80"));              // a continuation without a lead
  CHECK_FALSE(is_utf8("\xC3"));              // cut short
  CHECK_FALSE(is_utf8("\xE2\x82"));          // cut short
  CHECK_FALSE(is_utf8("\xC0\xAF"));          // '/' in two bytes
  CHECK_FALSE(is_utf8("\xE0\x9F\xBF"));      // U+07FF in three bytes
  CHECK_FALSE(is_utf8("\xED\xA0\x80"));      // a surrogate
  CHECK_FALSE(is_utf8("\xF4\x90\x80\x80"));  // beyond Unicode
  CHECK_FALSE(is_utf8("\xFF"));
}

}  // namespace
}  // namespace perfmodel
