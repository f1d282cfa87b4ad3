#include "pipeline/large/needed_rows.hpp"

#include "base/text.hpp"
#include "fit/task/loss_value.hpp"

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

Sentence needs_rows_together(const FitRequest& request) {
  const FitOptions& options = request.options;
  Sentence out = needs_single_rows(request);
  const bool penalised = options.penalty.l1 > 0 || options.penalty.l2 > 0;
  add_asked(!options.polish, Sentence(Field{"no_polish"}), out);
  add_asked(options.method == Method::paper, Field{"method", {"paper"}}, out);
  add_asked(request.repeats > 1, Sentence(Field{"repeats"}), out);
  add_asked(penalised && !is_squared(options.loss), "a penalty of absolute errors", out);
  add_asked(penalised && options.penalty.constants == Penalise::scaled,
            Field{"penalise", {"scaled"}}, out);
  add_asked(request.roles.drop_failed, Field{"failed", {"drop"}}, out);
  return out;
}

}  // namespace perfmodel
