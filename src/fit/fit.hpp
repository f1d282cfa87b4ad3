#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "forms/form.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

class Fields;

/// What has to be known of a form before there is a model of it.
struct FormKind {
  std::string_view name;  ///< of `expression.form` in model.json, and of Expression
  /// To rows and columns in canonical order.
  FittedModel (*fit)(const ModelSpec& spec, const Design& training, const FitOptions& options);
  /// Reads, or describes, inputs, form, constants and what is known of them, the field `constants`
  /// of model.json; target and derived columns of the spec are known, and the model is the context
  /// of `f`. Throws InputError, also where fields beside the constants contradict them.
  void (*read)(Fields& f, FittedModel& model);
};

/// All forms of this program: a new one is registered here.
const std::vector<FormKind>& form_kinds();

/// The runs of a fit with their columns, levels and rows in the order of their content. A search
/// draws random numbers column by column and adds up row by row: in this order it finds the same
/// model however the file was written, and whatever its columns and levels are called. Names decide
/// between what the runs do not tell apart at all.
class CanonicalOrder {
 public:
  CanonicalOrder(const ModelSpec& spec, const Design& training);

  const ModelSpec& spec() const { return spec_; }
  const Design& training() const { return training_; }

  /// A model of these runs as one of the runs as they were given.
  FittedModel restored(FittedModel model) const;

 private:
  const ModelSpec& given_;
  ColumnOrder columns_;
  ModelSpec spec_;
  Design training_;

  Configuration restored(const Configuration& configuration) const;
  std::vector<bool> restored_differences(const std::vector<bool>& differences) const;
};

/// Fits Eq. (4), or a sum of product terms, to the rows of a design (the training rows). Fills
/// spec, constants, metrics.train, search and warnings; the rest is the caller's.
///
/// Throws UsageError for bounds that name unknown columns or are crossed. A search that did not
/// converge is a result with a warning.
FittedModel fit(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
