#include "fit/shared_form.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit_multi.hpp"
#include "fit/sum_terms.hpp"
#include "fit/term_choice.hpp"
#include "fit/term_search.hpp"
#include "forms/form.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// A form with the coordinates of its common constants.
struct FoundForm {
  SharedForm form;
  SumShape shape;
  double ridge;
  Eigen::VectorXd theta;
};

/// The sums of a candidate with 1, 2, ... terms, without C and with it, where the levels of a
/// column are groups that share the rest.
std::vector<FoundForm> forms_of(const SelectionTask& task, std::size_t column,
                                const Candidate& chosen);

/// What a form would be, had this group not been there.
SharedForm form_without(const SelectionTask& task, std::size_t column, std::size_t level,
                        const FoundForm& found);

namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::size_t kIterationsWithout = 20;

/// Of the levels of the column, their typical factor: a group that is none of them has it.
void forget_levels(const ModelSpec& spec, std::size_t column, SharedForm& form) {
  const CategoricalInput& input = spec.categorical[column];
  for (std::size_t k = 1; k <= form.terms; ++k) {
    const std::string term = std::to_string(k);
    double sum = 0;
    for (const std::string& level : input.levels) {
      const auto factor = form.constants.find("g[" + term + "," + input.column + "=" + level + "]");
      sum += std::log(factor->second);
      form.constants.erase(factor);
    }
    form.constants["a[" + term + "]"] *= std::exp(sum / static_cast<double>(input.levels.size()));
  }
}

SharedForm form_of(const SelectionTask& task, std::size_t column, const SumShape& shape,
                   const VectorXd& theta) {
  SharedForm out = shared_form_of(task, shape, theta);
  forget_levels(task.spec, column, out);
  return out;
}

}  // namespace

std::vector<FoundForm> forms_of(const SelectionTask& task, std::size_t column,
                                const Candidate& chosen) {
  std::vector<FoundForm> out;
  SumShape shape = chosen.shape;
  shape.caps.clear();
  shape.shared.clear();
  std::vector<SumFit> paths[2];
  for (const bool intercept : {false, true}) {
    shape.intercept = intercept;
    extend_path(task.coordinates.data(shape), shape, fold_search(task.options, chosen.ridge),
                paths[intercept ? 1 : 0]);
  }
  for (Index terms = 1; terms <= shape.terms; ++terms) {
    for (const bool intercept : {false, true}) {
      SumShape own = with_terms(shape, terms);
      own.intercept = intercept;
      VectorXd theta = paths[intercept ? 1 : 0][static_cast<std::size_t>(terms - 1)].theta;
      SharedForm form = form_of(task, column, own, theta);
      out.push_back({std::move(form), std::move(own), chosen.ridge, std::move(theta)});
    }
  }
  return out;
}

SharedForm form_without(const SelectionTask& task, std::size_t column, std::size_t level,
                        const FoundForm& found) {
  const TermData all = task.coordinates.data(found.shape);
  std::vector<Index> others;
  for (Index row = 0; row < all.rows(); ++row)
    if (task.training.categorical[column]
            .codes[task.coordinates.order()[static_cast<std::size_t>(row)]] != level)
      others.push_back(row);
  const TermData data = take_rows(all, others);
  const VectorXd theta =
      descend(data, found.shape, robust_loss(data, found.shape, found.ridge), found.theta,
              {.iterations = kIterationsWithout,
               .held = found.shape.held(),
               .instructions = task.options.instructions,
               .stop = task.options.stop})
          .theta;
  SharedForm out = form_of(task, column, found.shape, theta);
  out.pull = found.form.pull;
  out.size_pull = found.form.size_pull;
  return out;
}

namespace {

using Eigen::ArrayXd;

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

namespace {

constexpr double kLeastShareOfTime = 0.1;

/// The shape of the form for the columns of a task; what it says of others plays no part.
SumShape shape_of_form(const SelectionTask& task, const SharedForm& form) {
  SumShape out;
  out.terms = index(form.terms);
  out.plain_features = task.coordinates.plain_features();
  out.numeric_features = task.coordinates.numeric_features();
  for (std::size_t g = 0; g < task.coordinates.regimes().size(); ++g)
    out.regimes.push_back(index(g));
  out.intercept = form.intercept;
  out.pure_logarithms = form.pure_logarithms;
  const std::size_t columns = numeric_count(task.spec);
  out.log_powers.assign(form.terms, std::vector<int>(columns, 0));
  out.left_out.resize(form.left_out.size());
  for (std::size_t n = 0; n < columns; ++n) {
    const std::string& column = numeric_input(task.spec, n).column;
    const auto has = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), column) != names.end();
    };
    if (has(form.rings) && is_count(numeric_factor(task.training, n), task.training.rows))
      out.rings.push_back(n);
    for (std::size_t k = 0; k < form.left_out.size(); ++k)
      if (has(form.left_out[k]))
        out.left_out[k].push_back(n);
    for (std::size_t k = 0; k < form.log_powers.size(); ++k)
      if (const auto power = form.log_powers[k].find(column); power != form.log_powers[k].end())
        out.log_powers[k][n] = power->second;
  }
  return out;
}

