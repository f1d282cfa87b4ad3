#include "roles/quantities.hpp"

#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "columns/design.hpp"
#include "jobs/settings.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/design.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"
#include "support/property.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::ContainsSubstring;
using test::for_each_case;
using test::message_of;
using test::table_of;
using Texts = std::vector<std::string>;

constexpr double kGibi = 1024. * 1024 * 1024;

TEST_CASE("a target is a time, memory, energy, a rate or another quantity", "[quantities]") {
  using Item = std::tuple<std::string, std::string, Measure>;
  using enum Measure;
  for (const auto& [name, unit, measure] : std::vector<Item>{
           {"time_s", "s", time},
           {"t", "", time},
           {"T", "", time},
           {"ms", "", time},
           {"Elapsed", "", time},
           {"cache_time", "", time},
           {"x", "s/step", time},
           {"x", "minutes", time},
           {"VmHWM", "B", memory},
           {"peak_mb", "", memory},
           {"peak", "GiB", memory},
           {"x", "kWh", energy},
           {"energy_j", "", energy},
           {"samples_per_s", "", rate},
           {"throughput", "", rate},
           {"memory_bandwidth", "", rate},
           {"x", "GB/s", rate},
           {"cells", "", other},
           {"loss", "", other},
           {"", "", other},
           // The unit prevails.
           {"time", "MB", memory},
       }) {
    INFO(name << " [" << unit << "]");
    CHECK(measure_of(name, unit) == measure);
  }
  ModelSpec spec;
  spec.target = "samples_computed";
  CHECK(measure_of(spec) == other);
  spec.throughput = Throughput{.column = "samples_per_s", .work = "samples"};
  CHECK(measure_of(spec) == time);  // of an iteration
}

TEST_CASE("the unit of a cell has its usual spelling if it is of memory", "[quantities]") {
  for (const auto& [cell, unit] :
       std::vector<std::pair<std::string_view, std::string>>{{"801.03 GiB", "GiB"},
                                                             {"16G", "GiB"},
                                                             {"3.5e2 Mi", "MiB"},
                                                             {"2.9 GB", "GB"},
                                                             {"512 KB", "kB"},
                                                             {"3 bytes", "B"},
                                                             {"12 s", ""},
                                                             {"", ""}})
    CHECK(unit_of_cell(cell) == unit);
}

TEST_CASE("texts are quantities in seconds, bytes and percent", "[quantities]") {
  using Item = std::tuple<std::string_view, double, std::string_view>;
  for (const auto& [text, value, unit] : std::vector<Item>{
           {"4.9s", 4.9, "s"},
           {"4.9 s", 4.9, "s"},
           {"12 sec", 12, "s"},
           {"350ms", 0.35, "s"},
           {"350us", 0.00035, "s"},
           {"350\u00b5s", 0.00035, "s"},
           {"350\u03bcs", 0.00035, "s"},
           {"7ns", 7e-9, "s"},
           {"1m 30s", 90, "s"},
           {"1h 2m", 3720, "s"},
           {"1m:51s", 111, "s"},
           {"1h2m3.5s", 3723.5, "s"},
           {"2d 1h", 176400, "s"},
           {"5 min", 300, "s"},
           {"3 hr", 10800, "s"},
           {"00:12:31", 751, "s"},
           {"100:00:00", 360000, "s"},
           {"1-02:03:04", 93784, "s"},
           {"02:03:04.250", 7384.25, "s"},
           {"0:04.90", 4.9, "s"},
           {"3.1 MB", 3.1e6, "B"},
           {"512.3MB", 512.3e6, "B"},
           {"8.7GB", 8.7e9, "B"},
           {"1.1e-1 ms", 1.1e-4, "s"},
           {"2.5e+3 kB", 2.5e6, "B"},
           {"12 kB", 12000, "B"},
           {"12 KB", 12000, "B"},
           {"80GB", 8e10, "B"},
           {"512K", 512. * 1024, "B"},
           {"16000M", 16000. * 1024 * 1024, "B"},
           {"4G", 4 * kGibi, "B"},
           {"2.5GiB", 2.5 * kGibi, "B"},
           {"2.5 Gi", 2.5 * kGibi, "B"},
           {"1T", 1024 * kGibi, "B"},
           {"12 B", 12, "B"},
           {"2.5e+03B", 2500, "B"},
           {"1.5e-05s", 1.5e-5, "s"},
           {"1E3 ms", 1, "s"},
           {"72.6%", 72.6, "%"},
           {"72.6 %", 72.6, "%"},
           {"0%", 0, "%"},
       }) {
    INFO(text);
    const auto read = parse_quantity(text);
    REQUIRE(read);
    CHECK(read->unit == unit);
    CHECK(read->value == value);
  }
}

