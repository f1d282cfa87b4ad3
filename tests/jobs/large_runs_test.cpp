#include "jobs/large_runs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/predict.hpp"
#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/runs_text.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// time = (0.01 layers^1.2 + a_net) gpus^-0.6 + 0.2 with a scatter of 5 %, in three digits, for the
/// 36 configurations of three columns, each so often.
std::string scattered_runs(int repetitions) {
  RandomStream random(1, "scattered runs", 0);
  std::string out = "net,layers,gpus,host,time_s\n";
  for (int i = 0; i < repetitions; ++i)
    for (const int net : {0, 1, 2})
      for (const int layers : {10, 20, 40})
        for (const int gpus : {1, 2, 4, 8}) {
          const double time =
              (0.01 * std::pow(layers, 1.2) + 0.1 * net) * std::pow(gpus, -0.6) + 0.2;
          const double measured = time * std::exp(0.05 * random.normal());
          out += csv_row("n" + std::to_string(net), layers, gpus, "host" + std::to_string(i),
                         std::round(1000 * measured) / 1000);
        }
  return out;
}

/// A fit of them: hosts play no part.
FitRequest fit_of_scattered() {
  FitRequest request;
  request.roles.ignore = {"host"};
  request.options.loss = Loss::mse;
  return request;
}

LabelledRuns drawn_from(const std::string& path, std::size_t rows, std::uint64_t seed,
                        const ReadProgress& progress = {}) {
  FitRequest request = fit_of_scattered();
  request.options.seed = seed;
  return draw_runs(path, rows, request.roles, {}, request.options, progress);
}

}  // namespace

TEST_CASE("reading a large file shows its progress") {
  const TemporaryDirectory directory;
  const std::string text = scattered_runs(20);
  std::pair<std::size_t, std::size_t> told;
  const LabelledRuns runs =
      drawn_from(directory.write("runs.csv", text), 100, 1, [&](std::size_t done, std::size_t all) {
        told = {done, all};
      });
  const std::size_t behind_header = text.size() - text.find('\n') - 1;
  CHECK(told == std::pair(behind_header, behind_header));
  CHECK(runs.file.table.rows() == 100);
}

TEST_CASE("a drawn row that cannot be read is refused with its line") {
  const TemporaryDirectory directory;
  std::string text = scattered_runs(12);
  text.replace(text.rfind(",0."), 1, ",x");
  const std::string path = directory.write("runs.csv", text);
  CHECK_THROWS_WITH(drawn_from(path, 1000, 1),
                    ContainsSubstring("runs.csv:433") && ContainsSubstring("\"x0."));
}

TEST_CASE("rows are sampled from a file of more than 1 GiB, and on request") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", "");
  std::filesystem::resize_file(path, kLargeFile);  // takes no room on the disk
  FitRequest request;
  FitRequest of_70;
  of_70.training_rows = 70;
  CHECK_FALSE(rows_to_draw({path}, request));
  CHECK(rows_to_draw({path}, of_70) == 70);
  std::filesystem::resize_file(path, kLargeFile + 1);
  CHECK(rows_to_draw({path}, request) == kRowsOfLargeFile);
  CHECK(rows_to_draw({path}, of_70) == 70);
  CHECK_FALSE(rows_to_draw({path, path}, of_70));
  CHECK_FALSE(rows_to_draw({"-"}, request));
  request.options.form = AutomaticOptions();
  CHECK(rows_to_draw({path}, request) == kRowsOfChoice);
}

TEST_CASE("terms are chosen on some of many training rows, the same in any order of the file") {
  const TemporaryDirectory directory;
  const auto prepared = [&](const std::string& text, const FitRequest& request) {
    const std::string path = directory.write("runs.csv", text);
    return prepare_fit(label_runs(read_runs(path), request.roles), request);
  };
  const std::string text = scattered_runs(2000);  // 72,000 rows
  std::vector<std::string> lines = lines_of(text);
  std::reverse(lines.begin() + 1, lines.end());
  FitRequest request = fit_of_scattered();
  CHECK(prepared(text, request).training.rows == 72'000);  // of Eq. (4) all

  request.options = {};
  request.options.form = AutomaticOptions();
  request.split = {.train = 80, .validation = 10, .test = 10};
  const PreparedFit drawn = prepared(text, request);
  CHECK(drawn.is_drawn);
  CHECK(drawn.training.rows == kRowsOfChoice);
  CHECK(drawn.validation->rows == 7200);
  CHECK(drawn.test->rows == 7200);
  CHECK(drawn.provenance.rows == kRowsOfChoice + 2 * 7200);
  CHECK(drawn.provenance.notices.back() ==
        "The model is fitted to 50000 rows, drawn at random from 57600. --sample-rows takes more.");
  const PreparedFit reversed = prepared(joined(lines), request);
  CHECK(reversed.training.time == drawn.training.time);
  CHECK(reversed.test->time == drawn.test->time);

  request.options.seed = 2;
  CHECK(prepared(text, request).training.time != drawn.training.time);
  CHECK(prepared(text, request).test->time == drawn.test->time);
  request.training_rows = 57'600;
  CHECK_FALSE(prepared(text, request).is_drawn);
  request.training_rows = 100;
  CHECK(prepared(text, request).training.rows == 100);
}

// What the models of 20 draws differ by, in the mean over the configurations, is what the error
// says of one draw: a difference of two has sqrt(2) times the deviation of one. The estimate rests
// on two models of half of the rows, so that it scatters by about a third.
TEST_CASE("the reported effect of sampling is how far apart draws are", "[whole-fits]") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("runs.csv", scattered_runs(100));
  const FitRequest request = fit_of_scattered();
  std::vector<Eigen::ArrayXd> logarithms;
  double said = 0;
  constexpr std::size_t draws = 20;
  std::optional<Design> asked;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const PreparedFit prepared = prepare_fit(drawn_from(path, 200, seed), request);
    said += sampling_error(prepared, request) / static_cast<double>(draws);
    if (!asked)
      asked = prepared.training;
    logarithms.emplace_back(predict(fit_prepared(prepared, request).model, *asked).array().log());
  }
  double apart = 0;
  for (std::size_t k = 1; k < draws; ++k)
    apart += (logarithms[k] - logarithms[k - 1]).abs().mean() / static_cast<double>(draws - 1);
  CHECK(said > 0.6 * apart / std::sqrt(2.0));
  CHECK(said < 1.6 * apart / std::sqrt(2.0));
}
