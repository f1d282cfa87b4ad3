#include <utility>

#include "base/text.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel {
namespace {

std::string plain_words(const Field& field) {
  return field.values.empty() ? field.name : field.name + " = " + joined(field.values, ",");
}

}  // namespace

Sentence::Sentence(std::string text) {
  if (!text.empty())
    pieces_.emplace_back(std::move(text));
}

Sentence::Sentence(const char* text) : Sentence(std::string(text)) {}

Sentence::Sentence(Field field) {
  pieces_.emplace_back(std::move(field));
}

Sentence& Sentence::operator+=(const Sentence& more) {
  pieces_.insert(pieces_.end(), more.pieces_.begin(), more.pieces_.end());
  return *this;
}

std::string Sentence::text() const {
  return text(plain_words);
}

std::string Sentence::text(const FieldWords& words) const {
  std::string out;
  for (const auto& piece : pieces_) {
    const auto* const field = std::get_if<Field>(&piece);
    out += field != nullptr ? words(*field) : std::get<std::string>(piece);
  }
  return out;
}

std::vector<Field> Sentence::fields() const {
  std::vector<Field> out;
  for (const auto& piece : pieces_)
    if (const auto* const field = std::get_if<Field>(&piece))
      out.push_back(*field);
  return out;
}

Sentence operator+(Sentence left, const Sentence& right) {
  left += right;
  return left;
}

bool operator==(const Sentence& left, const Sentence& right) {
  return left.text() == right.text();
}

}  // namespace perfmodel
