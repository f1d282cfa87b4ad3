#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "fit/eq4/generic_form.hpp"
#include "fit/residual/process_form.hpp"
#include "fit/residual/process_json.hpp"
#include "fit/sum/form/sum_form.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {
namespace {

/// What can be the trend of a process.
constexpr std::array<std::pair<Expression, void (*)(const JsonCursor&, FittedModel&)>, 2> trends = {
    {{Expression::generic, GenericForm::read}, {Expression::multi, SumForm::read}}};

void read_trend(const JsonCursor& constants, FittedModel& model) {
  const JsonCursor node = constants.member("trend");
  const std::string text = node.text();
  std::vector<std::string> names;
  for (const auto& [expression, read] : trends) {
    if (text == to_text(expression))
      return read(constants, model);
    names.emplace_back(to_text(expression));
  }
  node.fail("'" + text + "' is not one of " + quoted_list(names));
}

}  // namespace

Json ProcessForm::constants_to_json(const FittedModel& model) const {
  Json out = trend_->constants_to_json(model);
  out["trend"] = trend_->name();
  out["process"] = process_to_json(*known_, columns_, model.spec);
  return out;
}

void ProcessForm::check_constants(const FittedModel& model, const JsonCursor& constants) const {
  trend_->check_constants(model, constants);
}

void ProcessForm::read(const JsonCursor& constants, FittedModel& model) {
  read_trend(constants, model);
  ReadProcess found = read_process(constants.member("process"), model.spec);
  model.form = std::make_shared<ProcessForm>(
      model.form, std::move(found.columns),
      std::make_shared<const KnownProcess>(std::move(found.process),
                                           std::max(1U, std::thread::hardware_concurrency())),
      ProcessPrior{});
}

}  // namespace perfmodel
