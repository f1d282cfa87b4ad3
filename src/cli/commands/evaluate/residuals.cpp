#include "cli/commands/evaluate/residuals.hpp"

#include <string>

#include "base/text.hpp"
#include "io/documents/evaluation_json.hpp"

namespace perfmodel::cli {

void write_residuals(const JudgedRuns& runs, const std::optional<ProcessReach>& reach,
                     OutputFile& output) {
  output.write("line,measured,predicted,error,error_percent" +
               std::string(reach ? ",support\n" : "\n"));
  for (std::size_t row = 0; row < runs.lines.size(); ++row) {
    const auto index = static_cast<Eigen::Index>(row);
    const double measured = runs.design.time[index];
    const double predicted = runs.predicted[index];
    const double error = predicted - measured;
    output.write(std::to_string(runs.lines[row]) + "," + to_text(measured) + "," +
                 to_text(predicted) + "," + to_text(error) + "," + to_text(100 * error / measured) +
                 (reach ? "," + std::string(support_text(reach->near[row])) : "") + "\n");
  }
}

}  // namespace perfmodel::cli
