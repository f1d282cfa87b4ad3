#include "support/property.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "support/catch.hpp"

namespace perfmodel::test {
namespace {

constexpr std::uint64_t kSeed = 2024;

}  // namespace

void for_each_case(std::string_view property, const std::function<void(RandomStream&)>& check,
                   std::size_t cases) {
  const char* only = std::getenv("PERFMODEL_PROPERTY_CASE");
  const char* count = std::getenv("PERFMODEL_PROPERTY_CASES");
  std::size_t first = 0;
  std::size_t last = cases;
  if (count != nullptr)
    last = std::max<std::size_t>(1, std::strtoul(count, nullptr, 10) * cases / kUsualCases);
  if (only != nullptr) {
    first = std::strtoul(only, nullptr, 10);
    last = first + 1;
  }
  for (std::size_t number = first; number < last; ++number)
    check_case(property, check, number);
}

void check_case(std::string_view property, const std::function<void(RandomStream&)>& check,
                std::size_t number) {
  INFO(property << ": PERFMODEL_PROPERTY_CASE=" << number);
  RandomStream random(kSeed, property, number);
  check(random);
}

}  // namespace perfmodel::test
