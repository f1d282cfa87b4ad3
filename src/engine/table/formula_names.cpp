#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "table/formula.hpp"

// What formulas name: columns, in backquotes where they are no words, and the levels of columns of
// texts, in quotes.

namespace perfmodel {
namespace {

std::string in_quotes(const std::string& text, char quote) {
  std::string out(1, quote);
  for (const char c : text)
    out += c == quote ? std::string(2, c) : std::string(1, c);
  return out + quote;
}

/// A name or text as a formula has it, on one line of a message.
std::string spelled(const std::string& text) {
  constexpr std::size_t longest = 60;
  return clipped(printable_word(text), longest);
}

/// "'gpus'", "`Memory (GiB)`": a name for messages, from which it can be copied into a formula.
std::string shown_name(const std::string& name) {
  return is_formula_word(name) ? fmt::format("'{}'", name) : spelled(formula_name(name));
}

/// Whether a name stands in a text, and is no part of a longer word.
bool stands_in(const std::string& text, const std::string& name) {
  const auto continues = [&](std::size_t at, char edge) {
    return at < text.size() && is_formula_letter(text[at]) && is_formula_letter(edge);
  };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1))
    if (!continues(at - 1, name.front()) && !continues(at + name.size(), name.back()))
      return true;
  return false;
}

/// The checks of a program whose names are settled.
class TextChecks {
 public:
  TextChecks(const FormulaProgram& program, const TextCodes& codes, const std::string& where)
      : program_(program), codes_(codes), where_(where), compared_(program.steps.size(), false) {}

  void check() {
    const std::vector<std::size_t> begins = operand_begins(program_);
    for (std::size_t i = 2; i < program_.steps.size(); ++i) {
      const Operation operation = program_.steps[i].operation;
      const std::size_t right = i - 1;
      const std::size_t left = begins[right] - 1;
      if (operation == Operation::equal || operation == Operation::unequal)
        compare(left, right);
    }
    for (std::size_t i = 0; i < program_.steps.size(); ++i)
      if (!compared_[i] && program_.steps[i].operation == Operation::text)
        refuse_text(i);
      else if (!compared_[i] && levels_at(i) != nullptr)
        refuse_number(i);
  }

 private:
  const FormulaProgram& program_;
  const TextCodes& codes_;
  const std::string& where_;
  std::vector<bool> compared_;

  [[noreturn]] void fail(const std::string& problem) const {
    throw UsageError(where_ + ": " + problem);
  }

  const std::string& name_at(std::size_t i) const { return program_.names[program_.steps[i].name]; }
  const std::string& text_at(std::size_t i) const { return program_.texts[program_.steps[i].name]; }
  bool is_name(std::size_t i) const { return program_.steps[i].operation == Operation::name; }
  /// nullptr unless the step is a column of texts.
  const std::vector<std::string>* levels_at(std::size_t i) const {
    return is_name(i) ? codes_.levels_of(name_at(i)) : nullptr;
  }

  /// Notes both sides as compared if they are texts, of which one is a column.
  void compare(std::size_t left, std::size_t right) {
    for (const auto& [column, other] : {std::pair(left, right), std::pair(right, left)}) {
      const std::vector<std::string>* const levels = levels_at(column);
      const bool is_text = program_.steps[other].operation == Operation::text;
      if (levels == nullptr || (!is_text && levels_at(other) == nullptr)) {
        if (is_text && is_name(column))
          refuse_text(other, name_at(column));
        continue;
      }
      if (is_text && !levels->empty() && !contains(*levels, text_at(other)))
        fail(fmt::format("column '{}' has no level {}{}", printable_word(name_at(column)),
                         quoted_cell(text_at(other)), cure_of_level(text_at(other), *levels)));
      compared_[left] = compared_[right] = true;
      return;
    }
  }

  std::string cure_of_level(const std::string& text, const std::vector<std::string>& levels) const {
    return contains(program_.names, text) ? written_as(text) : did_you_mean_one_of(text, levels);
  }

  static std::string written_as(const std::string& name) {
    return "; the column is written " + spelled(in_quotes(name, '`'));
  }

