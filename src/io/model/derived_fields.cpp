#include "io/model/derived_fields.hpp"

#include <cmath>
#include <vector>

#include "fit/result/form.hpp"
#include "json/contradiction.hpp"

namespace perfmodel {
namespace {

void check_scaling_powers(const FittedModel& model, const JsonCursor& root) {
  const auto node = root.optional_member("scaling_powers");
  if (!node)
    return;
  const std::vector<double> powers = scaling_powers(model);
  for (std::size_t j = 0; j < powers.size(); ++j)
    if (const auto power = node->optional_member(model.spec.extrinsic[j].column))
      check_number(*power, powers[j], 1 + std::abs(powers[j]));
}

}  // namespace

void check_derived_fields(const FittedModel& model, const JsonCursor& root) {
  check_formula(root.member("expression"), model.form->formula(model.spec, model.constants));
  model.form->check_constants(model, root.member("constants"));
  check_scaling_powers(model, root);
}

}  // namespace perfmodel
