#pragma once

#include <string_view>
#include <vector>

#include "perfmodel/model.hpp"

namespace perfmodel {

class Fields;

/// Functions of a form that are needed before a model exists.
struct FormKind {
  std::string_view name;  ///< value of `expression.form` in model.json, and of Expression
  /// Expects rows and columns in canonical order.
  FittedModel (*fit)(const ModelSpec& spec, const Design& training, const FitOptions& options);
  /// Reads, or describes, inputs, form, and the field `constants` of model.json. The spec already
  /// has target and derived columns; the model is the context of `f`. Throws InputError, also if
  /// other fields contradict the constants.
  void (*read)(Fields& f, FittedModel& model);
};

/// All forms of this program: a new one is registered here.
const std::vector<FormKind>& form_kinds();

/// Fits Eq. (4), or a sum of product terms, to the rows of a design (the training rows). Fills
/// spec, constants, metrics.train, search and warnings; the caller fills the rest.
///
/// Throws UsageError for bounds that name unknown columns or are crossed, and InputError if results
/// exceed the range of double. A search that did not converge yields a model with a warning.
FittedModel fit(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
