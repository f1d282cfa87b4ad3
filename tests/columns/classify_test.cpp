// What a column is, by the evidence of its name and its cells.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "perfmodel/columns.hpp"
#include "roles/evidence.hpp"
#include "roles/left_out.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/runs_text.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::WithinAbs;
using test::table_of;
using Names = std::vector<std::string>;

/// Columns of cells, whose names say nothing, with the number of those that were set.
struct Planted {
  Names names;
  std::vector<Names> rows;
  std::size_t set = 0;

  std::string csv(const std::vector<std::size_t>& order_of_columns,
                  const std::vector<std::size_t>& order_of_rows) const {
    const auto line = [&](const Names& cells) {
      std::string out;
      for (const std::size_t column : order_of_columns)
        out += (out.empty() ? "" : ",") + cells[column];
      return out + "\n";
    };
    std::string out = line(names);
    for (const std::size_t row : order_of_rows)
      out += line(rows[row]);
    return out;
  }
  std::string csv() const { return csv(indices(names.size()), indices(rows.size())); }
};

/// A grid of three settings, measured twice, with a time and two other results that scatter.
Planted planted(std::uint64_t seed) {
  RandomStream random(seed);
  const auto scatter = [&] { return std::exp(0.05 * random.normal()); };
  Planted out{{"ka", "mu", "to", "re", "so", "ni"}, {}, 3};
  const double factor = random.uniform(0.5, 40);
  const double other = random.uniform(0.5, 40);
  for (const int a : {1, 2, 4, 8})
    for (const int b : {16, 32, 64})
      for (const char* c : {"red", "blue"})
        for (int repeat = 0; repeat < 2; ++repeat) {
          const double slow = *c == 'r' ? 1.4 : 1;
          out.rows.push_back({std::to_string(a), std::to_string(b), c,
                              test::cell_text(factor * b * slow / std::sqrt(a) * scatter()),
                              test::cell_text(other * (a + 3) * scatter()),
                              test::cell_text(scatter() * b * 1.7)});
        }
  return out;
}

