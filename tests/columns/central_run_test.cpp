#include "perfmodel/design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;

namespace {

test::PaperRuns central_runs(const std::string& csv) {
  const Table table = test::table_of(csv);
  RoleRequest request;
  if (table.find("job") != nullptr) {
    request.intrinsic = {"pad", "width"};
    request.categorical = {"job"};
  }
  return test::runs_of(table, request);
}

struct CentralRow {
  double pad;
  double width;
  std::string job;
  double gpus;
  double time;
};

/// Columns in one of two orders; every number but `pad`, which may be 0, in other units.
std::string csv_of_rows(const std::vector<CentralRow>& rows, bool reversed, double unit) {
  std::string csv = reversed ? "time_s,gpus,job,width,pad\n" : "pad,width,job,gpus,time_s\n";
  for (const CentralRow& row : rows) {
    const std::vector<std::string> cells = {std::to_string(row.pad * unit),
                                            std::to_string(row.width * unit), row.job,
                                            std::to_string(row.gpus), std::to_string(row.time)};
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
      line += (i == 0 ? "" : ",") + cells[reversed ? cells.size() - 1 - i : i];
    csv += line + "\n";
  }
  return csv;
}

std::vector<CentralRow> random_rows(std::size_t count) {
  RandomStream random(7, "central runs");
  std::vector<CentralRow> rows;
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back({double(random.below(3)), double(16 + random.below(2000)),
                    random.below(3) == 0 ? "a" : "b", double(1 + random.below(32)),
                    double(1 + random.below(100)) / 64});
  return rows;
}

/// The sum of distances of every row to all, pair by pair; the smallest value of `pad` above 0 is
/// 1.
std::size_t medoid_of_pairs(const std::vector<CentralRow>& rows) {
  const auto logs = [&](const CentralRow& row) {
    return std::vector<double>{std::log(1 + row.pad), std::log(row.width), std::log(row.gpus)};
  };
  std::vector<double> deviation(3);
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0;
    double squares = 0;
    for (const CentralRow& row : rows) {
      sum += logs(row)[c];
      squares += logs(row)[c] * logs(row)[c];
    }
    const double n = double(rows.size());
    deviation[c] = std::sqrt(squares / n - sum / n * (sum / n));
  }
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0;
    for (const CentralRow& other : rows) {
      for (std::size_t c = 0; c < 3; ++c)
        sum += std::abs(logs(rows[i])[c] - logs(other)[c]) / deviation[c];
      sum += rows[i].job == other.job ? 0 : 1;
    }
    if (sum < least * (1 - 1e-12)) {
      least = sum;
      best = i;
    }
  }
  return best;
}

}  // namespace

TEST_CASE(
    "the central row is the medoid of all rows, in any order of these and of the columns and "
    "in other units",
    "[central]") {
  const std::vector<CentralRow> rows = random_rows(150);
  const test::PaperRuns runs = central_runs(csv_of_rows(rows, false, 1));
  const std::size_t central = central_row(runs.spec, runs.design);
  CHECK(central == medoid_of_pairs(rows));
  std::vector<CentralRow> shuffled = rows;
  std::rotate(shuffled.begin(), shuffled.begin() + 61, shuffled.end());
  std::reverse(shuffled.begin() + 20, shuffled.end());
  const test::PaperRuns others = central_runs(csv_of_rows(shuffled, true, 1024));
  const CentralRow& found = shuffled[central_row(others.spec, others.design)];
  CHECK(found.width == rows[central].width);
  CHECK(found.gpus == rows[central].gpus);
  CHECK(found.time == rows[central].time);
}

TEST_CASE("of equally central rows the smallest counts, of its runs the median time", "[central]") {
  // All corners of a square are as central as each other; (1, 8) was run three times.
  const test::PaperRuns runs = central_runs(
      "gpus,width,time_s\n2,16,1\n2,16,1\n2,16,1\n1,16,2\n1,16,2\n1,16,2\n2,8,3\n2,8,3\n2,8,3\n"
      "1,8,6\n1,8,4\n1,8,5\n");
  CHECK(runs.table.lines[central_row(runs.spec, runs.design)] == 13);
}
