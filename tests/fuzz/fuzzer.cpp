// Runs one target under libFuzzer: PERFMODEL_FUZZ=csv build/fuzz/tests/perfmodel_fuzz
// tests/fuzz/corpus/csv
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz/targets.hpp"
#include "list.hpp"
#include "perfmodel/error.hpp"

namespace {

const perfmodel::fuzz::Target& chosen() {
  perfmodel::add_tools();
  const char* name = std::getenv("PERFMODEL_FUZZ");
  for (const auto& target : perfmodel::fuzz::targets())
    if (name != nullptr && target.name == name)
      return target;
  std::fputs("PERFMODEL_FUZZ names one of the targets of tests/fuzz/targets.cpp\n", stderr);
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const perfmodel::fuzz::Target& target = chosen();
  try {
    target.read({reinterpret_cast<const char*>(data), size});
  } catch (const perfmodel::Error&) {
    // Refused with a message.
  }
  return 0;
}
