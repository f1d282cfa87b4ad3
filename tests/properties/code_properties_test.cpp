// Code of generated models; see fuzz/generated_code.hpp.
#include <cstddef>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "fuzz/generated_code.hpp"
#include "perfmodel/export.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

using namespace perfmodel;

namespace {

constexpr std::size_t kModelsOfFile = 500;

void check_code_of(FormulaLanguage language) {
  std::vector<fuzz::GeneratedModel> models;
  const auto check = [&] {
    CHECK_NOTHROW(fuzz::check_code(models, language));
    models.clear();
  };
  test::for_each_case("code", [&](RandomStream& random) {
    if (auto model = fuzz::generated_model(random))
      models.push_back(std::move(*model));
    if (models.size() == kModelsOfFile)
      check();
  });
  check();
}

}  // namespace

TEST_CASE("property: the C function computes what predict does", "[property][needs-cc]") {
  check_code_of(FormulaLanguage::c);
}

TEST_CASE("property: the Python function computes what predict does", "[property][needs-python]") {
  check_code_of(FormulaLanguage::python);
}

TEST_CASE("property: the JavaScript function computes what predict does",
          "[property][needs-node]") {
  check_code_of(FormulaLanguage::javascript);
}
