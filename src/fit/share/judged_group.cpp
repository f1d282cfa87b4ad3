#include "fit/share/judged_group.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/index.hpp"
#include "base/random.hpp"
#include "fit/result/form.hpp"
#include "fit/sum/choose/held_out_errors.hpp"
#include "fit/sum/choose/selection.hpp"
#include "fit/sum/shared_sum.hpp"
#include "fit/sum/terms/regimes.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kMostRowsOfJudged = 300;
/// A group stands for another size where its training rows are this share of the latter's.
constexpr double kShareOfSize = 0.7;
/// Random parts are taken until so many rows are held out: those of small groups all.
constexpr std::size_t kEnoughHeldOut = 15;

std::vector<Index> drawn_rows(std::vector<Index> rows, std::size_t count, std::uint64_t seed,
                              std::size_t fold) {
  if (count < rows.size()) {
    RandomStream random(seed, "rows of a small group", fold);
    random.shuffle(std::span(rows));
    rows.resize(count);
    std::sort(rows.begin(), rows.end());
  }
  return rows;
}

/// ln(predicted / measured)^2, of errors as large as can be compared.
ArrayXd squares(const VectorXd& predicted, const VectorXd& measured) {
  ArrayXd out(predicted.size());
  for (Index row = 0; row < out.size(); ++row) {
    const double error = std::abs(std::log(predicted[row] / measured[row]));
    out[row] = error < kLargestError ? error * error : kLargestError * kLargestError;
  }
  return out;
}

}  // namespace

JudgedGroup::Part::Part(const ModelSpec& spec, std::size_t of, bool far, Design fitted,
                        Design judged)
    : size(of),
      far_end(far),
      training(std::move(fitted)),
      held_out(std::move(judged)),
      coordinates(spec, training, zero_regimes(spec)) {}

JudgedGroup::JudgedGroup(LevelRuns runs, const std::vector<std::size_t>& sizes,
                         const FitOptions& options)
    : options_(options), runs_(std::move(runs)) {
  const TermCoordinates coordinates(runs_.spec, runs_.training, zero_regimes(runs_.spec));
  const SelectionTask task{coordinates, runs_.spec, runs_.training, options_};
  const std::vector<Fold> folds =
      make_folds(coordinates, runs_.spec, kMostRowsOfJudged, options_.seed);
  for (const std::size_t size : sizes) {
    const auto wanted = static_cast<double>(std::min(size, kMostRowsOfJudged));
    std::size_t judged = 0;
    for (std::size_t f = 0; f < folds.size(); ++f) {
      const Fold& fold = folds[f];
      const auto rows = static_cast<double>(fold.training.size());
      if (rows < kShareOfSize * wanted || (!fold.far_end() && judged >= kEnoughHeldOut))
        continue;
      judged += fold.held_out.size();
      parts_.push_back(
          std::make_unique<Part>(runs_.spec, size, fold.far_end(),
                                 design_of(task, drawn_rows(fold.training, size, options_.seed, f)),
                                 design_of(task, fold.held_out)));
    }
  }
}

VectorXd JudgedGroup::shared_prediction(const Part& part, const SharedForm& form) const {
  const SumOfTerms found =
      search_shared_sum({part.coordinates, runs_.spec, part.training, options_}, form);
  return predict_multi(runs_.spec, found.structure, found.constants, part.held_out);
}

double JudgedGroup::error(const SharedForm& form) const {
  double sum = 0;
  for (const auto& part : parts_)
    sum += held_out_error(part->held_out.time, shared_prediction(*part, form));
  return sum / static_cast<double>(parts_.size());
}

std::optional<GroupLead> JudgedGroup::lead(const SharedForm& form, OwnFit own,
                                           std::size_t size) const {
  std::vector<double> differences;
  std::vector<double> sums;
  for (const auto& part : parts_) {
    if (part->size != size || part->far_end)
      continue;
    try {
      FittedModel model = own(runs_.spec, part->training, options_);
      model.form->settle_unseen_levels(part->training, model);
      const ArrayXd alone = squares(predict(model, part->held_out), part->held_out.time);
      const ArrayXd shared = squares(shared_prediction(*part, form), part->held_out.time);
      for (Index row = 0; row < alone.size(); ++row) {
        differences.push_back(shared[row] - alone[row]);
        sums.push_back(shared[row] + alone[row]);
      }
    } catch (const InputError&) {
      return std::nullopt;
    }
  }
  const auto count = static_cast<double>(sums.size());
  const ArrayXd all = Eigen::Map<const ArrayXd>(sums.data(), index(sums.size()));
  const ArrayXd gaps = Eigen::Map<const ArrayXd>(differences.data(), index(sums.size()));
  const double total = all.sum();
  if (count < 2 || !(total > 0))
    return std::nullopt;
  const double mean = gaps.sum() / total;
  const double scatter = (gaps - mean * all).square().sum() / (total * total);
  return GroupLead{mean, scatter * count / (count - 1)};
}

}  // namespace perfmodel
