#include "model/columns/left_out/by_products.hpp"

#include <algorithm>
#include <optional>

#include "model/columns/facts/column_part.hpp"
#include "model/columns/facts/log_columns.hpp"
#include "model/columns/facts/well_known_names.hpp"
#include "model/columns/left_out/by_product_names.hpp"

namespace perfmodel {
namespace {

constexpr double kAgreement = 0.01;          // of a law, in every row
constexpr std::size_t kManyValues = 20;      // people set fewer
constexpr std::size_t kFewestRowsOfLaw = 5;  // a product of four columns fits fewer by chance

/// Nobody asked for it, and its name does not make it a scale.
bool may_be_left_out(const ColumnPart& part) {
  return part.is_number() && !part.by_flag && part.column->formula.empty() &&
         part.column->is_numeric() && part.column->bad_cells.empty() && !part.facts.constant &&
         !is_scale_name(part.column->name);
}

bool looks_measured(const Column& column) {
  const std::size_t values = distinct_values(column);
  return values > kManyValues || 2 * values > column.numbers.size();
}

/// x = time^+-1 with up to two of the others beside it.
std::optional<std::string> law_of(const LogColumn& x, const LogColumn& time,
                                  const std::vector<LogColumn>& inputs) {
  const auto law = [&](const std::vector<SignedColumn>& factors) -> std::optional<std::string> {
    std::vector<SignedColumn> product{{&x, -1}};
    product.insert(product.end(), factors.begin(), factors.end());
    if (!is_same_everywhere(product, kAgreement))
      return std::nullopt;
    std::vector<Factor> named;
    for (const SignedColumn& factor : factors)
      named.push_back({factor.column->name(), factor.power});
    return product_text(named);
  };
  for (const int of_time : {-1, 1}) {
    const SignedColumn timed{&time, of_time};
    if (auto found = law({timed}))
      return found;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      for (const int first : {1, -1}) {
        if (inputs[i].part == x.part)
          continue;
        if (auto found = law({{&inputs[i], first}, timed}))
          return found;
        for (std::size_t j = i + 1; j < inputs.size(); ++j)
          for (const int second : {1, -1})
            if (inputs[j].part != x.part)
              if (auto found = law({{&inputs[i], first}, {&inputs[j], second}, timed}))
                return found;
      }
  }
  return std::nullopt;
}

}  // namespace

std::vector<ByProduct> find_by_products(const Table& table, const std::vector<ColumnPart>& parts) {
  std::vector<const ColumnPart*> times;
  std::vector<const ColumnPart*> set;
  std::vector<const ColumnPart*> suspects;
  for (const ColumnPart& part : parts) {
    if (part.part == Part::target)
      times.push_back(&part);
    const bool named = is_by_product_name(part.column->name);
    if (may_be_left_out(part) && (named || !is_whole(*part.column)))
      suspects.push_back(&part);
    if (part.is_number() && part.column->formula.empty() && !named)
      set.push_back(&part);
  }
  const std::vector<LogColumn> time = log_columns(times);
  const std::vector<LogColumn> inputs = log_columns(set);
  const bool time_varies = !time.empty() && !is_same_everywhere({{&time[0], 1}}, kAgreement);
  std::vector<ByProduct> found;
  for (const ColumnPart* part : suspects) {
    const bool named = is_by_product_name(part->column->name);
    const bool measured = looks_measured(*part->column);
    if (!measured && !named)
      continue;
    const std::vector<LogColumn> x = log_columns({part});
    std::optional<std::string> law;
    if (time_varies && !x.empty() && table.rows() >= kFewestRowsOfLaw)
      law = law_of(x[0], time[0], inputs);
    if (law || (named && measured))
      found.push_back({part->column->name, law.value_or("")});
  }
  std::sort(found.begin(), found.end(),
            [](const ByProduct& a, const ByProduct& b) { return a.column < b.column; });
  return found;
}

}  // namespace perfmodel
