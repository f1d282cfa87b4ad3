// The ranking of many models says where it compares them, and predict gives the same there. What it
// says is in tests/transcripts/ranking.md.

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "support/csv_text.hpp"
#include "support/generated_runs.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/property.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Approx;

namespace {

/// A row of a ranking by the headings of its columns.
using RankedRow = std::map<std::string, std::string>;

/// "| a | b |" without the bars.
std::vector<std::string> cells_of_row(const std::string& line) {
  std::vector<std::string> out;
  std::string cell;
  for (std::size_t i = 2; i + 1 < line.size(); ++i)
    if (line.compare(i, 3, " | ") == 0) {
      out.push_back(std::exchange(cell, ""));
      i += 2;
    } else if (line.compare(i, std::string::npos, " |") == 0) {
      break;
    } else if (line[i] != '\\') {
      cell += line[i];
    }
  out.push_back(cell);
  return out;
}

struct Ranking {
  std::string heading;
  std::vector<RankedRow> rows;
};

class RankedGroups : public ProgramTest {
 public:
  /// The ranking of time_s in seconds.
  Ranking ranking() const {
    Ranking out;
    std::vector<std::string> names;
    for (const std::string& line :
         lines_of(run({"report", "all.jsonl", "--format", "md"}).succeeded().output)) {
      if (line.starts_with("**time"))
        out.heading = line;
      else if (line.starts_with("| share"))
        names = cells_of_row(line);
      else if (line.starts_with("| ") && !line.starts_with("| -")) {
        RankedRow& row = out.rows.emplace_back();
        const std::vector<std::string> cells = cells_of_row(line);
        for (std::size_t i = 0; i < names.size(); ++i)
          row[names[i]] = cells.at(i);
      }
    }
    return out;
  }
  /// The predicted times by group.
  std::map<std::string, double> predicted(const std::string& setting) const {
    std::map<std::string, double> out;
    const auto cells = csv_cells(
        run({"predict", "all.jsonl", "--format", "csv", "--set", setting}).succeeded().output);
    for (std::size_t row = 1; row < cells.size(); ++row)
      out[cells[row][0]] = std::stod(cells[row].at(3));
    return out;
  }
};

/// In seconds, whatever the unit of the heading is.
double time_in_row(const RankedRow& row) {
  for (const auto& [unit, factor] : std::map<std::string, double>{
           {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"h", 3600}})
    if (const auto found = row.find("time_s [" + unit + "]"); found != row.end())
      return factor * std::stod(found->second);
  FAIL("no time");
  return 0;
}

}  // namespace

TEST_CASE_METHOD(RankedGroups, "property: the ranking has the times that predict has at its place",
                 "[cli][many][property]") {
  for_each_case(
      "rankings",
      [&](perfmodel::RandomStream& random) {
        std::string text = "g,n,k,batch,time_s\n";
        for (const std::string group : {"a", "b", "c"}) {
          const std::size_t most_n = 1 + random.below(5);
          const std::size_t most_k = 1 + random.below(3);
          const double per_n = random.below(3) == 0 ? 4 : 0;  // batch follows n
          const double first = std::pow(2, random.below(4));
          for (std::size_t i = 0; i < most_n; ++i)
            for (std::size_t j = 0; j < most_k; ++j) {
              const double n = first * std::pow(2, i);
              const double k = std::pow(3, j);
              const double batch = per_n > 0 ? per_n * n : 8 << random.below(3);
              text += csv_row(group, n, k, batch,
                              0.01 * n * std::sqrt(k) * batch * (1 + 0.02 * random.uniform()));
            }
        }
        write("runs.csv", text);
        INFO(text);
        const Words roles = happens(random, 0.5) ? Words{} : Words{"--extrinsic", "n"};
        if (run({"fit", "runs.csv", "--by", "g", "-o", "all.jsonl"}, roles).exit_code != 0)
          return;
        const Ranking here = ranking();
        const std::size_t equals = here.heading.find(" = ");
        if (equals == std::string::npos)
          return;  // no group has a scale
        const std::size_t name = here.heading.find(" at ") + 4;
        const std::string setting =
            here.heading.substr(name, equals - name) + "=" +
            here.heading.substr(equals + 3, here.heading.find_first_of(",;*", equals) - equals - 3);
        const auto times = predicted(setting);
        for (const RankedRow& row : here.rows) {
          CAPTURE(here.heading, row.at("g"));
          CHECK(time_in_row(row) == Approx(times.at(row.at("g"))).epsilon(1e-3));
        }
      },
      20);
}
