#include "model/columns/total_per_worker.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "model/columns/facts/log_columns.hpp"
#include "model/columns/facts/work_names.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/columns/derived.hpp"

namespace perfmodel {
namespace {

bool may_be_total(const std::string& name) {
  return (is_total_name(name) || is_batch_name(name)) && !is_per_something_name(name) &&
         !is_worker_count_name(name);
}

std::vector<double> ratios(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> out;
  std::transform(of.begin(), of.end(), to.begin(), std::back_inserter(out),
                 [](double x, double y) { return x / y; });
  return out;
}

/// Whether two columns are the same but for rounding.
bool is_same_column(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](double x, double y) { return static_cast<float>(x) == static_cast<float>(y); });
}

std::size_t different(const std::vector<double>& values) {
  std::set<float> seen;  // what differs by less is rounding
  for (const double value : values)
    seen.insert(static_cast<float>(value));
  return seen.size();
}

bool is_positive(const Column& column) {
  return column.is_numeric() &&
         std::all_of(
             column.numbers.begin(), column.numbers.end(), [](double x) { return x > 0; });
}

std::vector<const Column*> positive_inputs(const Table& table, const Roles& roles) {
  std::vector<const Column*> out;
  for (const auto* names : {&roles.intrinsic, &roles.extrinsic})
    for (const std::string& name : *names)
      if (is_positive(table.at(name)))
        out.push_back(&table.at(name));
  std::sort(out.begin(), out.end(),
            [](const Column* a, const Column* b) { return a->name < b->name; });
  return out;
}

DerivedColumn derived_of(const TotalPerWorker& found) {
  return make_derived(found.column(), found.total + " / " + found.workers, "");
}

bool has_names_for_formula(const TotalPerWorker& found) {
  try {
    const std::vector<std::string> names = derived_of(found).of;
    return std::set(names.begin(), names.end()) == std::set{found.total, found.workers};
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace

std::optional<TotalPerWorker> find_total_per_worker(const Table& table, const Roles& roles) {
  const std::vector<const Column*> inputs = positive_inputs(table, roles);
  std::optional<TotalPerWorker> out;
  for (const Column* total : inputs) {
    for (const Column* workers : inputs) {
      if (!may_be_total(total->name) || !is_worker_count_name(workers->name) ||
          !total->formula.empty() || !workers->formula.empty())
        continue;
      const std::vector<double> each = ratios(total->numbers, workers->numbers);
      const TotalPerWorker found{total->name, workers->name, different(total->numbers),
                                 different(each)};
      const bool is_input = std::any_of(inputs.begin(), inputs.end(), [&](const Column* input) {
        return is_same_column(input->numbers, each);
      });
      if (3 * found.per_worker <= 2 * found.values && !is_input &&
          table.find(found.column()) == nullptr && has_names_for_formula(found) &&
          (!out || found.per_worker < out->per_worker))
        out = found;
    }
  }
  return out;
}

void count_total_per_worker(Table& table, Roles& roles) {
  const auto found = find_total_per_worker(table, roles);
  if (!found)
    return;
  roles.derived.push_back(derived_of(*found));
  table = with_derived_columns(table, roles.derived);
  for (auto* names : {&roles.intrinsic, &roles.extrinsic})
    std::replace(names->begin(), names->end(), found->total, found->column());
  roles.notices.push_back("Column '" + found->total + "' counts per '" + found->workers +
                          "', as it was set: " + std::to_string(found->per_worker) +
                          " different values in place of " + std::to_string(found->values) + ". " +
                          Field{"keep_totals"} + " leaves it as it is.");
}

}  // namespace perfmodel
