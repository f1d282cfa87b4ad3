#include "roles/cut_runs.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;

namespace {

Table with_limits(const std::string& text, const std::optional<std::string>& limit,
                  const std::string& measured = "time_s") {
  Table table = test::table_of(text);
  set_limits(measured, limit, table);
  return table;
}

std::string refusal_of_limits(const std::string& text, const std::optional<std::string>& limit) {
  return test::message_of([&] { with_limits(text, limit); });
}

}  // namespace

TEST_CASE("exit codes and states become words", "[table][cut]") {
  for (const auto& [status, word] : {std::pair("0", ""),
                                     {"COMPLETED", ""},
                                     {"ok", ""},
                                     {"Success", ""},
                                     {"137", "oom"},
                                     {"124", "timeout"},
                                     {"142", "timeout"},
                                     {"152", "timeout"},
                                     {"1", "failed"},
                                     {"TIMEOUT", "timeout"},
                                     {"time limit", "time_limit"},
                                     {"OUT_OF_MEMORY", "out_of_memory"},
                                     {"killed", "killed"},
                                     {"odd", "failed"},
                                     {"", "failed"}})
    CHECK(failure_of(status) == word);
  CHECK(ran_out_of("DUE TO TIME LIMIT") == RanOutOf::time);
  CHECK(ran_out_of("CUDA OOM") == RanOutOf::memory);
  CHECK(ran_out_of("failed") == RanOutOf::nothing);
  for (const auto& [cell, text] : {std::pair(">3600", "3600"), {"> 2h", "2h"}, {">=5", "5"}})
    CHECK(least_of(cell) == text);
  for (const std::string cell : {"3600", ">", "> much", ""})
    CHECK_FALSE(least_of(cell));
  CHECK(says_failed(">3600"));
}

TEST_CASE("states replace measured cells", "[table][cut]") {
  Table table = test::table_of("time_s,state\n1,0\n2,124\n>3,124\n4,1\n");
  tell_failures("state", "time_s", table);
  const Column& times = table.at("time_s");
  CHECK(times.text(0) == "1");
  CHECK(times.text(1) == "timeout");
  CHECK(times.text(2) == ">3");
  CHECK(times.text(3) == "failed");
  CHECK_THROWS_WITH(tell_failures("exit", "time_s", table), ContainsSubstring("no column 'exit'"));
}

TEST_CASE("limits come from cells, columns and values", "[table][cut]") {
  const std::string text = "time_s,limit_s,wait_ms\n>30,50,50000\n5,40,40000\ntimeout,60,60000\n";
  const Table by_column = with_limits(text, "limit_s");
  CHECK(by_column.limits == std::vector<double>{30, 40, 60});
  CHECK(by_column.at("time_s").numbers == std::vector<double>{30, 5, 60});
  CHECK(with_limits(text, "wait_ms").limits == by_column.limits);
  CHECK(with_limits(text, "60").limits == std::vector<double>{30, 60, 60});
  CHECK(with_limits(text, "1min").limits == std::vector<double>{30, 60, 60});
  // One limit in all cells is that of all runs; others are known of their runs alone.
  CHECK(with_limits("time_s\n>9\n5\n>9\n", {}).limits == std::vector<double>{9, 9, 9});
  CHECK(std::isinf(with_limits("time_s\n>9\n5\n>8\n", {}).limits[1]));
  CHECK(std::isinf(with_limits("time_s\n>9\n15\n>9\n", {}).limits[1]));
  CHECK(std::isinf(with_limits("time_s,limit_s\n3,\n5,9\n", "limit_s").limits[0]));
  CHECK(std::isinf(
      with_limits("time_s,limit\n3,UNLIMITED\n5,1h\n", "limit").limits[0]));  // as Slurm says
  // Quantities, also of a first cell that made the column one of texts.
  const Table units = with_limits("time,limit\n> 2h,2h\n30min,2h\n1h,2h\n", "limit", "time");
  CHECK(units.at("time").numbers == std::vector<double>{7200, 1800, 3600});
  CHECK(units.limits == std::vector<double>{7200, 7200, 7200});
  // Of memory, "oom" is a limit, and "timeout" is a failure.
  const Table memory = with_limits("peak_mem,time_s\noom,1\n3,2\ntimeout,3\n", "16", "peak_mem");
  CHECK(memory.at("peak_mem").numbers[0] == 16);
  CHECK(memory.at("peak_mem").text(2) == "timeout");
  for (const std::string name : {"peak_mb", "used_gb", "VmPeak", "vmem", "maxrss"})
    CHECK(with_limits(name + ",time_s\noom,1\n3,2\n", "16", name).at(name).numbers[0] == 16);
}

TEST_CASE("impossible limits are refused", "[table][cut]") {
  const std::string runs = "time_s,limit\n5,9\n3,9\n";
  CHECK_THAT(refusal_of_limits("time_s\n5\ntimeout\n", {}),
             ContainsSubstring("runs.csv:3: column 'time_s': \"timeout\" says that the run was "
                               "ended at a limit, but not at which"));
  CHECK_THAT(refusal_of_limits("time_s,limit\n5,9\n12,9\n", "limit"),
             ContainsSubstring("runs.csv:3: column 'time_s': 12 is above its limit, 9"));
  CHECK_THAT(refusal_of_limits("time_s,limit\n5,9\n3,0\n", "limit"),
             ContainsSubstring("runs.csv:3: column 'limit': \"0\" is no limit > 0"));
  CHECK_THAT(refusal_of_limits("time_s,limit\n5,9\n3,none\n", "limit"),
             ContainsSubstring("\"none\" is no limit > 0"));
  CHECK_THAT(refusal_of_limits(runs, "0"), ContainsSubstring("it is no number > 0"));
  CHECK_THAT(refusal_of_limits(runs, "wall"), ContainsSubstring("no column 'wall'"));
  CHECK_THAT(refusal_of_limits(runs, "2GiB"), ContainsSubstring("no unit to which"));
}

TEST_CASE("a column that tells of failures is known by its cells", "[table][cut]") {
  const auto tells = [](const std::string& name, const std::string& cells) {
    std::string csv = name + ",t\n";
    for (const std::string& cell : words_of_line(cells))
      csv += cell + ",1\n";
    return tells_failures(test::table_of(csv).columns[0]);
  };
  CHECK(tells("x", "ok ok failed"));
  CHECK(tells("State", "COMPLETED OUT_OF_MEMORY TIMEOUT"));
  CHECK(tells("success", "true false true"));
  CHECK(tells("exit_code", "0 137 0"));
  CHECK_FALSE(tells("x", "ok done completed"));  // none failed
  CHECK_FALSE(tells("x", "failed failed"));
  CHECK_FALSE(tells("cached", "true false"));
  CHECK_FALSE(tells("x", "ok fast"));
  CHECK_FALSE(tells("x", "0 137 0"));
  CHECK_FALSE(tells("exit_code", "1 2 3"));
}