TEST_CASE("names, numbers, dates and what is ambiguous are no quantities", "[quantities]") {
  for (const auto* text :
       {"",        "5",          "1e3",           "3x3",      "2-1",       "A100",   "16k",
        "16kb",    "12:31",      "1:60:00",       "12:00:61", "10:00:5",   "-3s",    "+3s",
        ".5s",     "1,5 s",      "1.2.3s",        "1h 1h",    "30s 1m",    "1h 2",   "s",
        "4.9 x",   "2024-01-01", "10.0.0.1",      "5%%",      "1 GB 2 MB", "1GB 3s", "5 s ,",
        "1-12:31", "1:02:03.",   "1-2-3",         "2e",       "2es",       "1e+s",   "1e400s",
        "1e300PB", "1ee3s",      "1e99999999999s"}) {
    INFO(text);
    CHECK_FALSE(parse_quantity(text));
  }
}

TEST_CASE("a cell that may be a name is no certain quantity", "[quantities]") {
  for (const auto* text : {"5d", "5m", "5h", "4s", "7B", "16G", "70M", "12:30:00"}) {
    INFO(text);
    CHECK_FALSE(parse_quantity(text).value().certain);
  }
  for (const auto* text :
       {"4.9s", "90s", "4ms", "1m 30s", "16GiB", "16GB", "16Gi", "1-00:00:00", "5%"}) {
    INFO(text);
    CHECK(parse_quantity(text).value().certain);
  }
}

TEST_CASE("a quantity has one value in all its spellings", "[quantities][property]") {
  for_each_case(
      "spellings of quantities",
      [](RandomStream& random) {
        const auto below = [&](std::uint32_t n) { return static_cast<long>(random.uniform() * n); };
        const long ms = below(200'000'000);
        const std::string fraction = std::to_string(1000 + ms % 1000).substr(1);
        const long s = ms / 1000;
        const auto two = [](long x) { return (x < 10 ? "0" : "") + std::to_string(x); };
        const std::string clock = two(s / 60 % 60) + ":" + two(s % 60) + "." + fraction;
        const std::string below_hour =
            std::to_string(s / 60 % 60) + "m " + std::to_string(s % 60) + "." + fraction + "s";
        for (const std::string& text :
             {std::to_string(ms) + "ms", std::to_string(ms) + "000 us",
              std::to_string(s) + "." + fraction + "s", std::to_string(s / 3600) + ":" + clock,
              std::to_string(s / 86400) + "-" + two(s / 3600 % 24) + ":" + clock,
              std::to_string(s / 3600) + "h " + below_hour,
              std::to_string(s / 86400) + "d " + std::to_string(s / 3600 % 24) + "h " +
                  below_hour}) {
          INFO(text);
          CHECK(parse_quantity(text).value().value ==
                Catch::Approx(static_cast<double>(ms) / 1000).epsilon(1e-14));
        }
        const long mebi = 1 + below(1'000'000);
        const double bytes = static_cast<double>(mebi) * 1024 * 1024;
        for (const std::string& text :
             {std::to_string(mebi) + "M", std::to_string(mebi) + " MiB",
              std::to_string(mebi) + "Mi", std::to_string(mebi * 1024) + "K",
              to_text(static_cast<double>(mebi) / 1024) + "GiB",
              std::to_string(mebi * 1048576) + "B", to_text(bytes / 1e6) + "MB",
              to_text(bytes / 1e3) + " kB"}) {
          INFO(text);
          if (text.find('e') == text.npos)
            CHECK(parse_quantity(text).value().value == Catch::Approx(bytes).epsilon(1e-14));
        }
      });
}

