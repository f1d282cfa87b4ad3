#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;
using Arguments = std::vector<std::string>;

namespace {

constexpr int kSharingKernels = 4;
constexpr int kSmallKernel = kSharingKernels - 1;  ///< five runs, all of them small
constexpr int kPowerKernels = 3;

/// All alike but for their size.
double alike_time(int k, double gpus, double batch) {
  return (k + 1) * (std::pow(gpus, -0.8) * std::pow(batch, 0.9) + 2);
}

/// A scatter of 5 % that no smooth function explains.
double scattered(double time, int k, double gpus, double other) {
  return time * (1 + 0.05 * std::sin(37 * gpus + 11 * other + 5 * k));
}

std::string row(int k, const std::vector<double>& values) {
  std::string out = "k" + to_text(k);
  for (const double value : values)
    out += "," + to_text(value);
  return out + "\n";
}

std::string runs_of_unequal_size() {
  std::string out = "kernel,gpus,batch,time_s\n";
  const auto add = [&](int k, double gpus, double batch) {
    out += row(k, {gpus, batch, scattered(alike_time(k, gpus, batch), k, gpus, batch)});
  };
  for (int k = 0; k < kSmallKernel; ++k)
    for (const double gpus : {1, 2, 4, 8})
      for (const double batch : {8, 32, 128})
        add(k, gpus, batch);
  for (const auto& [gpus, batch] :
       std::vector<std::pair<double, double>>{{1, 8}, {4, 8}, {1, 32}, {2, 32}, {8, 8}})
    add(kSmallKernel, gpus, batch);
  return out;
}

/// Times that are alike, and memories that are products without scatter whose powers have nothing
/// in common; a cache that may be 0; a last kernel with a single run.
std::string runs_of_two_targets() {
  std::string out = "kernel,gpus,cache,time_s,memory_mb\n";
  for (int k = 0; k < kPowerKernels; ++k) {
    for (int i = 0; i < 8; ++i) {
      const double gpus = std::pow(2, i);
      const double cache = (i * i + k) % 3;
      const double time = (k + 1) * (20 * std::pow(gpus, -0.8) + 2) * (1 + cache);
      const double memory = (k + 1) * std::pow(gpus, 1.2 - 0.6 * k) * std::pow(1 + cache, 0.5 * k);
      out += row(k, {gpus, cache, scattered(time, k, gpus, cache), memory});
    }
  }
  return out + "alone,8,0,3,4\n";
}

class SharedForms {
 public:
  SharedForms() {
    options_.directory = directory_.path();
    directory_.write("runs.csv", runs_of_unequal_size());
    directory_.write("two.csv", runs_of_two_targets());
  }

  ProgramResult run(const Arguments& arguments) const { return run_perfmodel(arguments, options_); }

  ProgramResult fit(const std::string& runs, const std::string& output,
                    const Arguments& further) const {
    Arguments arguments{"fit", runs, "--by", "kernel", "--expression", "multi", "-o", output};
    arguments.insert(arguments.end(), further.begin(), further.end());
    const ProgramResult result = run(arguments);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    return result;
  }

