#include "data/formula.hpp"

#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/printable.hpp"
#include "base/readable.hpp"
#include "base/text.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t longest_shown = 60;

/// muParser knows numbers only: each quoted text becomes its code.
std::string with_codes(const std::string& text, TextCodes& codes, const Sentence& where) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\'' && text[i] != '"') {
      result += text[i];
      continue;
    }
    const auto end = text.find(text[i], i + 1);
    if (end == std::string::npos) {
      throw UsageError(where + ": " + quoted_formula(text) + ": a quote is not closed");
    }
    result += to_text(codes.code(text.substr(i + 1, end - i - 1)));
    i = end;
  }
  return result;
}

/// muParser takes "x = 8" for an assignment, whose value is 8: a condition that always holds.
void refuse_assignment(const std::string& text, const Sentence& where) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) {
      quote = text[i] == quote ? '\0' : quote;
    } else if (text[i] == '\'' || text[i] == '"') {
      quote = text[i];
    } else if (text[i] == '=') {
      const bool second = i > 0 && std::string("=!<>").find(text[i - 1]) != std::string::npos;
      const bool first = i + 1 < text.size() && text[i + 1] == '=';
      if (!second && !first) {
        throw UsageError(where + ": " + quoted_formula(text) + ": '=' does not compare; write ==");
      }
    }
  }
}

bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string message_of(const mu::Parser::exception_type& error,
                       const std::vector<std::string>& names) {
  if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN && !names.empty()) {
    const std::string hint = did_you_mean(error.GetToken(), names);
    return "there is no " + quoted_formula(error.GetToken()) +
           (hint.empty() ? "; there are " + quoted_list(names) : hint);
  }
  std::string message = error.GetMsg();
  // The token may be the whole rest of the formula.
  if (const std::string& token = error.GetToken(); message.size() > longest_shown) {
    const auto at = token.empty() ? std::string::npos : message.find(token);
    if (at != std::string::npos) {
      message.replace(at, token.size(), shown_formula(token));
    }
  }
  while (!message.empty() && message.back() == '.') {
    message.pop_back();
  }
  // Not every message of muParser says where.
  if (message.find("position") == std::string::npos && error.GetPos() >= 0) {
    message += " at position " + std::to_string(error.GetPos());
  }
  return message;
}

}  // namespace

std::string shown_formula(std::string text) {
  std::replace_if(text.begin(), text.end(), is_formula_blank, ' ');
  return clipped(printable_word(text), longest_shown);
}

std::string quoted_formula(const std::string& text) {
  return "'" + shown_formula(text) + "'";
}

double TextCodes::code(const std::string& text) {
  return codes_.try_emplace(text, static_cast<double>(codes_.size() + 1)).first->second;
}

struct Formula::Parser {
  mu::Parser parser;
  std::vector<double> values;

  Parser() {
    // It computes a * 1 / 49 as a * (1 / 49), and a floor() around it then misses 1 at a = 49.
    parser.EnableOptimizer(false);
    // muParser has && and || but no negation.
    parser.DefineInfixOprt("!", [](double value) { return value == 0 ? 1.0 : 0.0; });
    parser.DefineFun(
        "ceil", +[](double value) { return std::ceil(value); });
    parser.DefineFun(
        "floor", +[](double value) { return std::floor(value); });
  }
};

namespace {

/// muParser takes the name of an unknown function for a variable and complains of the parenthesis.
void refuse_unknown_functions(const std::string& text, const mu::Parser& parser,
                              const Sentence& where) {
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
  };
  std::string word;
  bool ended = false;  // by a blank, which may stand before the parenthesis
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
      word.clear();
    } else if (in_word(c)) {
      if (ended)
        word.clear();
      word += c;
      ended = false;
    } else if (is_formula_blank(c)) {
      ended = true;
    } else if (c == '(' && is_identifier(word) && !parser.GetFunDef().contains(word)) {
      std::vector<std::string> known;
      for (const auto& entry : parser.GetFunDef()) {
        known.push_back(entry.first);
      }
      throw UsageError(where + ": " + quoted_formula(text) + ": unknown function " +
                       quoted_formula(word) + "; there are " + quoted_list(known));
    } else {
      word.clear();
      ended = false;
    }
  }
}

}  // namespace

std::vector<std::string> Formula::names_in(const std::string& text, const Sentence& where) {
  refuse_assignment(text, where);
  Parser all;
  refuse_unknown_functions(text, all.parser, where);
  std::vector<std::string> names;
  try {
    all.parser.SetExpr(text);
    for (const auto& entry : all.parser.GetUsedVar()) {
      names.push_back(entry.first);
    }
  } catch (const mu::Parser::exception_type& error) {
    throw UsageError(where + ": " + message_of(error, {}) + " of " + quoted_formula(text));
  }
  TextCodes codes;
  Formula(text, names, codes, where);
  return names;
}

Formula::Formula(const std::string& text, const std::vector<std::string>& names, TextCodes& codes,
                 const Sentence& where)
    : parser_(std::make_unique<Parser>()) {
  refuse_assignment(text, where);
  refuse_unknown_functions(text, parser_->parser, where);
  parser_->values.resize(names.size());
  try {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_identifier(names[i])) {
        parser_->parser.DefineVar(names[i], &parser_->values[i]);
      }
    }
    parser_->parser.SetExpr(with_codes(text, codes, where));
    for (const auto& [name, place] : parser_->parser.GetUsedVar()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        const std::string hint = did_you_mean(name, names);
        throw UsageError(where + ": " + quoted_formula(text) + ": there is no " +
                         quoted_formula(name) +
                         (hint.empty() ? "; there are " + quoted_list(names) : hint));
      }
      used_.push_back(name);
    }
    parser_->parser.Eval();
    if (parser_->parser.GetNumResults() != 1) {
      throw UsageError(where + ": " + quoted_formula(text) +
                       ": expected one expression, without commas");
    }
  } catch (const mu::Parser::exception_type& error) {
    throw UsageError(where + ": " + quoted_formula(text) + ": " + message_of(error, names));
  }
}

Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

double Formula::operator()(std::span<const double> values) const {
  std::copy(values.begin(), values.end(), parser_->values.begin());
  return parser_->parser.Eval();
}

}  // namespace perfmodel