Texts texts_in(const Table& table, std::string_view column) {
  Texts out;
  for (std::size_t row = 0; row < table.rows(); ++row)
    out.push_back(table.at(column).text(row));
  return out;
}

TEST_CASE("a column of quantities is one of numbers with a unit", "[quantities][csv]") {
  const Table table = table_of("realtime,gpus\n1m 30s,1\n350ms,2\n-,4\n00:01:00,8\n0,16\n");
  const Column& column = table.at("realtime");
  CHECK(column.is_numeric());
  CHECK(column.unit == "s");
  CHECK(column.with_unit == "1m 30s");
  CHECK(texts_in(table, "realtime") == Texts{"90", "0.35", "-", "60", "0"});
  REQUIRE(column.bad_cells.size() == 1);
  CHECK(column.bad_cells[0].row == 2);
  CHECK(table.at("gpus").unit.empty());
  const Column taken = take_rows(table, std::vector<std::size_t>{3, 2}).at("realtime");
  CHECK(taken.unit == "s");
  CHECK(taken.numbers[0] == 60);
  CHECK(taken.bad_cells.size() == 1);
  // It may begin with 0, and a column of texts keeps its cells.
  const Table zeros = table_of("rchar,n\n0,1\n0,2\n3.1 KB,3\n0,4\n-,5\n");
  CHECK(zeros.at("rchar").unit == "B");
  CHECK(texts_in(zeros, "rchar") == Texts{"0", "0", "3100", "0", "-"});
  CHECK(table_of("mem,n\n40GB,1\n80GB,2\n", {"mem"}).at("mem").levels == Texts{"40GB", "80GB"});
}

TEST_CASE("cells that may be names count only beside certain quantities or by the column's name",
          "[quantities][csv]") {
  const auto unit = [](const std::string& name, const std::string& cells) {
    return table_of(name + ",n\n" + cells).columns[0].unit;
  };
  const std::string letters = "16G,1\n32G,2\n64G,3\n";
  CHECK(unit("params", letters).empty());
  CHECK(unit("model", "7B,1\n13B,2\n70B,3\n").empty());
  CHECK(unit("ReqMem", letters) == "B");
  CHECK(unit("MaxRSS", letters) == "B");
  CHECK(unit("mem_per_node", letters) == "B");
  CHECK(unit("params", letters + "1GB,4\n") == "B");
  CHECK(unit("variant", "5s,1\n5m,2\n5d,3\n").empty());
  CHECK(unit("timeout", "5s,1\n5m,2\n5d,3\n") == "s");
  CHECK(unit("when", "10:00:00,1\n10:05:00,2\n").empty());
  CHECK(unit("start_time", "10:00:00,1\n10:05:00,2\n").empty());
  CHECK(unit("Elapsed", "10:00:00,1\n10:05:00,2\n") == "s");
  CHECK(unit("TotalCPU", "01:00:00,1\n00:05.125,2\n") == "s");
  CHECK(unit("cpu", "500m,1\n250m,2\n").empty());  // thousandths of a processor
  CHECK(unit("h:m:s", "0:00:05,1\n0:01:05,2\n") == "s");
  CHECK(unit("memory", "16k,1\n32k,2\n").empty());
  CHECK(unit("kernel", "3x3,1\n5x5,2\n").empty());
  CHECK(unit("gpu", "A100-80GB,1\nA100-40GB,2\n").empty());
  CHECK(unit("mode", "none,1\nauto,2\n16GB,3\n").empty());  // most cells are none
}

TEST_CASE("cells that contradict the unit of their column are refused", "[quantities][roles]") {
  const auto refusal = [](const std::string& csv) {
    RoleRequest request;
    request.target = "realtime";
    return message_of<InputError>([&] { resolve_roles(table_of(csv), request); });
  };
  CHECK_THAT(refusal("n,realtime\n1,4s\n2,3.1 MB\n3,5.5s\n4,1m 30s\n"),
             ContainsSubstring("runs.csv:3: column 'realtime': \"3.1 MB\" has another unit, but "
                               "the other cells are in s, such as \"4s\""));
  CHECK_THAT(refusal("n,realtime\n1,4s\n2,4.9s\n3,5\n4,1m 30s\n"),
             ContainsSubstring("runs.csv:4: column 'realtime': \"5\" has no unit, but the other "
                               "cells are in s, such as \"4s\""));
  CHECK_THAT(refusal("n,realtime\n1,5\n2,4.9s\n3,4s\n4,1m 30s\n"),
             ContainsSubstring("runs.csv:2: column 'realtime': \"5\" has no unit"));
  CHECK_THAT(refusal("n,realtime\n1,4s\n2,4.9 x\n3,5s\n4,1m 30s\n"),
             ContainsSubstring("runs.csv:3: column 'realtime': \"4.9 x\" is not a number"));
}

