#include "fit/share/fit_shared.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "fit/sum/fit_multi.hpp"

namespace perfmodel {
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
