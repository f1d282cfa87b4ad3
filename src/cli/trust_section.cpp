#include "cli/trust_section.hpp"

#include "perfmodel/analysis/constant_status.hpp"
#include "perfmodel/base/index.hpp"
#include "perfmodel/model/generic_expression.hpp"

namespace perfmodel::cli {
namespace {

constexpr char bound_mark = '*';
constexpr char data_mark = '?';

char mark_of(ConstantStatus status) {
  switch (status) {
    case ConstantStatus::at_bound:
      return bound_mark;
    case ConstantStatus::undetermined:
      return data_mark;
    case ConstantStatus::unknown:
    case ConstantStatus::determined:
      break;
  }
  return ' ';
}

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
  const ConstantStatuses statuses = constant_statuses(model);
  const auto add = [&](const std::vector<ConstantStatus>& from, std::string& marks) {
    for (const ConstantStatus status : from) {
      marks += mark_of(status);
      of_a_bound_ = of_a_bound_ || marks.back() == bound_mark;
      of_data_ = of_data_ || marks.back() == data_mark;
    }
  };
  add(statuses.constants, marks_);
  add(statuses.scaling_powers, scaling_powers_);
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

}  // namespace perfmodel::cli
