#include "support/generated_runs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "forms/fit_options.hpp"

namespace perfmodel::test {
namespace {

using Role = GeneratedColumn::Role;

/// The values that a numeric column takes: few, or one per row.
std::vector<double> values_of(RandomStream& random, std::size_t rows, bool may_be_zero) {
  const double unit = std::pow(10, std::floor(random.uniform(-6, 7)));
  const bool whole = happens(random, 0.5);
  const std::size_t count = happens(random, 0.2) ? rows : 2 + random.below(5);
  std::vector<double> out;
  while (out.size() < count) {
    const double value = whole ? std::floor(std::exp2(random.uniform(0, 8)))
                               : unit * std::exp(random.uniform(-2, 2));
    if (count == rows || std::find(out.begin(), out.end(), value) == out.end())
      out.push_back(value);
  }
  if (may_be_zero && happens(random, 0.2))
    out.front() = 0;
  return out;
}

/// Values of a column per configuration: each of them at least once.
template <class Value>
std::vector<Value> drawn(RandomStream& random, const std::vector<Value>& values,
                         std::size_t configurations) {
  std::vector<Value> out;
  for (std::size_t i = 0; i < configurations; ++i)
    out.push_back(i < values.size() ? values[i] : values[random.below(values.size())]);
  random.shuffle(std::span(out));
  return out;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  double count = 0;
  for (const double value : values)
    if (value > 0) {
      sum += std::log(value);
      ++count;
    }
  return std::exp(sum / count);
}

std::vector<std::string> level_names(RandomStream& random) {
  std::vector<std::string> out;
  const std::size_t count = 2 + random.below(3);
  for (std::size_t i = 0; i < count; ++i)
    out.push_back("L" + std::to_string(10 + random.below(90)) +
                  std::string(1, static_cast<char>('a' + i)));
  return out;
}

/// A column per input of a configuration; its name holds no other name.
GeneratedColumn generated_column(RandomStream& random, Role role, std::size_t index,
                                 std::size_t configurations) {
  GeneratedColumn out;
  out.role = role;
  out.name = std::string(1, "xyz"[random.below(3)]) + std::to_string(index) + "_" +
             std::to_string(100 + random.below(900));
  if (role == Role::categorical)
    out.levels = drawn(random, level_names(random), configurations);
  else
    out.numbers =
        drawn(random, values_of(random, configurations, role == Role::intrinsic), configurations);
  return out;
}

/// Adds the constants of a column to the law and its part to the sum, or to the product.
void add_part(RandomStream& random, const GeneratedColumn& column, GeneratedLaw& law,
              std::vector<double>& sum, std::vector<double>& product) {
  if (column.role == Role::categorical) {
    const std::set<std::string> names(column.levels.begin(), column.levels.end());
    std::vector<double> values;
    for (std::size_t l = 0; l < names.size(); ++l)
      values.push_back(random.uniform(0, 2));
    for (std::size_t row = 0; row < sum.size(); ++row)
      sum[row] += values[static_cast<std::size_t>(
          std::distance(names.begin(), names.find(column.levels[row])))];
    law.levels.push_back(values);
    return;
  }
  const double power =
      column.role == Role::extrinsic ? random.uniform(-1.5, 0.5) : random.uniform(0.2, 2);
  const double typical = geometric_mean(column.numbers);
  const double share = column.role == Role::extrinsic ? 1 : random.uniform(0.1, 2);
  for (std::size_t row = 0; row < sum.size(); ++row) {
    const double factor = share * std::pow(column.numbers[row] / typical, power);
    if (column.role == Role::extrinsic)
      product[row] *= factor;
    else
      sum[row] += factor;
  }
  if (column.role == Role::extrinsic) {
    law.scaling_powers.push_back(power);
    return;
  }
  law.powers.push_back(power);
  law.coefficients.push_back(share * std::pow(typical, -power));
}

/// Sets times of Eq. (4) with noise, in a unit of any magnitude, and the law behind them.
void set_times(RandomStream& random, GeneratedRuns& runs) {
  const std::size_t rows = runs.lines.size();
  std::vector<double> sum(rows);
  std::vector<double> product(rows, 1);
  GeneratedLaw& law = runs.law;
  bool has_sum = false;
  double scales = 1;
  for (const GeneratedColumn& column : runs.columns) {
    add_part(random, column, law, sum, product);
    has_sum = has_sum || column.role != Role::extrinsic;
    if (column.role == Role::extrinsic)
      scales *= std::pow(geometric_mean(column.numbers), -law.scaling_powers.back());
  }
  if (!has_sum) {
    sum.assign(rows, 1);
    law.coefficients = {1};
  }
  const double unit = std::pow(10, random.uniform(-6, 6));
  const double noise = one_of(random, {0.0, 0.01, 0.05, 0.3});
  const bool is_rounded = happens(random, 0.3);
  law.intercept = happens(random, 0.5) ? unit * random.uniform(0.05, 0.5) : 0;
  for (double& coefficient : law.coefficients)
    coefficient *= unit * scales;
  for (std::vector<double>& levels : law.levels)
    for (double& level : levels)
      level *= unit * scales;
  for (std::size_t row = 0; row < rows; ++row) {
    const double time = (unit * (sum[row] + 0.01) * product[row] + law.intercept) *
                        std::exp(noise * random.normal());
    runs.times.push_back(is_rounded ? *parse_number(rounded(time)) : time);
  }
}

/// Now and then a product of two numeric columns, which need not have a part in the times.
void add_derived(RandomStream& random, GeneratedRuns& runs) {
  std::vector<std::string> numbers;
  for (const GeneratedColumn& column : runs.columns)
    if (column.role != Role::categorical)
      numbers.push_back(column.name);
  if (numbers.size() < 2 || !happens(random, 0.15))
    return;
  random.shuffle(std::span(numbers));
  runs.derived = {parse_derived("derived_1 = " + numbers[0] + " * " + numbers[1])};
}

std::vector<std::string> names_of(const GeneratedRuns& runs, Role role) {
  std::vector<std::string> out;
  for (const GeneratedColumn& column : runs.columns)
    if (column.role == role)
      out.push_back(column.name);
  return out;
}

}  // namespace

std::string GeneratedRuns::csv() const {
  std::string out;
  for (const GeneratedColumn& column : columns)
    out += column.name + ",";
  out += "time_s\n";
  for (std::size_t row = 0; row < rows(); ++row) {
    for (const GeneratedColumn& column : columns)
      out +=
          (column.role == Role::categorical ? column.levels[row] : to_text(column.numbers[row])) +
          ",";
    out += to_text(times[row]) + "\n";
  }
  return out;
}

RoleRequest GeneratedRuns::roles() const {
  RoleRequest out;
  out.target = "time_s";
  out.intrinsic = names_of(*this, Role::intrinsic);
  out.categorical = names_of(*this, Role::categorical);
  out.extrinsic = names_of(*this, Role::extrinsic);
  for (const DerivedColumn& column : derived)
    out.intrinsic->push_back(column.column);
  out.derived = derived;
  return out;
}

Table GeneratedRuns::table() const {
  const std::vector<std::string> categorical = names_of(*this, Role::categorical);
  Table out = parse_csv(csv(), "runs.csv", {categorical.begin(), categorical.end()});
  out.lines = lines;
  return out;
}

GeneratedRuns generated_runs(RandomStream& random) {
  GeneratedRuns out;
  const std::size_t rows = 10 + random.below(31);
  const std::size_t configurations = happens(random, 0.5) ? rows : 6 + random.below(rows - 6);
  std::vector<Role> roles;
  for (std::size_t i = random.below(3); i > 0; --i)
    roles.push_back(Role::intrinsic);
  for (std::size_t i = random.below(3); i > 0; --i)
    roles.push_back(Role::categorical);
  for (std::size_t i = random.below(3); i > 0 || roles.empty(); i -= i > 0 ? 1 : 0)
    roles.push_back(Role::extrinsic);
  random.shuffle(std::span(roles));
  for (std::size_t i = 0; i < roles.size(); ++i)
    out.columns.push_back(generated_column(random, roles[i], i, configurations));
  for (std::size_t row = 0; row < configurations; ++row)
    out.lines.push_back(static_cast<std::uint32_t>(row));
  std::vector<std::size_t> origin(rows);
  for (std::size_t row = 0; row < rows; ++row)
    origin[row] = row < configurations ? row : random.below(configurations);
  random.shuffle(std::span(origin));
  out.times.assign(configurations, 0);
  out = take_rows(out, origin);
  out.times.clear();
  set_times(random, out);
  std::iota(out.lines.begin(), out.lines.end(), 2U);
  add_derived(random, out);
  return out;
}

GeneratedRuns take_rows(const GeneratedRuns& runs, std::span<const std::size_t> rows) {
  const auto taken = [&](auto& items) {
    if (items.empty())
      return;
    auto out = items;
    out.clear();
    for (const std::size_t row : rows)
      out.push_back(items[row]);
    items = std::move(out);
  };
  GeneratedRuns out = runs;
  for (GeneratedColumn& column : out.columns) {
    taken(column.numbers);
    taken(column.levels);
  }
  taken(out.times);
  taken(out.lines);
  return out;
}

namespace {

void choose_penalty(RandomStream& random, const GeneratedKinds& kinds, FitOptions& options) {
  // If no sum of chosen terms predicts better, Eq. (4) is fitted with its raw constants.
  if (!happens(random, 0.3) || (chooses_terms(options) && !kinds.raw_penalties))
    return;
  (happens(random, 0.5) ? options.penalty.l1 : options.penalty.l2) =
      std::pow(10, random.uniform(-5, -1));
  if (options.as<Eq4Options>() != nullptr && (!kinds.raw_penalties || happens(random, 0.5)))
    options.penalty.constants = Penalise::scaled;
}

void choose_form(RandomStream& random, const GeneratedKinds& kinds, FitOptions& options) {
  const double kind = random.uniform();
  if (kind < 0.01) {
    options.form = AutomaticOptions();
    options.residual = Residual::chosen;
    options.loss = default_loss(options);
    return;
  }
  SumOptions sum{.signed_terms = kind > 0.985};
  if (kind >= 0.55 && kind < 0.97)
    sum.terms = 1 + random.below(2);
  const bool has_process = happens(random, 0.1);
  sum.signed_terms = sum.signed_terms && !has_process;
  if (kind >= 0.55)
    options.form = sum;
  if (has_process) {
    options.residual = Residual::gp;
    options.loss = default_loss(options);
    return;
  }
  options.loss = chooses_terms(options) && happens(random, 0.5)
                     ? Loss::soft_l1
                     : one_of(random, {Loss::mae, Loss::mape, Loss::mse, Loss::rmsle});
  if (options.loss != Loss::soft_l1)
    choose_penalty(random, kinds, options);
  if (kinds.paper && options.as<Eq4Options>() != nullptr && happens(random, 0.1))
    options.form = Eq4Options{.method = Method::paper,
                              .search = {.population = 2, .generations = 1 + random.below(10)}};
}

}  // namespace

FitRequest generated_request(const GeneratedRuns& runs, RandomStream& random,
                             const GeneratedKinds& kinds) {
  FitRequest out;
  out.roles = runs.roles();
  choose_form(random, kinds, out.options);
  out.options.seed = 1 + random.below(1000);
  const bool is_automatic = out.options.as<AutomaticOptions>() != nullptr;
  if (!kinds.whole_searches && !is_automatic)
    out.options.starts = 1 + random.below(2);
  if (auto* const eq4 = std::get_if<Eq4Options>(&out.options.form);
      eq4 != nullptr && !kinds.whole_searches && !eq4->search.generations && happens(random, 0.85))
    eq4->search.generations = 2 + random.below(20);
  out.roles.totals_per_worker = is_automatic;
  out.held_out.intervals = happens(random, 0.1);
  return out;
}

std::vector<std::string> GeneratedRuns::role_options() const {
  const auto listed = [](const std::vector<std::string>& names) {
    return names.empty() ? "none" : joined(names, ",");
  };
  const RoleRequest request = roles();
  std::vector<std::string> out = {"--target",    "time_s",
                                  "--extrinsic", listed(*request.extrinsic),
                                  "--intrinsic", listed(*request.intrinsic)};
  if (!request.categorical.empty())
    out.insert(out.end(), {"--categorical", listed(request.categorical)});
  for (const DerivedColumn& column : derived)
    out.insert(out.end(), {"--derive", column.definition()});
  return out;
}

std::vector<std::string> options_of(const GeneratedRuns& runs, const FitRequest& request) {
  const FitOptions& options = request.options;
  std::vector<std::string> out = runs.role_options();
  const auto add = [&](const std::string& name, const auto& value) {
    out.push_back(name);
    if constexpr (std::is_convertible_v<decltype(value), std::string_view>)
      out.emplace_back(value);
    else
      out.push_back(to_text(static_cast<double>(value)));
  };
  add("--expression", to_text(expression_of(options)));
  if (options.as<AutomaticOptions>() == nullptr) {
    add("--residual", to_text(options.residual));
    if (options.residual == Residual::none && options.loss != Loss::soft_l1)
      add("--loss", to_text(options.loss));
  }
  if (const std::optional<std::size_t> terms = given_terms(options))
    add("--terms", *terms);
  if (may_subtract(options))
    out.emplace_back("--signed");
  if (options.penalty.l1 > 0)
    add("--l1", options.penalty.l1);
  if (options.penalty.l2 > 0)
    add("--l2", options.penalty.l2);
  if (options.penalty.constants == Penalise::scaled)
    add("--penalise", "scaled");
  if (method_of(options) == Method::paper)
    add("--method", "paper");
  if (options.starts)
    add("--starts", *options.starts);
  const SearchSettings& search = search_settings(options);
  if (search.generations)
    add("--search", "generations=" + std::to_string(*search.generations));
  if (search.population)
    add("--search", "population=" + std::to_string(*search.population));
  add("--seed", options.seed);
  if (!request.held_out.intervals)
    add("--coverage", "none");
  add("--threads", 1);
  return out;
}

std::string words_of(const GeneratedRuns& runs, const FitRequest& request) {
  return "fit " + joined(options_of(runs, request), " ") + "\n" + runs.csv();
}

}  // namespace perfmodel::test
