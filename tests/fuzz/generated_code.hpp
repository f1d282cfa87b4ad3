#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "perfmodel/export.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel::fuzz {

/// A model and configurations whose times it predicts.
struct GeneratedModel {
  FittedModel model;
  Table configurations;
};

/// A model of any form with random constants, steps, saturation, clamps, logarithms, zeros and
/// derived columns, and with names and levels that mean something in programming languages. Now and
/// then it has a Gaussian process, which is fitted. Nullopt if a derived column has no valid
/// values.
std::optional<GeneratedModel> generated_model(RandomStream& random);

/// Runs the code of formula_code() in `python`, `c` or `javascript` for all configurations of the
/// models and compares the printed times with predict(). Throws std::logic_error, which names the
/// language and the formula of the first model whose times differ.
void check_code(const std::vector<GeneratedModel>& models, FormulaLanguage language);

}  // namespace perfmodel::fuzz
