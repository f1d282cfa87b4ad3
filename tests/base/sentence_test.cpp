#include "perfmodel/error.hpp"

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
