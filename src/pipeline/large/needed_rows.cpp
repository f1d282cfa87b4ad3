#include "pipeline/large/needed_rows.hpp"

#include "base/text.hpp"

namespace perfmodel {
namespace {

/// Appends to what was asked for, separated by commas.
void add_asked(bool asked, const Sentence& what, Sentence& out) {
  if (asked)
    out += (out.empty() ? Sentence() : Sentence(", ")) + what;
}

}  // namespace

Sentence needs_rows_of_file(const FitRequest& request) {
  const SplitShares all;
  Sentence out;
  add_asked(request.split.validation != all.validation || request.split.test != all.test,
            Sentence(Field{"split"}), out);
  add_asked(request.bootstrap.has_value(), Sentence(Field{"bootstrap"}), out);
  add_asked(request.held_out.folds.has_value(), Sentence(Field{"folds"}), out);
  add_asked(request.held_out.coverage.has_value(), Sentence(Field{"coverage"}), out);
  return out;
}

Sentence needs_single_rows(const FitRequest& request) {
  const Expression expression = request.options.expression;
  Sentence out;
  add_asked(expression != Expression::generic,
            Field{"expression", {std::string(to_text(expression))}}, out);
  add_asked(request.options.residual == Residual::process, Field{"residual", {"process"}}, out);
  return out;
}

}  // namespace perfmodel
