#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "perfmodel/base/sentence.hpp"

namespace perfmodel {

/// What muParser skips between the words of a formula: blanks, tabs, line feeds and all controls.
inline bool is_formula_blank(char c) {
  return c > 0 && c <= ' ';
}

/// A formula or a part of one as messages show it: on one line, long ones cut in their middle,
/// controls masked.
std::string shown_formula(std::string text);
/// The same in quotes.
std::string quoted_formula(const std::string& text);

/// Numbers that stand for the texts of categorical columns in formulas: one per text, whichever
/// column it is of.
class TextCodes {
 public:
  double code(const std::string& text);

 private:
  std::map<std::string, double> codes_;
};

/// An expression over named numbers, as a user writes it: "workers * 1.2",
/// "filters * batch_size <= 4096 && padding == 'same'". The operators and functions of muParser;
/// texts stand in single or double quotes and can be compared.
class Formula {
 public:
  /// `where` names the place of the text in messages. Throws UsageError for what cannot be read.
  Formula(const std::string& text, const std::vector<std::string>& names, TextCodes& codes,
          const Sentence& where);
  ~Formula();
  Formula(Formula&&) noexcept;
  Formula& operator=(Formula&&) noexcept;

  /// The names that an expression uses, whatever there is. Throws UsageError for what is none.
  static std::vector<std::string> names_in(const std::string& text, const Sentence& where);

  /// The names that the expression uses.
  const std::vector<std::string>& used() const { return used_; }
  /// The value for one number per name, in their order. Not for several threads at once.
  double operator()(std::span<const double> values) const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::vector<std::string> used_;
};

}  // namespace perfmodel
