#include "base/json.hpp"

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("copies of a JSON value change apart", "[json]") {
  const std::vector<int> numbers = {1, 2, 3};
  Json list = numbers;
  const Json before = list;
  Json copy = list;
  copy.push_back(4);
  list.push_back(5);
  Json object = {{"list", list}, {"copy", copy}};
  const Json same = object;
  object["list"] = nullptr;
  object["new"] = true;
  const auto parsed = [](const Json& value) { return nlohmann::json::parse(document_text(value)); };
  CHECK(parsed(before) == nlohmann::json({1, 2, 3}));
  CHECK(parsed(list) == nlohmann::json({1, 2, 3, 5}));
  CHECK(parsed(copy) == nlohmann::json({1, 2, 3, 4}));
  CHECK(parsed(same) == nlohmann::json({{"list", {1, 2, 3, 5}}, {"copy", {1, 2, 3, 4}}}));
  CHECK(parsed(object) ==
        nlohmann::json({{"list", nullptr}, {"copy", {1, 2, 3, 4}}, {"new", true}}));
}