TEST_CASE("the unit of the target is that of its cells", "[quantities][roles]") {
  RoleRequest request;
  request.target = "step_ms";
  const Table table = table_of("gpus,mem,step_ms\n1,16GiB,4.9s\n2,8GiB,2.7s\n4,8GiB,1.5s\n");
  const Roles roles = resolve_roles(table, request);
  CHECK(roles.unit == "s");
  CHECK_THAT(roles.notices, Contains(std::vector<std::string>{
                                "'mem' has units: its values are in B, \"16GiB\" is 17179869184; "
                                "--categorical mem keeps them as levels.",
                                "'step_ms' has units: its values are in s, \"4.9s\" is 4.9."}));
  const ModelSpec spec = make_spec(table, roles, std::vector<std::size_t>{0, 1, 2});
  CHECK(spec.unit == "s");
  CHECK(spec.intrinsic.at(0).unit == "B");
  CHECK(spec.intrinsic.at(0).high == 16 * kGibi);
  request.time_unit = "s";
  CHECK(resolve_roles(table, request).unit == "s");
  request.time_unit = "ms";
  CHECK_THROWS_AS(resolve_roles(table, request), UsageError);
}

TEST_CASE("runs that failed stay apart from quantities", "[quantities][failed]") {
  // Most runs failed, so that the column is one of texts before they are left out.
  const Table table = table_of("n,Elapsed\n1,TIMEOUT\n2,FAILED\n3,00:00:05\n4,-\n5,00:01:00\n");
  const WithoutFailed left = without_failed_runs(table, "Elapsed", {});
  CHECK(left.failed.size() == 3);
  CHECK(left.table.at("Elapsed").unit == "s");
  CHECK(left.table.at("Elapsed").numbers == std::vector<double>{5, 60});
  const Table some = table_of("n,t\n1,4.9s\n2,FAILED\n3,5.1s\n");
  const WithoutFailed rest = without_failed_runs(some, "t", {});
  CHECK(rest.table.at("t").unit == "s");
  CHECK(rest.table.at("t").bad_cells.empty());
}

std::string design_refusal(const std::string& csv, const ModelSpec& spec,
                           Target target = Target::absent) {
  return message_of<InputError>([&] { make_design(table_of(csv), spec, target); });
}

TEST_CASE("a model takes the units of its runs only", "[quantities][design]") {
  const std::string runs = "gpus,mem,t\n1,16GiB,4.9s\n2,8GiB,2.7s\n4,8GiB,1.5s\n";
  RoleRequest request;
  request.target = "t";
  const Table table = table_of(runs);
  const ModelSpec spec =
      make_spec(table, resolve_roles(table, request), std::vector<std::size_t>{0, 1, 2});
  for (const std::string cells : {"8589934592", "8GiB", "8192M"})
    CHECK(make_design(table_of("gpus,mem\n1," + cells + "\n"), spec, Target::absent)
              .intrinsic.at(0)
              .value(0) == 8 * kGibi);
  CHECK_THAT(design_refusal("gpus,mem\n1,4s\n2,4.9s\n", spec),
             ContainsSubstring("column 'mem': its cells have units, such as \"4s\", and are in s, "
                               "but the model's column is in B"));
  ModelSpec plain = spec;
  plain.intrinsic[0].unit = "";
  CHECK_THAT(design_refusal(runs, plain), ContainsSubstring("has no known unit"));
  plain = spec;
  plain.unit = "ms";
  CHECK_THAT(design_refusal(runs, plain, Target::required), ContainsSubstring("is in ms"));
}

