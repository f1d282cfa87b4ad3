#include "forms/fit_options.hpp"

#include <fmt/format.h>
#include <cmath>

#include "base/text.hpp"

namespace perfmodel {

Expression expression_of(const FitOptions& options) {
  return options.earlier() != nullptr ? Expression::eq4
                                      : static_cast<Expression>(options.form.index());
}

std::optional<std::size_t> given_terms(const FitOptions& options) {
  const auto* const sum = options.as<SumOptions>();
  return sum == nullptr ? std::nullopt : sum->terms;
}

bool may_subtract(const FitOptions& options) {
  const auto* const sum = options.as<SumOptions>();
  const auto* const automatic = options.as<AutomaticOptions>();
  return sum != nullptr ? sum->signed_terms : automatic != nullptr && automatic->signed_terms;
}

const SearchSettings& search_settings(const FitOptions& options) {
  static const Eq4Options standard;
  const auto* const eq4 = options.as<Eq4Options>();
  const auto* const own = options.as<OwnOptions>();
  return own != nullptr ? own->search : (eq4 == nullptr ? standard : *eq4).search;
}

Method method_of(const FitOptions& options) {
  const auto* const eq4 = options.as<Eq4Options>();
  return eq4 == nullptr ? Method::scaled : eq4->method;
}

bool chooses_terms(const FitOptions& options) {
  const auto* const sum = options.as<SumOptions>();
  return options.as<AutomaticOptions>() != nullptr || (sum != nullptr && !sum->terms);
}

Loss default_loss(const FitOptions& options) {
  if (options.as<OwnOptions>() != nullptr && options.residual == Residual::gp)
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
      "write CONSTANT=LOW:HIGH or CONSTANT.COLUMN=LOW:HIGH, for example p=-2:2 or p.filters=0:3, "
      "or CONSTANT=VALUE, for example C=0";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    fail_bound(text, form);
  const std::string_view range = std::string_view(text).substr(equals + 1);
  const std::size_t colon = range.find(':');
  BoundOverride out;
  const std::size_t point = std::min(text.find('.'), equals);
  out.constant = text.substr(0, point);
  if (point < equals)
    out.column = text.substr(point + 1, equals - point - 1);
  if (out.constant.empty() || (out.column && out.column->empty()))
    fail_bound(text, form);
  if (out.constant == "C" && out.column)
    fail_bound(text, "C belongs to no column");
  const auto low = parse_number(range.substr(0, colon));
  const auto high = colon == range.npos ? low : parse_number(range.substr(colon + 1));
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
