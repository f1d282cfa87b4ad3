#include "base/fields.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/message_of.hpp"

using namespace perfmodel;

namespace {

enum class Colour { red, dark_blue };

constexpr auto texts_of(Colour) {
  return std::to_array<EnumText<Colour>>({{Colour::red, "red"}, {Colour::dark_blue, "dark-blue"}});
}

struct Wheel {
  std::string name;
  double radius = 0;
};

void describe(Fields& f, Wheel& x) {
  f("name", x.name, "what it is called", kName);
  f("radius", x.radius, "in m", kPositive);
}

struct Cart {
  std::vector<Wheel> wheels;
  Colour colour = Colour::red;
  std::optional<double> load;
  std::optional<std::string> owner;
  std::size_t seats = 4;
  bool rents = false;
  double price = 0;
  double slope = std::nan("");
};

void describe(Fields& f, Cart& x) {
  f.document("perfmodel/cart", "A cart", 1, 2, "cart");
  f("wheels", x.wheels);
  f("wheel_count", x.wheels.size(), "how many");
  f("colour", x.colour);
  f("load", x.load, "`null`: none", kShare);
  f("owner", x.owner, {}, kSparse);
  f("seats", x.seats, {}, kNewer);
  const bool rents = f.reads() ? f.has("price") : x.rents;
  f("price", x.price, "of a day", only_if(rents));
  f("slope", OrNull{x.slope});
  x.rents = rents;
}

const Cart kCart{.wheels = {{"left", 0.5}, {"right", 0.25}},
                 .colour = Colour::dark_blue,
                 .load = 0.75,
                 .owner = "Ada",
                 .seats = 2,
                 .rents = true,
                 .price = 8};

nlohmann::json written(const Cart& cart) {
  return nlohmann::json::parse(document_text(json_of(cart)));
}

Cart read(const nlohmann::json& cart) {
  return read_json<Cart>(JsonCursor::parse("cart.json", cart.dump()));
}

}  // namespace

TEST_CASE("a description writes a struct and reads it", "[json]") {
  const nlohmann::json cart = written(kCart);
  CHECK(cart == nlohmann::json::parse(R"({"schema": "perfmodel/cart", "schema_version": 1,
    "wheels": [{"name": "left", "radius": 0.5}, {"name": "right", "radius": 0.25}],
    "wheel_count": 2, "colour": "dark-blue", "load": 0.75, "owner": "Ada", "seats": 2, "price": 8,
    "slope": null})"));
  const Cart back = read(cart);
  CHECK(back.wheels.at(1).name == "right");
  CHECK(back.colour == Colour::dark_blue);
  CHECK(back.rents);
  CHECK(written(back) == cart);
  CHECK(written({}) == nlohmann::json::parse(R"({"schema": "perfmodel/cart", "schema_version": 1,
    "wheels": [], "wheel_count": 0, "colour": "red", "load": null, "seats": 4, "slope": null})"));
}

TEST_CASE("an optional field that a file lacks keeps its value, a required one is reported",
          "[json]") {
  nlohmann::json cart = written(kCart);
  cart.erase("seats");
  cart.erase("owner");
  CHECK(read(cart).seats == 4);
  CHECK_FALSE(read(cart).owner);
  for (const std::string name : {"schema_version", "wheels", "colour", "load", "slope"}) {
    nlohmann::json without = cart;
    without.erase(name);
    CHECK_THROWS_WITH(read(without), "cart.json: the field " + name + " is missing");
  }
  cart["wheels"][1].erase("radius");
  CHECK_THROWS_WITH(read(cart), "cart.json: the field wheels[1].radius is missing");
}

TEST_CASE("a field that a description does not allow is refused by its path", "[json]") {
  const auto message_of = [](const std::string& pointer, const nlohmann::json& value) {
    nlohmann::json cart = written(kCart);
    cart[nlohmann::json::json_pointer(pointer)] = value;
    return test::message_of<InputError>([&] { read(cart); });
  };
  CHECK(message_of("/wheels/0/radius", 0) == "cart.json: wheels[0].radius: expected a number > 0");
  CHECK(message_of("/wheels/0/name", "") ==
        "cart.json: wheels[0].name: expected a name, not an empty text");
  CHECK(message_of("/load", 2) == "cart.json: load: expected a number from 0 to 1");
  CHECK(message_of("/colour", "blue") ==
        "cart.json: colour: 'blue' is not one of 'red' and 'dark-blue'");
  CHECK(message_of("/owner", nullptr) == "cart.json: owner: expected a text, not null");
  CHECK(message_of("/schema", "perfmodel/ship") ==
        "cart.json: schema: 'perfmodel/ship' is not 'perfmodel/cart': this is not a cart");
  CHECK(message_of("/schema_version", 3) ==
        "cart.json: schema_version: 3 is newer than this program can read (2); use a newer "
        "perfmodel");
  CHECK(message_of("/wheel_count", "any") == "(none)");  // it follows from others
}

TEST_CASE("a description tells the schema", "[json]") {
  const auto schema = nlohmann::json::parse(document_text(Fields().schema_of<Cart>()));
  CHECK(schema["required"] == nlohmann::json({"schema", "schema_version", "wheels", "wheel_count",
                                              "colour", "load", "slope"}));
  const nlohmann::json& fields = schema["properties"];
  CHECK(fields["schema"]["const"] == "perfmodel/cart");
  CHECK(fields["schema_version"]["maximum"] == 2);
  CHECK(fields["colour"]["enum"] == nlohmann::json({"red", "dark-blue"}));
  CHECK(fields["owner"]["type"] == "string");
  CHECK(fields["load"]["description"] == "`null`: none");
  const nlohmann::json& wheel = fields["wheels"]["items"]["properties"];
  CHECK(
      wheel["radius"] ==
      nlohmann::json::parse(R"({"type": "number", "description": "in m", "exclusiveMinimum": 0})"));
  CHECK(wheel["name"]["minLength"] == 1);
}
