#include "cli/runs/set_total.hpp"

#include <cmath>

#include "cli/runs/model_sets.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/model/design/design.hpp"
#include "perfmodel/pipeline/settings.hpp"

namespace perfmodel::cli {
namespace {

/// Sums over totals.
struct Sums {
  double measured = 0;
  double predicted = 0;
  std::size_t totals = 0;
  std::size_t rows = 0;
  std::size_t without = 0;

  /// Of these rows, whose times are given.
  void add(const Table& rows_of_total, const Eigen::VectorXd& times,
           const std::vector<const ModelSetLine*>& parts) {
    measured += times.sum();
    ++totals;
    rows += static_cast<std::size_t>(times.size());
    for (const ModelSetLine* part : parts) {
      const auto asked = part->model ? asked_at(*part->model, rows_of_total) : std::nullopt;
      predicted += asked.value_or(0);
      without += asked ? 0U : 1U;
    }
  }

  std::optional<SetShare> share(const std::string& words) const {
    if (totals == 0 || !(measured > 0))
      return std::nullopt;
    return SetShare{100 * predicted / measured, words, without};
  }

 private:
  /// Nothing where the rows lack what the model needs.
  static std::optional<double> asked_at(const FittedModel& model, const Table& rows) {
    try {
      const double sum = predict(model, make_design(rows, model.spec, Target::absent)).sum();
      return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
    } catch (const Error&) {
      return std::nullopt;
    }
  }
};

}  // namespace

std::vector<const ModelSetLine*> parts_of_total(const ModelSetLine& total, const ModelSet& set) {
  const ModelSetHeader& header = set.header;
  const bool of_targets = !header.total->column;
  const auto differs = [&](const ModelSetLine& line, std::size_t i) {
    return line.key[i] != total.key[i] && header.by[i] != header.total->column;
  };
  std::vector<const ModelSetLine*> out;
  for (const ModelSetLine& line : set.lines) {
    bool is_part = !is_total(line, header) && (of_targets || line.target == total.target);
    for (std::size_t i = 0; i < header.by.size() && is_part; ++i)
      is_part = !differs(line, i);
    const bool other_unit =
        of_targets && line.model && total.model && line.model->spec.unit != total.model->spec.unit;
    if (is_part && !other_unit)
      out.push_back(&line);
  }
  return out;
}

std::optional<SetShare> share_of_total(const ModelSet& set) {
  Sums sums;
  for (const ModelSetLine& line : set.lines) {
    if (!is_total(line, set.header) || !line.model || !line.model->central)
      continue;
    const auto base = central_base(*line.model);
    const Eigen::VectorXd time = Eigen::VectorXd::Constant(1, line.model->central->time);
    if (base)
      sums.add(base->table, time, parts_of_total(line, set));
  }
  return sums.share("the central run" + (sums.totals == 1
                                             ? std::string(" of the total")
                                             : "s of " + std::to_string(sums.totals) + " totals"));
}

std::optional<SetShare> share_of_total(const ModelSet& set, const Table& runs) {
  Sums sums;
  for (const LineRows& rows : rows_of_lines(set, runs)) {
    if (!is_total(*rows.line, set.header))
      continue;
    const Design design = make_design(rows.table, rows.line->model->spec, Target::required);
    sums.add(rows.table, design.time, parts_of_total(*rows.line, set));
  }
  return sums.share(std::to_string(sums.rows) + " runs");
}

}  // namespace perfmodel::cli
