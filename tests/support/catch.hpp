// The test framework under one name, for versions 3 and 2 of Catch2 alike.
//
// In both versions Catch::Approx, Catch::Matchers::WithinRel, WithinAbs and ContainsSubstring can
// be used.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>

#include <string>

namespace Catch {

using Detail::Approx;

namespace Matchers {

// Version 3's name for what version 2 calls Contains.
inline auto ContainsSubstring(const std::string& text) {
  return Contains(text);
}

}  // namespace Matchers
}  // namespace Catch
#endif