/// A column may be intrinsic in one group and a scale in another.
std::string other_name(std::string name) {
  if (name.starts_with("p["))
    name.front() = 'q';
  else if (name.starts_with("q["))
    name.front() = 'p';
  return name;
}

/// The common constants as coordinates of a task, moved to the typical time of its rows.
VectorXd common_theta(const SelectionTask& task, const SharedForm& form, const SumShape& shape,
                      const TermData& data) {
  const MultiStructure structure = task.coordinates.structure(shape);
  const MultiLayout layout(task.spec, structure);
  VectorXd constants(index(layout.size()));
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const std::string& name = layout.name(i);
    const bool is_power = name.starts_with("p[") || name.starts_with("q[");
    auto known = form.constants.find(name);
    if (known == form.constants.end() && is_power)
      known = form.constants.find(other_name(name));
    constants[index(i)] = known != form.constants.end() ? known->second : is_power ? 0 : 1;
  }
  VectorXd out = task.coordinates.theta(shape, constants);
  const VectorXd total = evaluate_sum(data, shape, out).total;
  const double shift = (data.time.array() / total.array()).log().mean();
  // What others have next to nothing of: no descent of its logarithm would lead away from there.
  const double least = std::log(kLeastShareOfTime * data.time.minCoeff());
  for (Index k = 0; k < shape.terms; ++k) {
    double& size = out[k * shape.features()];
    size = std::max(size + shift, least);
  }
  if (shape.intercept)
    out[out.size() - 1] = std::max(out[out.size() - 1] + shift, least);
  return out;
}

}  // namespace

SharedForm shared_form_of(const SelectionTask& task, const SumShape& shape,
                          const Eigen::VectorXd& theta) {
  SharedForm out;
  out.terms = static_cast<std::size_t>(shape.terms);
  out.intercept = shape.intercept;
  out.pure_logarithms = shape.pure_logarithms;
  const auto column = [&](std::size_t n) { return numeric_input(task.spec, n).column; };
  for (const std::size_t n : shape.rings)
    out.rings.push_back(column(n));
  out.log_powers.resize(out.terms);
  out.left_out.resize(out.terms);
  for (std::size_t k = 0; k < out.terms; ++k) {
    for (std::size_t n = 0; n < numeric_count(task.spec); ++n) {
      if (n < shape.log_powers[k].size() && shape.log_powers[k][n] != 0)
        out.log_powers[k][column(n)] = shape.log_powers[k][n];
      if (shape.leaves_out(index(k), n))
        out.left_out[k].push_back(column(n));
    }
  }
  const VectorXd constants = task.coordinates.constants(shape, theta);
  const MultiLayout layout(task.spec, task.coordinates.structure(shape));
  for (std::size_t i = 0; i < layout.size(); ++i)
    if (shape.intercept || i != layout.intercept())
      out.constants[layout.name(i)] = constants[index(i)];
  return out;
}

SumOfTerms search_shared_sum(const SelectionTask& task, const SharedForm& form) {
  const SumShape shape = shape_of_form(task, form);
  const TermData data = task.coordinates.data(shape);
  const double rows = static_cast<double>(data.rows());
  VectorXd penalties = VectorXd::Constant(shape.size(), form.pull / rows);
  for (Index k = 0; k < shape.terms; ++k)
    penalties[k * shape.features()] = form.size_pull / rows;
  if (shape.intercept)
    penalties[shape.size() - 1] = form.size_pull / rows;
  const SumFit found = approach_near(data, shape, task.options, std::move(penalties),
                                     common_theta(task, form, shape, data));
  return {task.coordinates.structure(shape),
          task.coordinates.constants(shape, found.theta),
          found.evaluations,
          found.gap,
          {std::nullopt, {{.ridge = 0, .intercept = shape.intercept}}}};
}

