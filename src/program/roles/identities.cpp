#include <fmt/core.h>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/eigen.hpp"
#include "columns/spec.hpp"
#include "roles/left_out.hpp"

namespace perfmodel {
namespace {

/// The logarithms of a column of numbers > 0, which turn products into sums.
struct LogColumn {
  const ColumnPart* part;
  std::vector<double> logarithms;
  std::size_t values;  ///< different ones, if all are integers; else 0

  bool is_whole() const { return values > 0; }

  const std::string& name() const { return part->column->name; }
};

struct SignedColumn {
  const LogColumn* column;
  int power;
};

using Members = std::vector<SignedColumn>;

/// True if the product of these powers is the same in every row, within a relative tolerance of
/// `agreement`. Stops at the first row that differs.
bool is_same_everywhere(const Members& product, double agreement) {
  double low = 0;
  double high = 0;
  const std::size_t rows = product.front().column->logarithms.size();
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (const SignedColumn& factor : product)
      sum += factor.power * factor.column->logarithms[row];
    low = row == 0 ? sum : std::min(low, sum);
    high = row == 0 ? sum : std::max(high, sum);
    if (high - low > 2 * agreement)
      return false;
  }
  return true;
}

/// Numbers of factors.
struct ProductSizes {
  std::size_t least;
  std::size_t most;
};

/// Calls `take` with products of so many columns, of which the given members are the first, until
/// it returns a value. The first member is no further factor.
template <class Take>
auto find_product(const std::vector<LogColumn>& columns, const ProductSizes& sizes, Members members,
                  const Take& take) {
  const auto search = [&](const auto& self, std::size_t from) -> decltype(take(members)) {
    if (members.size() >= sizes.least)
      if (auto found = take(members))
        return found;
    for (std::size_t i = from; i < columns.size() && members.size() < sizes.most; ++i)
      for (const int power : {1, -1}) {
        if (members.empty() ? power < 0 : members[0].column->part == columns[i].part)
          continue;
        members.push_back({&columns[i], power});
        if (auto found = self(self, i + 1))
          return found;
        members.pop_back();
      }
    return std::nullopt;
  };
  return search(search, 0);
}

/// The columns that contain only numbers > 0 and are not constant, in the order of their names.
std::vector<LogColumn> log_columns(const std::vector<const ColumnPart*>& parts) {
  std::vector<LogColumn> result;
  for (const ColumnPart* part : parts) {
    const Column& column = *part->column;
    if (!column.is_numeric() || !column.bad_cells.empty() || !part->facts.all_positive ||
        part->facts.constant)
      continue;
    std::vector<double> logarithms = mapped(column.numbers, [](double x) { return std::log(x); });
    const std::size_t values = is_whole(column) ? distinct_values(column) : 0;
    result.push_back({part, std::move(logarithms), values});
  }
  std::ranges::sort(result, {}, &LogColumn::name);
  return result;
}

constexpr double kOfWholeNumbers = 1e-9;    // a product of integers is exact
constexpr double kOfRoundedNumbers = 5e-4;  // "4.32" for log2(20)
constexpr double kLeastVariation = 0.01;    // columns that vary less are nearly constant
constexpr std::size_t kFewRows = 8;         // three values may agree by chance there
constexpr std::size_t kMostColumnsOfFour = 40;

double tolerance_of(const Members& members) {
  return std::ranges::all_of(
             members, [](const SignedColumn& member) { return member.column->is_whole(); })
             ? kOfWholeNumbers
             : kOfRoundedNumbers;
}

/// Number of distinct rows.
std::size_t combinations(const Members& members) {
  std::set<std::vector<double>> seen;
  for (std::size_t row = 0; row < members[0].column->logarithms.size(); ++row) {
    seen.insert(mapped(
        members, [&](const SignedColumn& member) { return member.column->logarithms[row]; }));
  }
  return seen.size();
}

constexpr WordList kCoarseCounts{"node nodes machine machines host hosts server servers"};

enum class Rank { scale, per_something, coarse_count, plain, total };

Rank rank_of(const std::string& name, bool beside_batch_per_worker) {
  if (is_total_name(name))
    return Rank::total;
  if (is_per_something_name(name))
    return Rank::per_something;
  if (!is_scale_name(name))
    return Rank::plain;
  if (is_batch_name(name) && beside_batch_per_worker)
    return Rank::total;
  return kCoarseCounts.has_one_of(name_words(name)) ? Rank::coarse_count : Rank::scale;
}

/// The index of the member that follows from the others, by the rules of find_identities();
/// members.size() if no member may follow.
std::size_t choose_dependent(const Members& members) {
  const bool batch_per_worker = std::ranges::any_of(members, [](const SignedColumn& member) {
    return is_batch_name(member.column->name()) && is_per_something_name(member.column->name());
  });
  std::vector<std::tuple<Rank, bool, std::size_t>> precedence;
  for (const SignedColumn& member : members) {
    const auto same_side = std::ranges::count(members, member.power, &SignedColumn::power);
    precedence.emplace_back(rank_of(member.column->name(), batch_per_worker),
                            members.size() > 2 && same_side == 1,
                            distinct_values(*member.column->part->column));
  }
  std::size_t chosen = members.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].column->part->by_flag)
      continue;
    if (chosen == members.size() || precedence[i] > precedence[chosen] ||
        (precedence[i] == precedence[chosen] &&
         members[i].column->name() < members[chosen].column->name()))
      chosen = i;
  }
  return chosen;
}

