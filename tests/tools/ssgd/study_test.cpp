#include "ssgd/ssgd.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/random.hpp"
#include "perfmodel/reading.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"

using namespace perfmodel;
using namespace perfmodel::ssgd;
using Catch::Approx;

namespace {

/// The tiny example with forward times of 10 in all.
Profile tiny() {
  return profile_of(test::table_of("layer,t_f_us,t_b_us,grad_bytes\n"
                                   "1,4,3,1000\n2,3,5,2000\n3,3,2,3000\n"),
                    {});
}

StudyRequest request_for(std::size_t workers, Merge merge) {
  StudyRequest request;
  request.workers = workers;
  request.cost = LinearCost{4, 0.002};
  request.merge = {merge, 0};
  return request;
}

}  // namespace

TEST_CASE("among measured workers the slowest decides, gradient by gradient", "[ssgd]") {
  const Profile profile =
      profile_of(test::table_of("worker,layer,t_f_us,t_b_us,grad_bytes\n"
                                "a,1,2,1,10\na,2,2,8,10\n"   // forward 4, ready 8 and 9
                                "b,1,3,6,10\nb,2,3,2,10\n",  // forward 6, ready 2 and 8
                                {"worker"}),
                 {});
  const Compute slowest = slowest_compute(profile);
  CHECK(slowest.forward_us == 6);
  CHECK(slowest.ready_us[1] == 6);  // worker a: 4 + 8 - 6
  CHECK(slowest.ready_us[0] == 8);  // worker b; worker a: 4 + 9 - 6
  const Compute balanced = balanced_compute(profile);
  CHECK(balanced.forward_us == 5);
  CHECK(balanced.ready_us[0] == 8.5);

  StudyRequest request = request_for(2, Merge::single);
  request.cost = LinearCost{1, 0};
  const Study study = ssgd::study(profile, request);
  CHECK(study.chosen.total_us == 15);
  CHECK(study.lost_to_imbalance_us == Approx(0.5));
  CHECK(study.imbalance.imbalance_ratio == Approx(14 / 13.5));
  request.workers = 3;
  CHECK_THROWS_WITH(ssgd::study(profile, request), "the file has the times of 2 workers, not of 3");
}

TEST_CASE("no schedule is faster than compute and none slower than naive", "[ssgd]") {
  RandomStream random(4, "ssgd study");
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::string csv = "layer,t_f_us,t_b_us,grad_bytes\n";
    const std::size_t layers = 1 + random.below(20);
    for (std::size_t l = 1; l <= layers; ++l) {
      for (const std::size_t cell : {l, 1 + random.below(50), 1 + random.below(50)}) {
        csv += std::to_string(cell);
        csv += ',';
      }
      csv += std::to_string(random.below(1000));
      csv += '\n';
    }
    StudyRequest request = request_for(2 + random.below(6), Merge::optimal);
    request.cost = LinearCost{random.uniform(0, 20), random.uniform(0, 0.05)};
    const Study study = ssgd::study(profile_of(test::table_of(csv), {}), request);
    const double naive = study.schedules.front().iteration.total_us;
    for (const auto& schedule : study.schedules) {
      REQUIRE(schedule.iteration.total_us >= study.single.total_us * (1 - 1e-12));
      REQUIRE(schedule.iteration.total_us <= naive * (1 + 1e-12));
      REQUIRE(study.chosen.total_us <= schedule.iteration.total_us * (1 + 1e-12));
    }
    REQUIRE(study.bound_us <= study.schedules[1].iteration.total_us * (1 + 1e-12));
  }
}

TEST_CASE("the lanes of a timeline hold the iteration and do not overlap", "[ssgd]") {
  StudyRequest request = request_for(4, Merge::mgwfbp);
  request.phases = {.read_us = 5, .split_us = 1, .copy_us = 2, .update_us = 3};
  for (const auto& [pipeline, text] : texts_of(InputPipeline{})) {
    request.phases.pipeline = pipeline;
    const Study study = ssgd::study(tiny(), request);
    const Timeline timeline = timeline_of(tiny(), study.chosen);
    REQUIRE(timeline.lanes.size() == 4);
    for (const auto& [name, spans] : timeline.lanes) {
      double now = 0;
      for (const Span& span : spans) {
        CHECK(span.start_us >= now - 1e-9);
        CHECK(span.end_us <= timeline.total_us + 1e-9);
        now = span.end_us;
      }
    }
    if (pipeline == InputPipeline::serial)
      CHECK(timeline.lanes[2].spans.back().end_us == Approx(timeline.total_us));
  }
}

