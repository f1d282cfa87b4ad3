#include "cli/trust_section.hpp"

#include <algorithm>

#include "perfmodel/base/index.hpp"
#include "perfmodel/model/generic_expression.hpp"

namespace perfmodel::cli {
namespace {

// The ratio of the model's MAPE to the noise floor at which one of the two is named as the limit.
constexpr double shape_limits = 1.5;
constexpr double noise_limits = 1.15;

void add_interval(TextTable& table, const std::string& name, double fitted,
                  const Interval& interval) {
  table.add({clipped(name, 44), short_number(fitted),
             short_number(interval.low) + " .. " + short_number(interval.high)});
}

}  // namespace

ConstantMarks::ConstantMarks(const FittedModel& model) {
  if (!model.identifiability) {
    return;
  }
  const std::vector<std::string> names = constant_names(model);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool at_bound =
        std::any_of(model.warnings.begin(), model.warnings.end(), [&](const Warning& warning) {
          return warning.kind == "at_bound" && warning.constant == names[k];
        });
    const bool identified = model.identifiability->constants[k];
    marks_ += at_bound ? '*' : identified ? ' ' : '?';
    of_a_bound_ = of_a_bound_ || at_bound;
    of_data_ = of_data_ || (!identified && !at_bound);
  }
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j) {
    scaling_powers_ += mark_of_scaling_power(model, j);
    of_data_ = of_data_ || scaling_powers_.back() == '?';
  }
}

char ConstantMarks::mark_of_scaling_power(const FittedModel& model, std::size_t extrinsic) const {
  if (model.multi) {
    return model.identifiability->scaling_powers[extrinsic] ? ' ' : '?';
  }
  if (power_through_derived(model, extrinsic)) {
    return ' ';  // more than the constant that a mark would be of
  }
  return marks_[GenericLayout(model.spec).extrinsic_power(extrinsic)];
}

std::string ConstantMarks::of(std::size_t constant) const {
  return of_a_bound_ || of_data_ ? marks_.substr(constant, 1) : "";
}

std::string ConstantMarks::behind(std::size_t constant) const {
  const std::string mark = of(constant);
  return mark == " " ? "" : mark;
}

std::string ConstantMarks::of_scaling_power(std::size_t extrinsic) const {
  return (of_a_bound_ || of_data_) && !scaling_powers_.empty()
             ? scaling_powers_.substr(extrinsic, 1)
             : "";
}

std::string ConstantMarks::legend() const {
  const std::string bound = of_a_bound_ ? "* at a bound" : "";
  const std::string data = of_data_ ? "? not determined by these runs" : "";
  return bound + (of_a_bound_ && of_data_ ? "   " : "") + data;
}

namespace {

void add_generic_intervals(const FittedModel& model, const Uncertainty& uncertainty,
                           TextTable& table) {
  const GenericLayout layout(model.spec);
  const auto add = [&](std::size_t k) {
    if (!model.identifiability || model.identifiability->constants[k]) {
      add_interval(table, layout.name(k), model.constants[index(k)], uncertainty.constants[k]);
    }
  };
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j) {
    add(layout.extrinsic_power(j));
  }
  add(layout.intercept());
  for (std::size_t i = 0; i < model.spec.intrinsic.size(); ++i) {
    add(layout.intrinsic_power(i));
  }
  std::size_t next = 0;
  for (std::size_t c = 0; c < model.spec.categorical.size(); ++c) {
    const CategoricalInput& input = model.spec.categorical[c];
    for (std::size_t l = 0; l < input.levels.size(); ++l, ++next) {
      if (l > 0 && (!model.identifiability || model.identifiability->differences[next])) {
        add_interval(
            table, input.column + ": " + input.levels[l] + " - " + input.levels[0],
            model.constants[index(layout.level(c, l))] - model.constants[index(layout.level(c, 0))],
            uncertainty.differences[next]);
      }
    }
  }
}

/// Powers, C and local powers: the factors of many terms and levels would bury them.
void add_sum_intervals(const FittedModel& model, const Uncertainty& uncertainty, TextTable& table) {
  const auto& identified = model.identifiability;
  const auto add = [&](const std::string& name, double fitted, const Interval& interval,
                       bool is_identified) {
    // What is 0 by definition has no width.
    if (is_identified && interval.low < interval.high) {
      add_interval(table, name, fitted, interval);
    }
  };
  const std::vector<double> powers = scaling_powers(model);
  for (std::size_t j = 0; j < powers.size(); ++j) {
    add("scaling with " + model.spec.extrinsic[j].column, powers[j], uncertainty.scaling_powers[j],
        !identified || identified->scaling_powers[j]);
  }
  const MultiLayout layout(model.spec, model.multi->structure);
  const auto add_constant = [&](std::size_t k) {
    add(layout.name(k), model.constants[index(k)], uncertainty.constants[k],
        !identified || identified->constants[k]);
  };
  add_constant(layout.intercept());
  for (std::size_t k = 0; k < model.multi->structure.terms; ++k) {
    for (std::size_t i = 0; i < model.spec.intrinsic.size(); ++i) {
      add_constant(layout.intrinsic_power(k, i));
    }
    for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j) {
      add_constant(layout.extrinsic_power(k, j));
    }
  }
}

}  // namespace

TextTable uncertainty_table(const FittedModel& model, const Uncertainty& uncertainty) {
  using enum Align;
  TextTable table({left, right, left});
  table.add({std::to_string(uncertainty.samples) + " bootstrap samples", "fitted",
             short_number(100 * uncertainty.confidence) + " % interval"});
  (model.multi ? add_sum_intervals : add_generic_intervals)(model, uncertainty, table);
  return table;
}

std::string noise_floor_text(double mape_percent, const std::optional<NoiseFloor>& floor) {
  if (!floor) {
    return {};
  }
  std::string reading = "shape and noise both limit it";
  if (mape_percent > shape_limits * floor->mape_percent) {
    reading = "the shape, not the noise, limits it";
  } else if (mape_percent < noise_limits * floor->mape_percent) {
    reading = "the noise limits it";
  }
  return "model " + percent(mape_percent) + ", noise floor " + percent(floor->mape_percent) +
         " from " + std::to_string(floor->rows) + " replicated rows: " + reading;
}

}  // namespace perfmodel::cli
