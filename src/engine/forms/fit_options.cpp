#include "forms/fit_options.hpp"

#include <fmt/format.h>
#include <cmath>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace perfmodel {

bool chooses_terms(const FitOptions& options) {
  return (options.expression == Expression::sum || options.expression == Expression::automatic) &&
         !options.terms;
}

Loss default_loss(const FitOptions& options) {
  if (options.expression == Expression::formula && options.residual == Residual::gp)
    return Loss::rmsle;  // as the process
  if (!chooses_terms(options))
    return Loss::mae;
  return options.quantile ? Loss::mape : Loss::soft_l1;
}

SearchDefaults search_defaults(Method method) {
  if (method == Method::paper) {
    return {.starts = 1,
            .exploration_rows = 0,
            .updating = optimise::Updating::immediate,
            .population = 15,
            .generations = 1000,
            .tolerance = 0.01};
  }
  return {.starts = 4,
          .exploration_rows = 2048,
          .updating = optimise::Updating::deferred,
          .population = 4,
          .generations = 5000,
          .tolerance = 3e-3};
}

void FitOptions::be_silent() {
  observer = nullptr;
  progress = nullptr;
}

namespace {

[[noreturn]] void fail_bound(const std::string& text, std::string_view problem) {
  throw UsageError(fmt::format("{} '{}': {}", spelled("bounds"), text, problem));
}

template <class Numbers>
bool all_in_range(const Numbers& numbers) {
  return std::ranges::all_of(
      numbers,
      [](double number) {
        return number == 0 || (kLeastFittedNumber <= number && number <= kLargestFittedNumber);
      });
}

bool all_in_range(const std::vector<NumericFactor>& factors) {
  return std::ranges::all_of(
      factors, [](const NumericFactor& factor) { return all_in_range(factor.values); });
}

}  // namespace

BoundOverride parse_bound(const std::string& text) {
  constexpr const char* form =
      "write CONSTANT=LOW:HIGH or CONSTANT.COLUMN=LOW:HIGH, for example p=-2:2 or p.filters=0:3";
  const std::size_t equals = text.find('=');
  const std::size_t colon = equals == std::string::npos ? equals : text.find(':', equals);
  if (colon == std::string::npos)
    fail_bound(text, form);
  BoundOverride out;
  const std::size_t point = std::min(text.find('.'), equals);
  out.constant = text.substr(0, point);
  if (point < equals)
    out.column = text.substr(point + 1, equals - point - 1);
  if (out.constant.empty() || (out.column && out.column->empty()))
    fail_bound(text, form);
  if (out.constant == "C" && out.column)
    fail_bound(text, "C belongs to no column");
  const auto low = parse_number(std::string_view(text).substr(equals + 1, colon - equals - 1));
  const auto high = parse_number(std::string_view(text).substr(colon + 1));
  if (!low || !high)
    fail_bound(text, form);
  if (*low > *high)
    fail_bound(text, "the lower bound is above the upper one");
  if (!std::isfinite(*high - *low))
    fail_bound(text, "the bounds are too far apart");
  out.low = *low;
  out.high = *high;
  return out;
}

BoundOverride parse_fixed(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto value = equals == std::string::npos
                         ? std::nullopt
                         : parse_number(std::string_view(text).substr(equals + 1));
  if (!value || equals == 0)
    throw UsageError(
        fmt::format("{} '{}': write CONSTANT=NUMBER, for example p=1", spelled("fix"), text));
  return parse_bound(text + ":" + text.substr(equals + 1));
}

std::string numbers_out_of_range() {
  return "the fit leads to figures that are too large for a number; write the times and the "
         "columns in units in which they are nearer to 1, or narrow " +
         spelled("bounds");
}

bool in_fitted_range(const Design& runs) {
  return all_in_range(runs.time) && all_in_range(runs.intrinsic) && all_in_range(runs.extrinsic);
}

void require_fitted_range(const Design& runs) {
  if (!in_fitted_range(runs))
    throw InputError(numbers_out_of_range());
}

}  // namespace perfmodel