  /// `beside`: the name with which it is compared, if that is no column of texts.
  [[noreturn]] void refuse_text(std::size_t i, const std::string& beside = {}) const {
    const std::string& text = text_at(i);
    std::string cure;
    if (contains(program_.names, text))
      cure = written_as(text);
    else if (!beside.empty() && parse_number(text))
      cure = fmt::format("; {} is compared with the number {}, without quotes",
                         spelled(in_quotes(beside, '`')), text);
    else if (!beside.empty())
      cure = fmt::format("; {} is none", spelled(in_quotes(beside, '`')));
    else
      cure = "; a column is written in backquotes: " + spelled(in_quotes(text, '`'));
    fail(quoted_cell(text) + " is a text, which == and != compare with a column of texts" + cure);
  }

  [[noreturn]] void refuse_number(std::size_t i) const {
    const std::vector<std::string>& levels = *levels_at(i);
    const std::string& name = name_at(i);
    const std::string example = levels.empty()
                                    ? std::string()
                                    : fmt::format(", as in {} == {}", spelled(formula_name(name)),
                                                  spelled(formula_text(levels.front(), '"')));
    fail(fmt::format("'{}' holds texts, which can only be compared, by == or !={}",
                     printable_word(name), example));
  }
};

}  // namespace

bool is_formula_word(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_formula_letter) &&
         (name[0] < '0' || name[0] > '9') && name != "_pi" && name != "_e";
}

std::string formula_name(const std::string& name) {
  return is_formula_word(name) ? name : in_quotes(name, '`');
}

std::string factor_in_formula(const std::string& text) {
  if (is_formula_word(text))
    return text;
  try {
    Formula::names_in(text, "");
    return name_as_written(text) == text ? "(" + text + ")" : text;  // a name in backquotes
  } catch (const UsageError&) {                                      // the name of a column
    return formula_name(text);
  }
}

std::string formula_text(const std::string& text, char quote) {
  return in_quotes(text, quote);
}

std::string name_as_written(const std::string& text) {
  if (!text.starts_with('`') || without_quoted(text).find_first_not_of('"') != text.npos)
    return text;
  std::string out;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    out += text[at];
    at += text[at] == '`' ? 1U : 0U;
  }
  return out;
}

std::string without_quoted(const std::string& text) {
  std::string out = text;
  char quote = 0;  // in which the character stands; one that is doubled closes and opens again
  for (char& c : out) {
    const bool opens = quote == 0 && (c == '\'' || c == '"' || c == '`');
    const bool is_outside = quote == 0 && !opens;
    if (opens)
      quote = c;
    else if (c == quote)
      quote = 0;
    if (!is_outside)
      c = '"';
  }
  return out;
}

std::string hint_for_unquoted(const std::string& text, const std::vector<std::string>& names,
                              const std::string& part) {
  const std::string outside = without_quoted(text);
  const std::string* longest = nullptr;
  for (const std::string& name : names)
    if (!name.empty() && !is_formula_word(name) && name.find(part) != name.npos &&
        stands_in(outside, name) && (longest == nullptr || name.size() > longest->size()))
      longest = &name;
  return longest == nullptr ? std::string()
                            : "; the column is written " + spelled(formula_name(*longest));
}

std::string hint_for_name(const std::string& text, const std::string& name,
                          const std::vector<std::string>& names) {
  if (std::string hint = hint_for_unquoted(text, names, name); !hint.empty())
    return hint;
  if (const auto near = nearest(name, names))
    return fmt::format("; did you mean {}?", shown_name(*near));
  constexpr std::size_t most = 20;
  return "; there are " + enumerated(mapped(names, shown_name), most);
}

double TextCodes::code(const std::string& text) {
  return codes_.try_emplace(text, static_cast<double>(codes_.size() + 1)).first->second;
}

void TextCodes::add_column(const std::string& name, std::vector<std::string> levels) {
  levels_.insert_or_assign(name, std::move(levels));
}

const std::vector<std::string>* TextCodes::levels_of(const std::string& name) const {
  const auto found = levels_.find(name);
  return found == levels_.end() ? nullptr : &found->second;
}

bool TextCodes::has_level(const std::string& text) const {
  return std::ranges::any_of(
      levels_, [&](const auto& column) { return contains(column.second, text); });
}

void settle_texts(FormulaProgram& program, TextCodes& codes, const std::string& where) {
  TextChecks(program, codes, where).check();
  for (FormulaStep& step : program.steps)
    if (step.operation == Operation::text)
      step = {Operation::number, codes.code(program.texts[step.name]), 0};
  program.texts.clear();
}

}  // namespace perfmodel
