#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;
using Arguments = std::vector<std::string>;

namespace {

constexpr int kSharingKernels = 5;
constexpr int kSmallKernel = kSharingKernels - 1;  ///< five runs, all of them small

/// All alike but for their size.
double alike_time(int k, double gpus, double batch) {
  return (k + 1) * (std::pow(gpus, -0.8) * std::pow(batch, 0.9) + 2);
}

/// Products whose powers have nothing in common.
double unlike_memory(int k, double gpus, double batch, double cache) {
  return (k + 1) * std::pow(gpus, 1.2 - 0.6 * k) * std::pow(batch, 0.4 * k) * (1 + cache);
}

class SharedForms {
 public:
  SharedForms() {
    options_.directory = directory_.path();
    std::string runs = "kernel,gpus,batch,cache,time_s,memory_mb\n";
    const auto add = [&](int k, double gpus, double batch) {
      // A scatter of 2 % that no smooth function explains.
      const double noise = 1 + 0.02 * std::sin(37 * gpus + 11 * batch + 5 * k);
      const double cache = batch == 32 ? 0 : static_cast<int>(gpus) % 3;
      runs += "k" + to_text(k);
      for (const double value : {gpus, batch, cache, alike_time(k, gpus, batch) * noise,
                                 unlike_memory(k, gpus, batch, cache)})
        runs += "," + to_text(value);
      runs += "\n";
    };
    for (int k = 0; k < kSmallKernel; ++k)
      for (const double gpus : {1, 2, 4, 8})
        for (const double batch : {8, 32, 128})
          add(k, gpus, batch);
    for (const auto& [gpus, batch] :
         std::vector<std::pair<double, double>>{{1, 8}, {2, 8}, {4, 8}, {2, 32}, {4, 32}})
      add(kSmallKernel, gpus, batch);
    directory_.write("runs.csv", runs + "alone,1,8,0,3,4\n");
  }

  ProgramResult run(const Arguments& arguments) const { return run_perfmodel(arguments, options_); }

  ProgramResult fit(const std::string& output, const Arguments& further) const {
    Arguments arguments{"fit", "runs.csv", "--by", "kernel", "--expression", "multi", "-o", output};
    arguments.insert(arguments.end(), further.begin(), further.end());
    const ProgramResult result = run(arguments);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    return result;
  }

  /// Of time alone, for which the cache plays no part.
  ProgramResult fit_time(const std::string& output, const Arguments& further) const {
    Arguments arguments{"--target", "time_s", "--ignore", "memory_mb,cache"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    return fit(output, arguments);
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
        run({"predict", models, "--pick", "kernel == 'k4'", "--set", "gpus=16", "batch=128"});
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
  fit_time("own.jsonl", {});
  fit_time("shared.jsonl", {"--share-form"});
  CHECK(far_error("shared.jsonl") < 0.5 * far_error("own.jsonl"));
  CHECK(far_error("shared.jsonl") < 0.1);

  const std::vector<nlohmann::json> all = lines("shared.jsonl");
  CHECK_FALSE(lines("own.jsonl").front().contains("shared_forms"));
  const nlohmann::json form = all.front().at("shared_forms").at(0);
  CHECK(form.at("target") == "time_s");
  CHECK(form.at("terms") == 1);
  CHECK(form.at("intercept") == true);
  CHECK(form.at("groups") == kSharingKernels);
  CHECK(form.at("rows") == 12 * (kSharingKernels - 1) + 5);
  CHECK(form.at("leads").at(0).at("rows") == 5);
  CHECK(form.at("leads").at(0).at("lead") < 0);
  const nlohmann::json small = all.at(1 + kSmallKernel).at("model").at("search");
  CHECK(small.at("sharing").at("form") == "shared");
  CHECK(small.at("sharing").at("lead") == form.at("leads").at(0).at("lead"));
  CHECK(small.at("form").at("chosen_by") == "groups");
  CHECK_FALSE(lines("own.jsonl").at(1).at("model").at("search").contains("sharing"));

  CHECK_THAT(run({"show", "shared.jsonl"}).output,
             ContainsSubstring("one form of 1 term and C, chosen on 5 groups"));
  CHECK(run({"evaluate", "shared.jsonl", "runs.csv"}).exit_code == 0);
  CHECK(run({"scaling", "shared.jsonl", "--pick", "kernel == 'k4'", "--scale", "gpus=1:16"})
            .exit_code == 0);

  // What resampling moves is drawn to the others, too.
  fit_time("drawn.jsonl", {"--share-form", "--bootstrap", "20"});
  fit_time("alone.jsonl", {"--bootstrap", "20"});
  const auto width = [&](const std::string& name) {
    const nlohmann::json of_batch = lines(name)
                                        .at(1 + kSmallKernel)
                                        .at("model")
                                        .at("bootstrap")
                                        .at("intervals")
                                        .at("p[1,batch]");
    return of_batch.at(1).get<double>() - of_batch.at(0).get<double>();
  };
  CHECK(width("drawn.jsonl") < width("alone.jsonl"));
}

TEST_CASE_METHOD(SharedForms, "fit --share-form is the same for threads, shards and interruptions",
                 "[cli][many]") {
  fit_time("one.jsonl", {"--share-form", "--threads", "1"});
  fit_time("two.jsonl", {"--share-form", "--threads", "2"});
  const std::string whole = text("one.jsonl");
  CHECK(text("two.jsonl") == whole);
  fit_time("part-1.jsonl", {"--share-form", "--shard", "1/2"});
  fit_time("part-2.jsonl", {"--share-form", "--shard", "2/2"});
  REQUIRE(run({"merge", "part-1.jsonl", "part-2.jsonl", "-o", "merged.jsonl"}).exit_code == 0);
  CHECK(text("merged.jsonl") == whole);
  directory_.write("rest.jsonl.partial", whole.substr(0, whole.size() / 2));
  fit_time("rest.jsonl", {"--share-form", "--resume"});
  CHECK(text("rest.jsonl") == whole);
}

TEST_CASE_METHOD(SharedForms,
                 "fit --share-form leaves groups their own forms where these are better",
                 "[cli][many]") {
  const ProgramResult fitted =
      fit("shared.jsonl", {"--share-form", "--target", "time_s,memory_mb"});
  CHECK_THAT(fitted.errors, ContainsSubstring("memory_mb: one form of"));
  fit("own.jsonl", {"--target", "time_s,memory_mb"});
  const std::vector<nlohmann::json> shared = lines("shared.jsonl");
  const std::vector<nlohmann::json> own = lines("own.jsonl");
  REQUIRE(shared.front().at("shared_forms").size() == 2);
  REQUIRE(shared.size() == own.size());
  std::size_t of_their_own = 0;
  for (std::size_t line = 1; line < own.size(); ++line) {
    if (own[line].at("key").at("kernel") == "alone") {
      CHECK(shared[line].at("refused") == own[line].at("refused"));
      continue;
    }
    const nlohmann::json& model = shared[line].at("model");
    const nlohmann::json sharing = model.at("search").at("sharing");
    CHECK((sharing.at("form") == "shared") == (sharing.at("lead") < 0));
    if (own[line].at("target") == "time_s" || sharing.at("form") == "shared")
      continue;
    ++of_their_own;
    CHECK(model.at("constants") == own[line].at("model").at("constants"));
  }
  CHECK(of_their_own >= kSharingKernels - 1);
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