TEST_CASE("the unit of a model makes uncertain cells quantities", "[quantities][design]") {
  // A model of `mem` whose column is in B, and of a time in s.
  const Table table = table_of("gpus,mem,block\n1,16G,595.8s\n2,32G,300.1s\n4,64GB,200.4s\n");
  RoleRequest request;
  request.target = "block";
  const ModelSpec spec =
      make_spec(table, resolve_roles(table, request), std::vector<std::size_t>{0, 1, 2});
  const Design design =
      make_design(table_of("gpus,mem,block\n1,16G,11m\n2,32G,5m\n4,0,10m\n8,16G,1h\n"), spec,
                  Target::required, std::vector<std::size_t>{0, 1, 3});
  CHECK(design.intrinsic.at(0).value(0) == 16 * kGibi);
  CHECK(design.intrinsic.at(0).value(1) == 32 * kGibi);
  CHECK(design.time[0] == 660);
  CHECK(design.time[1] == 300);
  CHECK(design.time[2] == 3600);
  // Most cells are plain numbers: the column is one of numbers with a bad cell.
  CHECK_THAT(design_refusal("gpus,mem\n1,4\n2,8\n4,2G\n", spec),
             ContainsSubstring("\"4\" has no unit") && ContainsSubstring("\"8\" has no unit") &&
                 !ContainsSubstring("\"2G\" has"));
  CHECK_THAT(design_refusal("gpus,mem\n1,2GB\n2,4\n", spec),
             ContainsSubstring("runs.csv:3") && ContainsSubstring("\"4\" has no unit"));
  CHECK_THAT(design_refusal("gpus,mem\n1,1.5 GiB\n2,\n", spec),
             ContainsSubstring("runs.csv:3: column 'mem': the cell is blank"));
  CHECK_THAT(design_refusal("gpus,mem\n1,4\n2,5m\n", spec),
             ContainsSubstring("\"5m\" has a unit, but other cells have none"));
  // Plain numbers throughout are taken with a notice.
  CHECK(notice_of_plain_numbers(table_of("gpus,mem\n1,4\n2,8\n"), spec) ==
        "'mem' has no units in runs.csv: its numbers are taken as B");
  CHECK_FALSE(notice_of_plain_numbers(table_of("gpus,mem\n1,4GB\n2,8GB\n"), spec));
  CHECK_FALSE(notice_of_plain_numbers(table_of("gpus,mem\n1,16G\n2,32G\n"), spec));
  CHECK_FALSE(notice_of_plain_numbers(table_of("gpus,mem\n1,0\n2,0\n"), spec));
}

TEST_CASE("half of the cells give a column its unit if the others have none", "[quantities][csv]") {
  for (const std::string cells : {"2GB,1\n4,2\n", "4,1\n2GB,2\n", "1.5 GiB,1\n,2\n"}) {
    INFO(cells);
    const Table table = table_of("mem,n\n" + cells);
    CHECK(table.at("mem").unit == "B");
    CHECK(table.at("mem").bad_cells.size() == 1);
  }
  CHECK(table_of("cache,n\n16GB,1\nnone,2\n").at("cache").unit.empty());
  CHECK(table_of("mem,n\n2GB,1\n4,2\n8,3\n").at("mem").unit.empty());
  CHECK(table_of("params,n\n16G,1\n4,2\n").at("params").unit.empty());  // may be a name
  CHECK(table_of("every,n\n90s,1\n60s,2\n").at("every").unit == "s");
  CHECK(table_of("every,n\n9s,1\n6s,2\n").at("every").unit.empty());
}

TEST_CASE("settings with units are all with one or all without", "[quantities][settings]") {
  CHECK(listed_numbers("1GiB:4GiB:x2", "B") == std::vector<double>{kGibi, 2 * kGibi, 4 * kGibi});
  CHECK(listed_numbers("1:4:x2", "B") == std::vector<double>{1, 2, 4});
  CHECK(listed_numbers("0,2GB", "B") == std::vector<double>{0, 2e9});
  for (const auto* mixed : {"1:4GiB:x2", "1GiB:4:x2", "1GiB:4GiB:+1", "1,2GB"}) {
    INFO(mixed);
    CHECK_FALSE(listed_numbers(mixed, "B"));
  }
}

}  // namespace
}  // namespace perfmodel
