#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace perfmodel {

/// A field of a request, named in a sentence, with values that the sentence advises or objects to.
struct Field {
  std::string name;
  std::vector<std::string> values = {};
};

/// How a program names a field: "folds = 7", "--folds 7".
using FieldWords = std::function<std::string(const Field& field)>;

/// What is said to people: text that knows where it names fields of requests, so that each program
/// calls them as its users do.
class Sentence {
 public:
  Sentence() = default;
  Sentence(std::string text);  // implicit, like the two below: most sentences name no field
  Sentence(const char* text);
  Sentence(Field field);

  Sentence& operator+=(const Sentence& more);

  /// Fields by their own names: "folds", "ignore = a,b".
  std::string text() const;
  std::string text(const FieldWords& words) const;
  /// The fields that the sentence names, in their order.
  std::vector<Field> fields() const;
  bool empty() const { return pieces_.empty(); }

 private:
  std::vector<std::variant<std::string, Field>> pieces_;  ///< no text is empty
};

Sentence operator+(Sentence left, const Sentence& right);
/// Whether both read the same.
bool operator==(const Sentence& left, const Sentence& right);

}  // namespace perfmodel
