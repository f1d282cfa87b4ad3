#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;
using Arguments = std::vector<std::string>;

namespace {

constexpr int kSharingKernels = 6;

/// Kernel k takes (k + 1) * (gpus^-0.8 batch^0.9 + 2): all alike but for their size. The first ones
/// have all runs, the last one has five, all of them small.
double time_of_kernel(int k, double gpus, double batch) {
  return (k + 1) * (std::pow(gpus, -0.8) * std::pow(batch, 0.9) + 2);
}

class SharedForms {
 public:
  SharedForms() {
    options_.directory = directory_.path();
    std::string runs = "kernel,gpus,batch,time_s\n";
    const auto add = [&](int k, double gpus, double batch) {
      // A scatter of 2 % that no smooth function explains.
      const double noise = 1 + 0.02 * std::sin(37 * gpus + 11 * batch + 5 * k);
      runs += "k" + to_text(k) + "," + to_text(gpus) + "," + to_text(batch) + "," +
              to_text(time_of_kernel(k, gpus, batch) * noise) + "\n";
    };
    for (int k = 0; k + 1 < kSharingKernels; ++k)
      for (const double gpus : {1, 2, 4, 8, 16})
        for (const double batch : {8, 32, 128})
          add(k, gpus, batch);
    const int last = kSharingKernels - 1;
    for (const auto& [gpus, batch] :
         std::vector<std::pair<double, double>>{{1, 8}, {2, 8}, {4, 8}, {2, 32}, {4, 32}})
      add(last, gpus, batch);
    directory_.write("runs.csv", runs);
  }

  ProgramResult run(const Arguments& arguments) const { return run_perfmodel(arguments, options_); }

  void fit(const std::string& output, const Arguments& further) const {
    Arguments arguments{"fit", "runs.csv", "--by", "kernel", "--expression", "auto", "-o", output};
    arguments.insert(arguments.end(), further.begin(), further.end());
    const ProgramResult result = run(arguments);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
  }

  std::string text(const std::string& name) const { return read_text(directory_.file(name)); }

  std::vector<nlohmann::json> lines(const std::string& name) const {
    std::istringstream all(text(name));
    std::vector<nlohmann::json> out;
    for (std::string line; std::getline(all, line);)
      out.push_back(nlohmann::json::parse(line));
    return out;
  }

  /// |ln(predicted / true)| of a kernel far from its runs.
  double error_at(const std::string& models, int k, double gpus, double batch) const {
    const ProgramResult result =
        run({"predict", models, "--pick", "kernel == 'k" + to_text(k) + "'", "--set",
             "gpus=" + to_text(gpus), "batch=" + to_text(batch)});
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    return std::abs(std::log(std::stod(result.output) / time_of_kernel(k, gpus, batch)));
  }

 protected:
  TemporaryDirectory directory_;
  ProgramOptions options_;
};

}  // namespace

TEST_CASE_METHOD(SharedForms, "fit --share-form lets a group of few rows know what others do",
                 "[cli][many]") {
  fit("own.jsonl", {});
  fit("shared.jsonl", {"--share-form", "--threads", "1"});
  const std::vector<nlohmann::json> all = lines("shared.jsonl");
  CHECK_FALSE(lines("own.jsonl").front().contains("shared_forms"));
  const nlohmann::json form = all.front().at("shared_forms").at(0);
  CHECK(form.at("target") == "time_s");
  CHECK(form.at("groups") == kSharingKernels);
  CHECK(form.at("rows") == 15 * (kSharingKernels - 1) + 5);
  for (std::size_t line = 1; line < all.size(); ++line) {
    const nlohmann::json& constants = all[line].at("model").at("constants");
    CHECK(constants.at("terms").size() == form.at("terms"));
  }
  // Of the kernel with five runs, where neither its scale nor its batches reach.
  const int last = kSharingKernels - 1;
  CHECK(error_at("shared.jsonl", last, 16, 128) < 0.5 * error_at("own.jsonl", last, 16, 128));
  CHECK(error_at("shared.jsonl", last, 16, 128) < 0.1);
  CHECK(error_at("shared.jsonl", 0, 16, 128) < 0.04);  // twice the scatter of a run

  // The same bytes for any number of threads and shards, and where a run goes on.
  fit("two.jsonl", {"--share-form", "--threads", "2"});
  CHECK(text("two.jsonl") == text("shared.jsonl"));
  fit("part-1.jsonl", {"--share-form", "--shard", "1/2"});
  fit("part-2.jsonl", {"--share-form", "--shard", "2/2"});
  REQUIRE(run({"merge", "part-1.jsonl", "part-2.jsonl", "-o", "merged.jsonl"}).exit_code == 0);
  CHECK(text("merged.jsonl") == text("shared.jsonl"));
  const std::string whole = text("shared.jsonl");
  directory_.write("rest.jsonl.partial", whole.substr(0, whole.size() / 2));
  fit("rest.jsonl", {"--share-form", "--resume"});
  CHECK(text("rest.jsonl") == whole);
}

TEST_CASE_METHOD(SharedForms, "fit --share-form says what it does not go with", "[cli][many]") {
  const auto refused = [&](Arguments further) {
    Arguments arguments{"fit", "runs.csv", "--share-form"};
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