/// The column that follows from the others if their product is the same in every row.
std::optional<LeftOut> identity_of(const Members& members) {
  const std::size_t chosen = choose_dependent(members);
  if (chosen == members.size())
    return std::nullopt;
  LeftOut out{members[chosen].column->name(), LeftOut::Because::identity, {}};
  double log_factor = members[chosen].column->logarithms[0];
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == chosen)
      continue;
    const int power = members[i].power == members[chosen].power ? -1 : 1;
    out.factors.push_back({members[i].column->name(), power});
    log_factor -= power * members[i].column->logarithms[0];
  }
  out.identity = scaled_product(std::exp(log_factor), out.factors);
  return out;
}

/// True if the product is the same in all rows, and these are too many for chance.
bool holds(const Members& members) {
  if (!is_same_everywhere(members, tolerance_of(members)))
    return false;
  if (members.size() == 2) {
    const Column& column = *members[0].column->part->column;
    return distinct_values(column) >= (column.numbers.size() < kFewRows ? 4 : 3);
  }
  return combinations(members) >= members.size() + 2;
}

std::optional<LeftOut> identity_that_holds(const Members& members) {
  return holds(members) ? identity_of(members) : std::nullopt;
}

/// True if y = a + b x in every row, within a tolerance relative to y and to its range, and at
/// least four rows are distinct.
bool is_line(const std::vector<double>& x, const std::vector<double>& y) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double y_low = y[static_cast<std::size_t>(low - x.begin())];
  const double y_high = y[static_cast<std::size_t>(high - x.begin())];
  const double slope = (y_high - y_low) / (*high - *low);
  const double of_range = kLeastVariation * std::abs(y_high - y_low);
  for (std::size_t row = 0; row < x.size(); ++row)
    if (!(std::abs(y_low + slope * (x[row] - *low) - y[row]) <=
          std::min(kOfRoundedNumbers * y[row], of_range)))
      return false;
  return std::set<double>(x.begin(), x.end()).size() >= 4;
}

/// True if y = a x^power in every row and at least four rows are distinct.
bool is_power(const LogColumn& x, const LogColumn& y, int power) {
  return is_same_everywhere({{&y, 1}, {&x, -power}}, kOfWholeNumbers) &&
         distinct_values(*x.part->column) >= 4;
}

/// Finds a column that is a logarithm or a power of another.
std::optional<LeftOut> find_function(const std::vector<LogColumn>& columns) {
  const auto follows = [](const LogColumn& column, const std::string& law) {
    return LeftOut{column.name(), LeftOut::Because::identity, law};
  };
  for (const LogColumn& y : columns)
    for (const LogColumn& x : columns) {
      if (&x == &y || (x.part->by_flag && y.part->by_flag))
        continue;
      if (is_line(x.logarithms, y.part->column->numbers))
        return y.part->by_flag ? follows(x, "exponential in " + y.name())
                               : follows(y, "logarithmic in " + x.name());
      for (const int power : {2, 3})
        if (is_power(x, y, power))
          return y.part->by_flag
                     ? follows(x, "a root of " + y.name())
                     : follows(y, fmt::format("proportional to {}^{}", x.name(), power));
    }
  return std::nullopt;
}