TEST_CASE("the public GoogLeNet traces give the published figures", "[ssgd][needs-shared-data]") {
  // Traces of eight K80 nodes and less, too large for a test; the figures are theirs.
  const char* folder = std::getenv("PERFMODEL_SHARED_DATA");
  REQUIRE(folder != nullptr);
  struct Golden {
    std::size_t nodes;
    double backward, communication, finish, exposed, naive, iteration, speedup_naive, speedup;
    double start, per_byte, r2;
    double none, single, greedy, optimal;
  };
  const Golden goldens[] = {
      {2, 200329.3, 153993, 200733.3, 404, 454486.95, 300897.95, 1.322344, 1.997315, 114.158907,
       0.00164281269, .9958, 200505.7018, 288361.1168, 200505.7018, 200505.7018},
      {4, 206782.922, 261512, 261989.44, 55206.518, 571686.383, 365380.901, 2.170242, 3.395628,
       258.447165, 0.00201736917, .9856, 207117.8032, 315003.9953, 207117.8032, 207117.8032},
      {8, 205334.312, 310738, 311199.088, 105864.776, 618739.468, 413866.244, 3.982309, 5.953643,
       830.211966, 0.00333728493, .9461, 232194.6095, 384764.4796, 206290.967, 206290.967},
  };
  for (const Golden& golden : goldens) {
    const std::string nodes = std::to_string(golden.nodes);
    CAPTURE(nodes);
    const std::filesystem::path traces = std::filesystem::path(folder) / "ssgd";
    const Profile profile = profile_of(read_csv(traces / ("googlenet_k80_" + nodes + "node.csv")),
                                       {.bytes_per_element = 4, .forward_share = 0.5});
    REQUIRE(profile.layers.size() == 64);
    CHECK(profile.gradient_bytes() == 4 * 13379136.0);
    const LatencyFit fit =
        fit_latencies(latencies_of(read_csv(traces / ("osu_allreduce_" + nodes + ".csv"))), 12288);
    const auto six_digits = [](double value) { return Approx(value).epsilon(5e-9); };
    CHECK(fit.cost.start_us == six_digits(golden.start));
    CHECK(fit.cost.per_byte_us == six_digits(golden.per_byte));
    CHECK(fit.r2 == Approx(golden.r2).margin(5e-5).epsilon(0));

    StudyRequest request;
    request.workers = golden.nodes;
    request.cost = fit.cost;
    const Study study = ssgd::study(profile, request);
    const auto close = [](double value) { return Approx(value).margin(6e-4).epsilon(0); };
    CHECK(study.chosen.compute.backward_us() == close(golden.backward));
    CHECK(study.chosen.communication_us == close(golden.communication));
    CHECK(study.chosen.finish_us == close(golden.finish));
    CHECK(study.chosen.exposed_us == close(golden.exposed));
    CHECK(study.chosen.total_us == close(golden.iteration));
    CHECK(study.bound_us == close(golden.iteration));
    const auto digits = [](double value) { return Approx(value).margin(6e-7).epsilon(0); };
    CHECK(study.speedup == digits(golden.speedup));
    CHECK(study.schedules[0].iteration.total_us == close(golden.naive));
    CHECK(study.schedules[0].speedup == digits(golden.speedup_naive));

    const auto exact = [](double value) { return Approx(value).margin(6e-5).epsilon(0); };
    REQUIRE(study.schedules.size() == 7);
    CHECK(study.schedules[3].iteration.finish_us == exact(golden.none));
    CHECK(study.schedules[4].iteration.finish_us == exact(golden.single));
    CHECK(study.schedules[5].iteration.finish_us == exact(golden.greedy));
    CHECK(study.schedules[6].iteration.finish_us == exact(golden.optimal));
  }
}
