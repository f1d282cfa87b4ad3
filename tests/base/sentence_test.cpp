#include "perfmodel/error.hpp"

#include "base/message.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

TEST_CASE("a sentence calls fields by their own names, or as a program does", "[sentence]") {
  const Sentence sentence = "hold out less than " + Field{"folds", {"7"}} + ", or leave out " +
                            Field{"group_by"} + ": " + Field{"ignore", {"a b", "c"}};
  CHECK(sentence.text() == "hold out less than folds = 7, or leave out group_by: ignore = a b,c");
  CHECK(sentence.text([](const Field& field) { return "<" + field.name + ">"; }) ==
        "hold out less than <folds>, or leave out <group_by>: <ignore>");
  REQUIRE(sentence.fields().size() == 3);
  CHECK(sentence.fields()[1].name == "group_by");
  CHECK(sentence.fields()[2].values == std::vector<std::string>{"a b", "c"});
}

TEST_CASE("a message keeps the fields among its arguments apart from names that look like them",
          "[sentence]") {
  const std::string name = "{} folds %s";
  const Sentence sentence = message("column '{}' has {} {}; pass {}{} or {}", name, 3, "levels",
                                    Field{"ignore", {name}}, Sentence(), Sentence(Field{"folds"}));
  CHECK(sentence.text([](const Field& field) { return "<" + field.name + ">"; }) ==
        "column '{} folds %s' has 3 levels; pass <ignore> or <folds>");
  REQUIRE(sentence.fields().size() == 2);
  CHECK(sentence.fields()[0].values == std::vector<std::string>{name});
  CHECK(message("{0} and {0}", Field{"bounds"}).fields().size() == 2);
  CHECK(lines_of(std::vector<Sentence>{"one", Field{"folds"}, "three"}) == "one\nfolds\nthree");
}

TEST_CASE("sentences are put together", "[sentence]") {
  Sentence sentence;
  CHECK(sentence.empty());
  CHECK(Sentence("").empty());
  sentence += Field{"bounds"};
  sentence += " are too far apart";
  CHECK_FALSE(sentence.empty());
  CHECK(sentence == "bounds are too far apart");
  CHECK_FALSE(sentence == "bounds");
}

TEST_CASE("an error keeps what its sentence is about", "[sentence]") {
  try {
    throw InputError("narrow " + Field{"bounds"});
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "narrow bounds");
    CHECK(error.sentence().fields().at(0).name == "bounds");
  }
}