/// True if y / x is the same in all rows of each level, and these are too many for chance.
bool holds_by_level(const LogColumn& x, const LogColumn& y, const Column& levels) {
  std::vector<std::optional<double>> ratio(levels.levels.size());
  std::set<std::pair<std::uint32_t, double>> seen;
  for (std::size_t row = 0; row < levels.codes.size(); ++row) {
    const double here = y.logarithms[row] - x.logarithms[row];
    std::optional<double>& known = ratio[levels.codes[row]];
    known = known.value_or(here);
    if (std::abs(here - *known) > kOfRoundedNumbers)
      return false;
    seen.insert({levels.codes[row], x.logarithms[row]});
  }
  return seen.size() >= 2 * ratio.size() + 1;
}

std::optional<LeftOut> find_by_level(const std::vector<LogColumn>& columns,
                                     const std::vector<ColumnPart>& parts) {
  for (const ColumnPart& part : parts) {
    if (!part.is_levels() || part.column->is_numeric())
      continue;
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (std::size_t j = i + 1; j < columns.size(); ++j) {
        if (!holds_by_level(columns[i], columns[j], *part.column))
          continue;
        const Members pair{{&columns[i], 1}, {&columns[j], 1}};
        const std::size_t chosen = choose_dependent(pair);
        if (chosen == pair.size())
          continue;
        const std::string& other = pair[1 - chosen].column->name();
        return LeftOut{pair[chosen].column->name(),
                       LeftOut::Because::identity,
                       fmt::format("{} times a number for each {}", other, part.column->name),
                       {{other, 1}}};
      }
  }
  return std::nullopt;
}

/// The law by which whole numbers are a sum of multiples of two others, their product and 1 in
/// every row, of at least six different ones; empty if there is none.
std::string law_of_sum(const LogColumn& y, const LogColumn& a, const LogColumn& b) {
  constexpr std::size_t fewest = 6;
  const std::vector<double>& of_y = y.part->column->numbers;
  const VectorXd of_a = VectorXd::Map(a.part->column->numbers.data(), index(of_y.size()));
  const VectorXd of_b = VectorXd::Map(b.part->column->numbers.data(), index(of_y.size()));
  MatrixXd terms(of_a.size(), 4);
  terms << of_a, of_b, of_a.cwiseProduct(of_b), VectorXd::Ones(of_a.size());
  const VectorXd wanted = VectorXd::Map(of_y.data(), of_a.size());
  const VectorXd factors = terms.colPivHouseholderQr().solve(wanted);
  if ((terms * factors - wanted).lpNorm<Eigen::Infinity>() > kOfWholeNumbers * wanted.maxCoeff() ||
      combinations({{&a, 1}, {&b, 1}}) < fewest)
    return {};
  std::vector<std::string> parts;
  const std::array names = {a.name(), b.name(), a.name() + " * " + b.name(), std::string()};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double factor = std::round(factors[index(i)] * 1e6) / 1e6;
    if (factor != 0)
      parts.push_back(names[i].empty() ? to_text(factor)
                      : factor == 1    ? names[i]
                                       : to_text(factor) + " * " + names[i]);
  }
  return joined(parts, " + ");
}

/// The law by which a column is a sum of two of the others: "32 * b + b * prompt" of the cached
/// tokens of b requests, "prompt + answer" of all tokens.
std::string law_of_sum(const LogColumn& y, const std::vector<LogColumn>& others) {
  constexpr std::size_t most = 12;
  std::vector<const LogColumn*> fewer;
  for (const LogColumn& other : others)
    if (other.is_whole() && other.values < y.values)
      fewer.push_back(&other);
  for (std::size_t i = 0; i < fewer.size() && fewer.size() <= most; ++i)
    for (std::size_t j = i + 1; j < fewer.size(); ++j)
      if (std::string law = law_of_sum(y, *fewer[i], *fewer[j]); !law.empty())
        return law;
  return {};
}