namespace {

constexpr std::size_t kRowsOfSharedChoice = 500;
constexpr std::size_t kFewestJudging = 2;
/// From next to no pull, as if every group were alone, to next to no freedom.
constexpr std::array kPulls = {0.01, 0.1, 1.0, 10.0};
constexpr std::array kSizePulls = {0.01, 0.1, 1.0};
/// A further term has to gain more than so many standard errors, as the groups scatter.
constexpr double kClearlyBetter = 1;

/// Each level's typical time is 1.
Design relative_to_typical(Design runs, std::size_t column) {
  const LevelFactor& factor = runs.categorical[column];
  std::vector<double> sums(factor.levels, 0);
  std::vector<double> rows(factor.levels, 0);
  for (std::size_t row = 0; row < runs.rows; ++row) {
    sums[factor.codes[row]] += std::log(runs.time[index(row)]);
    rows[factor.codes[row]] += 1;
  }
  for (std::size_t row = 0; row < runs.rows; ++row)
    runs.time[index(row)] *= std::exp(-sums[factor.codes[row]] / rows[factor.codes[row]]);
  return runs;
}

class SharedChoice {
 public:
  SharedChoice(const SelectionTask& task, std::size_t column, const std::vector<std::size_t>& sizes)
      : task_(task) {
    // All of them would take long; between the smallest and the largest there is no other best.
    std::vector<std::size_t> ends{sizes.front()};
    if (sizes.size() > 1)
      ends.push_back(sizes.back());
    for (std::size_t level = 0; level < task.training.categorical[column].levels; ++level) {
      groups_.push_back(std::make_unique<JudgedGroup>(
          runs_of_level(task.spec, task.training, column, level), ends, task.options));
      if (!groups_.back()->judges())
        groups_.pop_back();
    }
  }

  /// The first that no later one is clearly better than.
  FoundForm best(std::vector<FoundForm> found) const {
    std::size_t out = 0;
    VectorXd least;
    for (std::size_t f = 0; f < found.size(); ++f) {
      found[f].form = with_pulls(found[f].form);
      const VectorXd own = errors(found[f].form);
      if (f == 0 || is_clearly_above_zero(least - own)) {
        least = own;
        out = f;
      }
    }
    return found[out];
  }

 private:
  const SelectionTask& task_;
  std::vector<std::unique_ptr<JudgedGroup>> groups_;

  static bool is_clearly_above_zero(const VectorXd& gain) {
    if (gain.size() == 0)
      return false;
    const double count = std::max(2.0, static_cast<double>(gain.size()));
    const double scatter =
        std::sqrt((gain.array() - gain.mean()).square().sum() / (count * (count - 1)));
    return gain.mean() > kClearlyBetter * scatter;
  }

  /// By group.
  VectorXd errors(const SharedForm& form) const {
    VectorXd out = VectorXd::Zero(index(groups_.size()));
    parallel_for(groups_.size(), task_.options.threads, [&](std::size_t g) {
      if (!task_.options.stop.stop_requested())
        out[index(g)] = groups_[g]->error(form);
    });
    return out;
  }

  /// First that of the powers, then that of the sizes.
  SharedForm with_pulls(SharedForm form) const {
    const auto settle = [&](double SharedForm::*pull, const auto& values) {
      double least = std::numeric_limits<double>::infinity();
      double best = form.*pull;
      for (const double value : values) {
        form.*pull = value;
        if (const double score = errors(form).sum(); score < least) {
          least = score;
          best = value;
        }
      }
      form.*pull = best;
    };
    form.size_pull = kSizePulls[1];
    settle(&SharedForm::pull, kPulls);
    settle(&SharedForm::size_pull, kSizePulls);
    return form;
  }
};

/// What groups of that size say.
std::optional<SharedLead> lead_of(std::size_t rows, const std::vector<GroupLead>& groups) {
  const auto count = static_cast<double>(groups.size());
  if (groups.size() < kFewestJudging)
    return std::nullopt;
  double mean = 0;
  double noise = 0;
  for (const GroupLead& group : groups) {
    mean += group.mean / count;
    noise += group.variance / count;
  }
  double variance = 0;
  for (const GroupLead& group : groups)
    variance += (group.mean - mean) * (group.mean - mean) / (count - 1);
  return SharedLead{rows, mean, std::sqrt(std::max(0.0, variance - noise)), groups.size()};
}

/// The form beside forms of their own, for groups of each size, each judged by what the others say.
std::vector<SharedLead> leads_of(const SelectionTask& task, std::size_t column,
                                 const std::vector<std::size_t>& sizes, const FoundForm& found,
                                 OwnFit own) {
  const std::size_t levels = task.training.categorical[column].levels;
  std::vector<std::vector<std::optional<GroupLead>>> of_group(levels);
  parallel_for(levels, task.options.threads, [&](std::size_t level) {
    const JudgedGroup group(runs_of_level(task.spec, task.training, column, level), sizes,
                            task.options);
    if (!group.judges() || task.options.stop.stop_requested())
      return;
    const SharedForm form = form_without(task, column, level, found);
    for (const std::size_t size : sizes)
      of_group[level].push_back(group.lead(form, own, size));
  });
  std::vector<SharedLead> out;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::vector<GroupLead> groups;
    for (const auto& leads : of_group)
      if (s < leads.size() && leads[s])
        groups.push_back(*leads[s]);
    if (const auto lead = lead_of(sizes[s], groups))
      out.push_back(*lead);
  }
  return out;
}

}  // namespace