  /// Of the times of two.csv.
  void fit_times(const std::string& output, const Arguments& further) const {
    Arguments arguments{"--target", "time_s", "--ignore", "memory_mb", "--share-form"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    fit("two.csv", output, arguments);
  }

  std::string text(const std::string& name) const { return read_text(directory_.file(name)); }

  std::vector<nlohmann::json> lines(const std::string& name) const {
    std::istringstream all(text(name));
    std::vector<nlohmann::json> out;
    for (std::string line; std::getline(all, line);)
      out.push_back(nlohmann::json::parse(line));
    return out;
  }

  /// |ln(predicted / true)| of the kernel with few runs, where neither its scale nor its batches
  /// reach.
  double far_error(const std::string& models) const {
    const ProgramResult result =
        run({"predict", models, "--pick", "kernel == 'k3'", "--set", "gpus=16", "batch=128"});
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    return std::abs(std::log(std::stod(result.output) / alike_time(kSmallKernel, 16, 128)));
  }

 protected:
  TemporaryDirectory directory_;
  ProgramOptions options_;
};

}  // namespace

TEST_CASE_METHOD(SharedForms, "fit --share-form lets a group of few rows know what others do",
                 "[cli][many]") {
  fit("runs.csv", "own.jsonl", {});
  fit("runs.csv", "shared.jsonl", {"--bootstrap", "20", "--share-form"});
  CHECK(far_error("shared.jsonl") < 0.5 * far_error("own.jsonl"));
  CHECK(far_error("shared.jsonl") < 0.1);  // twice the scatter of a run

  const std::vector<nlohmann::json> all = lines("shared.jsonl");
  CHECK_FALSE(lines("own.jsonl").front().contains("shared_forms"));
  const nlohmann::json form = all.front().at("shared_forms").at(0);
  CHECK(form.at("target") == "time_s");
  CHECK(form.at("groups") == kSharingKernels);
  CHECK(form.at("rows") == 12 * kSmallKernel + 5);
  CHECK(form.at("leads").at(0).at("rows") == 5);
  CHECK(form.at("leads").at(0).at("groups") == kSharingKernels);
  CHECK(form.at("leads").at(0).at("lead") < 0);
  const nlohmann::json& small = all.at(1 + kSmallKernel).at("model");
  CHECK(small.at("constants").at("terms").size() == form.at("terms"));
  CHECK(small.at("search").at("sharing").at("form") == "shared");
  CHECK(small.at("search").at("sharing").at("lead") == form.at("leads").at(0).at("lead"));
  CHECK(small.at("search").at("form").at("chosen_by") == "groups");
  CHECK_FALSE(lines("own.jsonl").at(1).at("model").at("search").contains("sharing"));

  CHECK_THAT(run({"show", "shared.jsonl"}).errors,
             ContainsSubstring("chosen on " + to_text(kSharingKernels) + " groups"));
  CHECK(run({"evaluate", "shared.jsonl", "runs.csv"}).exit_code == 0);
  CHECK(
      run({"scaling", "shared.jsonl", "--pick", "kernel == 'k3'", "--column", "gpus"}).exit_code ==
      0);

  // Resampled rows are drawn to the other groups, too: alone, five say next to nothing.
  for (const nlohmann::json& constant : small.at("uncertainty").at("constants")) {
    if (constant.at("name").get<std::string>().find("[1,batch]") == std::string::npos)
      continue;
    CHECK(constant.at("high") > constant.at("low"));
    CHECK(constant.at("high").get<double>() - constant.at("low").get<double>() < 0.05);
  }
}

TEST_CASE_METHOD(SharedForms, "fit --share-form is the same for threads, shards and interruptions",
                 "[cli][many]") {
  fit_times("one.jsonl", {"--threads", "1"});
  fit_times("two.jsonl", {"--threads", "2"});
  const std::string whole = text("one.jsonl");
  CHECK(text("two.jsonl") == whole);
  fit_times("part-1.jsonl", {"--shard", "1/2"});
  fit_times("part-2.jsonl", {"--shard", "2/2"});
  REQUIRE(run({"merge", "part-1.jsonl", "part-2.jsonl", "-o", "merged.jsonl"}).exit_code == 0);
  CHECK(text("merged.jsonl") == whole);
  directory_.write("rest.jsonl.partial", whole.substr(0, whole.size() / 2));
  fit_times("rest.jsonl", {"--resume"});
  CHECK(text("rest.jsonl") == whole);

  std::vector<std::string> rows = lines_of(text("two.csv"));
  std::reverse(rows.begin() + 1, rows.end());
  directory_.write("two.csv", perfmodel::joined(rows, "\n") + "\n");
  fit_times("reversed.jsonl", {});
  CHECK(lines("reversed.jsonl").at(0).at("shared_forms") ==
        lines("one.jsonl").at(0).at("shared_forms"));
  CHECK(lines("reversed.jsonl").at(2).at("model").at("constants") ==
        lines("one.jsonl").at(3).at("model").at("constants"));
}

TEST_CASE_METHOD(SharedForms, "fit --share-form leaves groups forms of their own that are better",
                 "[cli][many]") {
  const ProgramResult fitted =
      fit("two.csv", "shared.jsonl", {"--target", "time_s,memory_mb", "--share-form"});
  CHECK_THAT(fitted.errors, ContainsSubstring("for " + to_text(kPowerKernels) + " of its models"));
  CHECK_THAT(fitted.errors, ContainsSubstring("for 0 of its models"));
  fit("two.csv", "own.jsonl", {"--target", "time_s,memory_mb"});
  const std::vector<nlohmann::json> shared = lines("shared.jsonl");
  const std::vector<nlohmann::json> own = lines("own.jsonl");
  REQUIRE(shared.front().at("shared_forms").size() == 2);
  REQUIRE(shared.size() == 1 + 2 * (kPowerKernels + 1));
  REQUIRE(own.size() == shared.size());
  for (std::size_t line = 1; line < own.size(); ++line) {
    INFO(line);
    if (own[line].at("key").at("kernel") == "alone") {
      CHECK(shared[line].at("refused") == own[line].at("refused"));
      continue;
    }
    const bool is_memory = own[line].at("target") == "memory_mb";
    const nlohmann::json& model = shared[line].at("model");
    const nlohmann::json& sharing = model.at("search").at("sharing");
    CHECK(sharing.at("form") == (is_memory ? "own" : "shared"));
    CHECK((sharing.at("lead") < 0) != is_memory);
    CHECK((model.at("constants") == own[line].at("model").at("constants")) == is_memory);
  }
}

TEST_CASE_METHOD(SharedForms, "fit --share-form says what it does not go with", "[cli][many]") {
  const auto refused = [&](Arguments further) {
    Arguments arguments{"fit", "runs.csv", "--share-form", "--target", "time_s"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    const ProgramResult result = run(arguments);
    CHECK(result.exit_code == 2);
    return result.errors;
  };
  CHECK_THAT(refused({"--expression", "auto"}), ContainsSubstring("--by"));
  CHECK_THAT(refused({"--by", "kernel"}), ContainsSubstring("--expression multi or auto"));
  CHECK_THAT(refused({"--by", "kernel", "--expression", "multi", "--l2", "1"}),
             ContainsSubstring("--l2"));
  CHECK_THAT(refused({"--by", "kernel", "--expression", "multi", "--terms", "2"}),
             ContainsSubstring("--terms"));
}