/// The inputs among the columns of a table whose target is told.
Names inputs_of(const std::string& csv, const std::string& target) {
  RoleRequest request;
  request.target = target;
  request.extrinsic = Names{};
  const Roles roles = resolve_roles(table_of(csv), request);
  Names out = roles.intrinsic;
  out.insert(out.end(), roles.categorical.begin(), roles.categorical.end());
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE("cells tell settings from results where names say nothing", "[roles][classify]") {
  std::size_t right = 0;
  constexpr std::uint64_t tables = 20;
  for (std::uint64_t seed = 1; seed <= tables; ++seed)
    right += inputs_of(planted(seed).csv(), "re") == Names{"ka", "mu", "to"} ? 1U : 0U;
  CHECK(right >= 19);  // a table in twenty may be doubtful
}

TEST_CASE("what a column is does not depend on the order of rows and columns",
          "[roles][classify]") {
  const Planted table = planted(7);
  const Names wanted = inputs_of(table.csv(), "re");
  std::vector<std::size_t> columns = indices(table.names.size());
  std::vector<std::size_t> rows = indices(table.rows.size());
  RandomStream random(11);
  for (int i = 0; i < 5; ++i) {
    random.shuffle(std::span(columns));
    random.shuffle(std::span(rows));
    CHECK(inputs_of(table.csv(columns, rows), "re") == wanted);
  }
}

TEST_CASE("twice the same rows and other units of a result change no role", "[roles][classify]") {
  Planted table = planted(3);
  const Names wanted = inputs_of(table.csv(), "re");
  Planted scaled = table;
  for (Names& row : scaled.rows)
    row[4] = test::cell_text(1000 * std::stod(row[4]));
  CHECK(inputs_of(scaled.csv(), "re") == wanted);
  const std::vector<Names> rows = table.rows;
  table.rows.insert(table.rows.end(), rows.begin(), rows.end());
  CHECK(inputs_of(table.csv(), "re") == wanted);
}

TEST_CASE("the rows of a large table that are looked at are chosen by their cells alone",
          "[roles][classify]") {
  Planted table;
  table.names = {"threads", "size", "time_s"};
  for (int row = 0; row < 3000; ++row)
    table.rows.push_back({std::to_string(1 << row % 5), std::to_string(100 * (row % 7)),
                          test::cell_text(1 + 0.001 * row)});
  std::vector<std::size_t> rows = indices(table.rows.size());
  const Table first = table_of(table.csv());
  const Sample sample = sample_of(first);
  CHECK(sample.rows <= 256);
  std::ranges::reverse(rows);
  const Table second = table_of(table.csv(indices(3), rows));
  const Sample reversed = sample_of(second);
  CHECK(reversed.rows == sample.rows);
  for (std::size_t column = 0; column < 3; ++column)
    for (const auto& [name, value] : sample.first[column]) {
      INFO(name);
      REQUIRE(reversed.first[column].contains(name));
      CHECK_THAT(reversed.first[column].at(name), WithinAbs(value, 1e-12));
    }
}

TEST_CASE("what a flag or a format said is not doubted", "[roles][classify]") {
  const Table table = table_of(planted(5).csv());
  const Sample sample = sample_of(table);
  std::vector<Told> told(6, Told::nothing);
  told[3] = Told::target;
  told[4] = Told::input;
  told[0] = Told::result;
  const Classified found = classify(sample, told, learnt_weights());
  CHECK(found.odds[3].result == 1);
  CHECK(found.odds[4].none() == 0);
  CHECK(found.odds[0].result == 1);
  CHECK(found.as_target.empty());
  const std::vector<std::size_t> taken = taken_inputs(sample, found, told, learnt_weights());
  CHECK(std::ranges::count(taken, 4U) == 1);
  CHECK(std::ranges::count(taken, 3U) + std::ranges::count(taken, 0U) == 0);
}

TEST_CASE("the odds are those of the printed weights", "[roles][classify]") {
  // Of a single feature with known weights: softmax of 0, 2 and -1 over a temperature of 2.
  const Weights weights = parse_weights(
      "# a comment\nconstant\tfirst temperature\t1\nconstant\tsecond temperature\t2\n"
      "constant\tthreshold\t0.5\nconstant\ttarget threshold\t0.5\nfirst\tintercept\t0\t0\n"
      "second\tintercept\t0\t0\nsecond\tc number\t2\t-1\ntarget\tonce\t1\n");
  const Table table = table_of("a,b,c\n1,x,3\n2,y,5\n4,z,6\n");
  const Sample sample = sample_of(table);
  const Classified found = classify(sample, {Told::nothing, Told::nothing, Told::target}, weights);
  const double all = 1 + std::exp(1.0) + std::exp(-0.5);
  CHECK_THAT(found.odds[0].input, WithinAbs(1 / all, 1e-12));
  CHECK_THAT(found.odds[0].result, WithinAbs(std::exp(1.0) / all, 1e-12));
  CHECK_THAT(found.odds[0].label, WithinAbs(std::exp(-0.5) / all, 1e-12));
  CHECK_THAT(found.odds[1].input, WithinAbs(1 / 3., 1e-12));
  CHECK_THROWS(parse_weights("second\tc number\t2\n"));
}

TEST_CASE("an input that may be none is taken and named with its probability",
          "[roles][classify]") {
  RoleRequest request;
  request.target = "time_s";
  bool told = false;
  // Values from sure settings to sure measurements; somewhere between them lies a doubt.
  for (const char* cells : {"1 2 4 8 1 2 4 8", "10 20 40 80 11 21 40 80", "10 21 43 87 11 22 44 80",
                            "1.5 2.5 4.5 8.5 1.5 2.5 "
                            "4.5 8.6",
                            "1.52 2.51 4.57 8.49 1.53 2.55 4.51 8.62"}) {
    std::string csv = "threads,x,time_s\n";
    std::size_t row = 0;
    for (const std::string& cell : words_of_line(cells)) {
      csv += test::csv_row(1 << row % 4, cell, 1.53 + 0.37 * static_cast<double>(row * row % 5));
      ++row;
    }
    const Roles roles = resolve_roles(table_of(csv), request);
    for (const std::string& notice : roles.notices)
      told = told || (notice.starts_with("Column 'x' may be ") &&
                      notice.ends_with("%); pass --ignore x if it is one."));
  }
  CHECK(told);
}

TEST_CASE("sizes drawn at random for a design are inputs in few rows, too", "[roles][classify]") {
  // Sizes and widths without a pattern, and a time that has digits beyond those that were set.
  const int rows = GENERATE(12, 20, 30);
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  std::string csv = "gpu,mat_size,batch_size,filters,time_s\n";
  std::uint64_t state = seed;
  const auto drawn = [&](int least, int most) {
    state = splitmix64(state);
    return least + static_cast<int>(state % static_cast<std::uint64_t>(most - least + 1));
  };
  for (int row = 0; row < rows; ++row) {
    const int size = drawn(16, 512);
    const int batch = drawn(1, 512);
    const int filters = drawn(1, 512);
    csv += test::csv_row(row % 3 == 0 ? "a" : "b", size, batch, filters,
                         1e-9 * size * batch * (1000 + filters) + 1e-7 * drawn(1000, 9999));
  }
  RoleRequest request;
  request.target = "time_s";
  CHECK(resolve_roles(table_of(csv), request).left_out.empty());
}

}  // namespace perfmodel
