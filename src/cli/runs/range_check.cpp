#include "cli/runs/range_check.hpp"

#include <string>

#include "base/text.hpp"
#include "cli/options/option_set.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {

Option add_strict_range(OptionSet& app, bool& strict) {
  return app.add_flag("--strict-range", strict,
                      "refuse configurations outside of what was measured\n"
                      "(exit code 3) where otherwise a warning is given");
}

void report_range(const RangeCheck& check, bool strict, Console& console) {
  if (strict && !check.findings.empty())
    throw InputError("--strict-range: " + joined(check.findings, "; "));
  const std::string end = check.in_range.size() == 1 ? ": the prediction is extrapolated"
                                                     : ": the predictions there are extrapolated";
  for (const auto& finding : check.findings)
    console.warning(finding + end);
}

}  // namespace perfmodel::cli