std::optional<LeftOut> find_sum(const std::vector<LogColumn>& columns) {
  for (const LogColumn& column : columns)
    if (std::string law = column.part->by_flag ? "" : law_of_sum(column, columns); !law.empty())
      return LeftOut{column.name(), LeftOut::Because::identity, std::move(law)};
  return std::nullopt;
}

std::optional<LeftOut> find_one(const std::vector<LogColumn>& columns,
                                const std::vector<ColumnPart>& parts) {
  if (auto found = find_product(columns, {2, 2}, {}, identity_that_holds))
    return found;
  if (auto found = find_function(columns))
    return found;
  for (const std::size_t size : {std::size_t{3}, std::size_t{4}})
    if (size < 4 || columns.size() <= kMostColumnsOfFour)
      if (auto found = find_product(columns, {size, size}, {}, identity_that_holds))
        return found;
  if (auto found = find_sum(columns))
    return found;
  return find_by_level(columns, parts);
}

std::vector<const ColumnPart*> underived_numbers(const std::vector<ColumnPart>& parts) {
  std::vector<const ColumnPart*> numbers;
  for (const ColumnPart& part : parts)
    if (part.is_number() && part.column->formula.empty())
      numbers.push_back(&part);
  return numbers;
}

}  // namespace

std::vector<LeftOut> find_identities(const std::vector<ColumnPart>& parts) {
  std::vector<LogColumn> columns = log_columns(underived_numbers(parts));
  std::erase_if(columns, [](const LogColumn& column) {
    return is_same_everywhere({{&column, 1}}, kLeastVariation);
  });
  std::vector<LeftOut> identities;
  while (auto found = find_one(columns, parts)) {
    std::erase_if(columns, [&](const LogColumn& column) { return column.name() == found->column; });
    identities.push_back(*std::move(found));
  }
  return identities;
}

namespace {

/// In a row, the product x of all members except the first, and the first as y.
std::pair<double, double> step_in_row(const Members& members, std::size_t row) {
  double above = 1;
  double below = 1;
  for (std::size_t i = 1; i < members.size(); ++i)
    (members[i].power > 0 ? above : below) *= members[i].column->part->column->numbers[row];
  return {above / below, members[0].column->part->column->numbers[row]};
}

/// A number k with y = ceil(x / k) in every row, which holds for max x / y <= k < min x / (y - 1).
/// Returns the smallest k if it is an integer, since a full step was then measured, else the
/// smallest power of two, else the smallest integer.
std::optional<double> divisor_of(const Members& members) {
  double least = 0;
  double below = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < members[0].column->logarithms.size(); ++row) {
    const auto [x, y] = step_in_row(members, row);
    least = std::max(least, x / y);
    if (y > 1)
      below = std::min(below, x / (y - 1));
    if (least >= below)
      return std::nullopt;
  }
  if (members.size() > 2)
    return 1;
  for (const double k : {least, std::exp2(std::ceil(std::log2(least))), std::ceil(least)})
    if (k == std::round(k) && k < below)
      return k;
  return least;
}

/// The tie by which the first member follows from the others in steps, if it does.
std::optional<Tie> step_of(const Members& members) {
  Tie step{{}, members[0].column->name()};
  bool has_scale = false;
  for (std::size_t i = 1; i < members.size(); ++i) {
    step.factors.push_back({members[i].column->name(), members[i].power});
    has_scale = has_scale || members[i].column->part->part == Part::extrinsic;
  }
  const auto divisor = has_scale ? divisor_of(members) : std::nullopt;
  if (!divisor)
    return std::nullopt;
  const std::size_t different = combinations(members);
  if (different < 2 * members.size() ||
      different <= distinct_values(*members[0].column->part->column))
    return std::nullopt;
  step.divisor = *divisor;
  bool rounds = false;  // false: it is the product itself
  for (std::size_t row = 0; row < members[0].column->logarithms.size(); ++row) {
    const auto [x, y] = step_in_row(members, row);
    if (std::ceil(x / *divisor * (1 - kOfWholeNumbers)) != y)
      return std::nullopt;
    rounds = rounds || x / *divisor < y * (1 - kOfWholeNumbers);
  }
  return rounds ? std::optional(step) : std::nullopt;
}