SharedForm choose_shared_form(const ModelSpec& spec, const Design& runs, std::size_t column,
                              const std::vector<std::size_t>& sizes, const FitOptions& options,
                              OwnFit own) {
  const Design relative = relative_to_typical(runs, column);
  const ModelSpec counted = with_zeros_counted(spec, relative, options.seed);
  const TermCoordinates coordinates(counted, relative, zero_regimes(counted));
  const SelectionTask task{coordinates, counted, relative, options};
  Candidate chosen = select_shape_of_level(
                         task, make_folds(coordinates, counted, kRowsOfSharedChoice, options.seed))
                         .chosen;
  if (!is_sum(chosen))
    chosen.shape = plain_shape(task, 1, false);
  Candidate plain = chosen;  // logarithms and rings have to pay for every group
  plain.shape = plain_shape(task, chosen.shape.terms, false);
  std::vector<FoundForm> forms = forms_of(task, column, plain);
  if (!same_family(plain, chosen))
    for (FoundForm& form : forms_of(task, column, chosen))
      forms.push_back(std::move(form));
  const FoundForm best = SharedChoice(task, column, sizes).best(std::move(forms));
  SharedForm out = best.form;
  out.groups = counted.categorical[column].levels.size();
  out.rows = runs.rows;
  out.leads = leads_of(task, column, sizes, best, own);
  return out;
}

namespace {

/// Held-out rows of fewer say next to nothing.
constexpr std::size_t kFewestOfOwn = 10;
/// Groups agree where their mean is so many times their scatter away from 0, and where they scatter
/// so little that nothing depends on it.
constexpr double kAgree = 2;
constexpr double kLittleScatter = 0.1;

bool agree(const SharedLead& others) {
  return others.scatter <= kLittleScatter || std::abs(others.mean) >= kAgree * others.scatter;
}

/// By more than what another draw of groups could turn round: what it is compared with is what the
/// group would have otherwise.
bool is_clearly_better(const SharedLead& others) {
  return others.mean < -others.scatter / std::sqrt(static_cast<double>(others.groups));
}

/// Between two sizes as the logarithm of the rows goes.
std::optional<SharedLead> lead_at(const SharedForm& form, std::size_t rows) {
  const std::vector<SharedLead>& leads = form.leads;
  if (leads.empty())
    return std::nullopt;
  const auto above = std::find_if(leads.begin(), leads.end(),
                                  [&](const SharedLead& lead) { return lead.rows >= rows; });
  if (above == leads.end())
    return leads.back();
  if (above == leads.begin())
    return leads.front();
  const SharedLead& below = *(above - 1);
  const auto ln = [](std::size_t count) { return std::log(static_cast<double>(count)); };
  const double share = (ln(rows) - ln(below.rows)) / (ln(above->rows) - ln(below.rows));
  return SharedLead{rows, std::lerp(below.mean, above->mean, share),
                    std::lerp(below.scatter, above->scatter, share),
                    std::min(below.groups, above->groups)};
}

FormSharing judged_sharing(const ModelSpec& spec, const Design& training, const FitOptions& options,
                           OwnFit own) {
  const std::optional<SharedLead> others = lead_at(*options.shared_form, training.rows);
  if (!others)
    return {};
  FormSharing out{.shared = is_clearly_better(*others), .by_own_rows = false, .lead = others->mean};
  if (training.rows < kFewestOfOwn || agree(*others))
    return out;
  FitOptions alone = options;
  alone.shared_form = nullptr;
  const JudgedGroup group({spec, training}, {training.rows}, alone);
  const std::optional<GroupLead> seen = group.lead(*options.shared_form, own, training.rows);
  if (!seen)
    return out;
  const double of_others = seen->variance / (seen->variance + others->scatter * others->scatter);
  out.lead = std::lerp(seen->mean, others->mean, of_others);
  return {.shared = out.lead < 0, .by_own_rows = true, .lead = out.lead};
}

}  // namespace

FittedModel fit_shared(const ModelSpec& spec, const Design& training, const FitOptions& options,
                       OwnFit own) {
  const FormSharing sharing = judged_sharing(spec, training, options, own);
  FitOptions alone = options;
  alone.shared_form = nullptr;
  FittedModel model =
      sharing.shared ? fit_shared_sum(spec, training, options) : own(spec, training, alone);
  model.search.sharing = sharing;
  return model;
}

}  // namespace perfmodel
