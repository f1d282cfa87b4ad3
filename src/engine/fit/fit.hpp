#pragma once

#include <string_view>
#include <vector>

#include "forms/form.hpp"
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

/// The runs of a fit with columns, levels and rows sorted by content. A search draws random numbers
/// per column and sums over rows; in this order it finds the same model regardless of the order of
/// the file and the names of columns and levels. Names only break ties between identical columns.
class CanonicalOrder {
 public:
  CanonicalOrder(const ModelSpec& spec, const Design& training);

  const ModelSpec& spec() const { return spec_; }
  const Design& training() const { return training_; }

  /// Converts a model of these runs to the order of columns and levels in the given spec.
  FittedModel restored(FittedModel model) const;

 private:
  const ModelSpec& given_;
  ColumnOrder columns_;
  ModelSpec spec_;
  Design training_;

  Configuration restored(const Configuration& configuration) const;
};

/// Fits Eq. (4), or a sum of product terms, to the rows of a design (the training rows). Fills
/// spec, constants, metrics.train, search and warnings; the caller fills the rest.
///
/// Throws UsageError for bounds that name unknown columns or are crossed, and InputError if results
/// exceed the range of double. A search that did not converge yields a model with a warning.
FittedModel fit(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
