#pragma once

#include <string_view>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

class JsonCursor;

/// What has to be known of a form before there is a model of it.
struct FormKind {
  std::string_view name;  ///< of `expression.form` in model.json, and of Expression
  /// To rows and columns in canonical order.
  FittedModel (*fit)(const ModelSpec& spec, const Design& training, const FitOptions& options);
  /// Reads inputs, form, constants and what is known of them from the field `constants`; target and
  /// derived columns of the spec are known. Throws InputError.
  void (*read)(const JsonCursor& constants, FittedModel& model);
};

/// All forms of this program: a new one is registered here.
const std::vector<FormKind>& form_kinds();

}  // namespace perfmodel