std::optional<Tie> find_step(const std::vector<LogColumn>& columns) {
  for (const std::size_t size : {std::size_t{2}, std::size_t{3}, std::size_t{4}})
    for (const LogColumn& column : columns)
      if (size < 4 || columns.size() <= kMostColumnsOfFour)
        if (auto found = find_product(columns, {size, size}, {{&column, 1}}, step_of))
          return found;
  return std::nullopt;
}

}  // namespace

std::vector<Tie> find_steps(const std::vector<ColumnPart>& parts) {
  std::vector<LogColumn> columns = log_columns(underived_numbers(parts));
  std::erase_if(columns, [](const LogColumn& column) { return !column.is_whole(); });
  if (!find_step(columns))
    return {};  // most tables are done here
  // Nodes and racks should both be steps in the GPUs.
  std::ranges::stable_sort(columns, std::greater(), &LogColumn::values);
  std::vector<Tie> steps;
  while (auto found = find_step(columns)) {
    std::erase_if(columns, [&](const LogColumn& column) { return column.name() == found->column; });
    steps.push_back(*std::move(found));
  }
  return steps;
}

namespace {

constexpr double kAgreement = 0.01;          // of a law, in every row
constexpr std::size_t kFewestRowsOfLaw = 5;  // four columns fit fewer rows by chance

/// The law x = time^+-1 times up to two of the other columns, if it holds.
std::optional<std::string> law_of(const LogColumn& x, const LogColumn& time,
                                  const std::vector<LogColumn>& inputs) {
  const auto law = [&](const Members& members) -> std::optional<std::string> {
    if (!is_same_everywhere(members, kAgreement))
      return std::nullopt;
    std::vector<Factor> named;
    for (const SignedColumn& factor : std::span(members).subspan(2))
      named.push_back({factor.column->name(), factor.power});
    named.push_back({time.name(), members[1].power});
    return product_text(named);
  };
  for (const int of_time : {-1, 1})
    if (auto found = find_product(inputs, {2, 4}, {{&x, -1}, {&time, of_time}}, law))
      return found;
  return std::nullopt;
}

}  // namespace

std::string law_of_sum(const ColumnPart& x, const std::vector<const ColumnPart*>& others) {
  const std::vector<LogColumn> own = log_columns({&x});
  return own.empty() ? std::string() : law_of_sum(own[0], log_columns(others));
}

std::optional<std::string> law_with_target(const ColumnPart& x, const ColumnPart& target,
                                           const std::vector<const ColumnPart*>& factors) {
  const std::vector<LogColumn> time = log_columns({&target});
  const std::vector<LogColumn> own = log_columns({&x});
  if (x.column->numbers.size() < kFewestRowsOfLaw || time.empty() || own.empty() ||
      is_same_everywhere({{&time[0], 1}}, kAgreement))
    return std::nullopt;
  std::vector<const ColumnPart*> others = factors;
  std::erase(others, &x);
  return law_of(own[0], time[0], log_columns(others));
}

std::vector<ColumnPart> numeric_parts(const Table& table, const ModelSpec& spec) {
  std::vector<ColumnPart> parts;
  const auto add = [&](const std::vector<NumericInput>& inputs, Part part) {
    for (const NumericInput& input : inputs) {
      const Column& column = table.at(input.column);
      if (!spec.is_derived(input.column))
        parts.push_back({.column = &column, .part = part, .facts = facts_of(column)});
    }
  };
  add(spec.intrinsic, Part::intrinsic);
  add(spec.extrinsic, Part::extrinsic);
  return parts;
}

bool looks_measured(const Column& column) {
  return (column.unit == "s" || !is_whole(column)) &&
         2 * distinct_values(column) > column.numbers.size();
}

std::vector<LeftOut> inputs_given_by_target(const Table& table, const ModelSpec& spec) {
  const std::vector<ColumnPart> parts = numeric_parts(table, spec);
  const Column& column = table.at(spec.target);
  const ColumnPart target{.column = &column, .part = Part::target, .facts = facts_of(column)};
  const auto factors = mapped(parts, [](const ColumnPart& part) { return &part; });
  std::vector<LeftOut> out;
  for (const ColumnPart& part : parts)
    if (const auto law = part.is_number() && looks_measured(*part.column)
                             ? law_with_target(part, target, factors)
                             : std::nullopt)
      out.push_back({part.column->name, LeftOut::Because::result, *law});
  return out;
}

}  // namespace perfmodel
