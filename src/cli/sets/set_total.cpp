#include "cli/sets/set_total.hpp"

#include <cmath>
#include <map>
#include <vector>

#include "cli/runs/model_sets.hpp"
#include "cli/sets/failed_of_set.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/design/design.hpp"
#include "perfmodel/pipeline/settings.hpp"

namespace perfmodel::cli {
namespace {

/// What a total and its parts have in common: the key without the total's column, and of a total
/// that is a group the target.
std::vector<std::string> family_key(const ModelSetLine& line, const ModelSetHeader& header) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < header.by.size(); ++i)
    if (header.by[i] != header.total->column)
      out.push_back(line.key[i]);
  if (header.total->column)
    out.push_back(line.target);
  return out;
}

/// Rows of a total, where its parts are asked.
struct AskedTotal {
  Table rows;
  std::string unit;
};

/// Nothing where the rows lack what the model needs.
std::optional<double> predicted_sum(const FittedModel& model, const Table& rows) {
  try {
    const double sum = predict(model, make_design(rows, model.spec, Target::absent)).sum();
    return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

class Totals {
 public:
  explicit Totals(const ModelSetHeader& header) : header_(header) {}

  void add(const ModelSetLine& line, Table rows, double time) {
    measured_ += time;
    asked_[family_key(line, header_)] = {std::move(rows), line.model->spec.unit};
  }

  std::size_t size() const { return asked_.size(); }

  std::optional<SetShare> share(const SetLines& set, const std::string& words) const {
    if (asked_.empty() || !(measured_ > 0))
      return std::nullopt;
    SetShare out{0, words, 0};
    double sum = 0;
    set.for_each([&](const ModelSetLine& line) {
      const auto total = asked_.find(family_key(line, header_));
      if (is_total(line, header_) || total == asked_.end())
        return;
      if (!header_.total->column && line.model && line.model->spec.unit != total->second.unit)
        return;  // seconds are no parts of megabytes
      const auto asked = line.model ? predicted_sum(*line.model, total->second.rows) : std::nullopt;
      sum += asked.value_or(0);
      out.without += asked ? 0U : 1U;
    });
    out.percent = 100 * sum / measured_;
    return out;
  }

 private:
  const ModelSetHeader& header_;
  std::map<std::vector<std::string>, AskedTotal> asked_;
  double measured_ = 0;
};

}  // namespace

std::optional<SetShare> share_of_total(const SetLines& set) {
  Totals totals(set.header());
  set.for_each([&](const ModelSetLine& line) {
    if (!is_total(line, set.header()) || !line.model || !line.model->central)
      return;
    if (auto base = central_base(*line.model))
      totals.add(line, std::move(base->table), line.model->central->time);
  });
  const std::string one = "the central run of the total";
  return totals.share(
      set, totals.size() == 1 ? one
                              : "the central runs of " + std::to_string(totals.size()) + " totals");
}

std::optional<SetShare> share_of_total(const SetLines& set, const Table& runs, bool drop_failed) {
  Totals totals(set.header());
  std::size_t rows = 0;
  FailedOfSet failed(drop_failed);
  for_each_with_rows(set, runs, [&](LineRows part) {
    if (!is_total(part.line, set.header()) || !failed.take_away(part))
      return;
    const Design design = make_design(part.table, part.line.model->spec, Target::required);
    rows += design.rows;
    totals.add(part.line, std::move(part.table), design.time.sum());
  });
  return totals.share(set, std::to_string(rows) + " runs");
}

}  // namespace perfmodel::cli
