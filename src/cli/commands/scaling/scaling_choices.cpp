#include "cli/commands/scaling/scaling_choices.hpp"

#include "base/text.hpp"
#include "model/columns/facts/work_names.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {

double least_efficiency(const ScalingArguments& arguments) {
  constexpr double percent_where_not_given = 50;
  return arguments.least_efficiency.value_or(percent_where_not_given) / 100;
}

std::string choose_column(const std::optional<std::string>& wanted,
                          const std::vector<std::string>& extrinsic) {
  if (wanted)
    return *wanted;
  if (extrinsic.size() != 1) {
    throw UsageError("which column is the scale? Pass --column" +
                     (extrinsic.empty() ? " COL" : ": " + quoted_list(extrinsic)));
  }
  return extrinsic.front();
}

scaling::Kind settle_kind(const ScalingArguments& arguments, const scaling::WorkColumns& columns,
                          ScalingDocument& document, Console& console) {
  const scaling::KindOfWork work = scaling::kind_of_work(columns);
  document.tells_speedup = scaling::counts_workers(columns.scale) || arguments.kind ||
                           arguments.least_efficiency ||
                           (arguments.throughput && !is_batch_name(columns.scale));
  if (arguments.kind) {
    if (*arguments.kind == scaling::Kind::weak && work.holds_all)
      console.warning("--kind weak counts '" + columns.scale + "' times the work, but " +
                      work.because + ": efficiencies come out '" + columns.scale +
                      "' times too large. Leave --kind out, or predict a file of configurations "
                      "whose work grows");
    return *arguments.kind;
  }
  if (!document.tells_speedup) {
    console.notice("'" + columns.scale + "' counts no workers by its name, so no speedup, " +
                   "efficiency or law is told; --kind strong or weak asks for them");
    return scaling::Kind::strong;
  }
  document.kind_because = work.because;
  document.kind_is_open = work.is_open;
  if (work.is_open) {
    console.notice(work.because + ", so strong scaling is assumed; pass --kind weak where each " +
                   "worker's part of the work stays the same");
  }
  return work.kind;
}

}  // namespace perfmodel::cli
