#include "ssgd/ssgd.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/random.hpp"
#include "perfmodel/error.hpp"
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

double total_with(const Phases& phases) {
  StudyRequest request = request_for(4, Merge::none);
  request.phases = phases;
  return study(tiny(), request).chosen.total_us;
}

}  // namespace

TEST_CASE("the tiny example ends when the formulas say so", "[ssgd]") {
  const Study none = study(tiny(), request_for(4, Merge::none));
  CHECK(none.chosen.finish_us == Approx(26));
  CHECK(none.chosen.exposed_us == Approx(16));
  CHECK(none.chosen.communication_us == Approx(24));
  CHECK(none.chosen.total_us == Approx(36));
  CHECK(none.single.total_us == Approx(20));
  CHECK(none.speedup == Approx(4 * 20.0 / 36));
  CHECK(none.efficiency == Approx(20.0 / 36));
  CHECK(none.lost_to_communication_us == Approx(16));
  CHECK(none.lost_to_imbalance_us == 0);
  CHECK(none.bound_us == Approx(36));  // 10 + max(10 + 6, 2 + 24)
  CHECK(study(tiny(), request_for(4, Merge::single)).chosen.finish_us == Approx(10 + 4 + 12));
  CHECK(study(tiny(), request_for(4, Merge::mgwfbp)).chosen.finish_us == Approx(22));
}

TEST_CASE(
    "messages that are not overlapped wait for the end of the backward pass, and one worker "
    "sends none",
    "[ssgd]") {
  const Study naive = study(tiny(), request_for(4, Merge::naive));
  CHECK(naive.chosen.total_us == Approx(20 + 24));
  const double r = 24.0 / 20;
  CHECK(naive.speedup == Approx(4 / (1 + r)));
  StudyRequest request;  // without times of messages
  request.workers = 1;
  const Study study = ssgd::study(tiny(), request);
  CHECK(study.chosen.total_us == 20);
  CHECK(study.speedup == 1);
  CHECK(study.chosen.messages.empty());
  CHECK(study.pop.global_efficiency == 1);
}

TEST_CASE("the input pipelines hide what their formulas say", "[ssgd]") {
  // The compute branch takes 36.
  using enum InputPipeline;
  const auto phases = [](double read, double copy, InputPipeline pipeline) {
    return Phases{
        .read_us = read, .split_us = 2, .copy_us = copy, .update_us = 1, .pipeline = pipeline};
  };
  CHECK(total_with(phases(5, 3, serial)) == Approx(5 + 2 + 3 + 37));
  CHECK(total_with(phases(5, 3, host_prefetch)) == Approx(3 + 37));
  CHECK(total_with(phases(50, 3, host_prefetch)) == Approx(52));
  CHECK(total_with(phases(5, 3, device_buffer)) == Approx(37));
  CHECK(total_with(phases(40, 3, device_buffer)) == Approx(45));
  CHECK(total_with(phases(40, 3, three_stages)) == Approx(42));
  CHECK(total_with(phases(5, 60, three_stages)) == Approx(60));
}

TEST_CASE("a shared disk is read once per worker", "[ssgd]") {
  StudyRequest request = request_for(4, Merge::none);
  request.phases.read_us = 5;
  request.phases.copy_us = 3;
  request.shared_disk = true;
  CHECK(study(tiny(), request).chosen.total_us == Approx(36 + 20 + 3));
  request.shared_bus = true;
  const Study both = study(tiny(), request);
  CHECK(both.chosen.total_us == Approx(36 + 20 + 12));
  CHECK(both.single.total_us == Approx(20 + 5 + 3));
}

TEST_CASE("a load imbalance factor stretches compute alone", "[ssgd]") {
  StudyRequest request = request_for(4, Merge::single);
  request.imbalance = imbalance_of_factor(0.5, 4);
  request.phases.update_us = 7;
  const Study study = ssgd::study(tiny(), request);
  CHECK(study.chosen.total_us == Approx(1.5 * 20 + 16 + 7));
  CHECK(study.lost_to_imbalance_us == Approx(10));
  CHECK(study.pop.load_balance == Approx(27.0 / 37));
  CHECK(study.pop.parallel_efficiency == Approx(27.0 / 53));
  CHECK(study.pop.communication_efficiency == Approx(37.0 / 53));
  CHECK(study.pop.communication_efficiency ==
        Approx(study.pop.serialisation_efficiency * study.pop.transfer_efficiency));
  CHECK(study.pop.parallel_efficiency ==
        Approx(study.pop.load_balance * study.pop.communication_efficiency));
}

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

TEST_CASE("strong scaling compares with the whole batch on one worker", "[ssgd]") {
  StudyRequest request = request_for(4, Merge::single);
  request.reference =
      profile_of(test::table_of("layer,t_f_us,t_b_us,grad_bytes\n1,30,42,6000\n"), {});
  request.phases.read_us = 2;
  const Study study = ssgd::study(tiny(), request);
  CHECK(study.strong_scaling);
  CHECK(study.single.total_us == Approx(72 + 8));
  CHECK(study.speedup == Approx(80.0 / 38));
  CHECK(study.pop.computation_scaling == Approx(72.0 / 80));
}

TEST_CASE(
    "schedules without times are left out, and refused where they are chosen, and measured "
    "messages go before the cost model, which compares all",
    "[ssgd]") {
  const Profile measured = profile_of(
      test::table_of("layer,t_f_us,t_b_us,grad_bytes,t_c_us\n1,1,3,100,5\n2,1,4,100,6\n"), {});
  StudyRequest request;
  request.workers = 2;
  const Study study = ssgd::study(measured, request);
  REQUIRE(study.schedules.size() == 2);
  CHECK(study.schedules[0].name == "naive");
  CHECK(study.schedules[1].name == "none");
  CHECK(study.schedules[1].chosen);
  CHECK(study.chosen.finish_us == 15);
  request.merge = {Merge::optimal, 0};
  CHECK_THROWS_WITH(ssgd::study(measured, request),
                    "how long does a message take? Pass a cost model (--allreduce, "
                    "--fit-allreduce or --message-start-us), or, without merging, a file with a "
                    "column t_c_us");

  const Study costed = ssgd::study(measured, request_for(2, Merge::none));
  REQUIRE(costed.schedules.size() == 7);
  CHECK(costed.schedules[1].measured);
  CHECK(costed.schedules[1].chosen);
  CHECK_FALSE(costed.schedules[3].measured);
  CHECK_FALSE(costed.schedules[3].chosen);
  CHECK(costed.chosen.finish_us == 15);
}

TEST_CASE("a layer without a gradient sends no message", "[ssgd]") {
  const Profile profile = profile_of(
      test::table_of("layer,t_f_us,t_b_us,grad_bytes\n1,1,3,0\n2,1,4,100\n3,1,4,0\n"), {});
  StudyRequest request = request_for(2, Merge::none);
  const Study study = ssgd::study(profile, request);
  CHECK(study.chosen.messages.size() == 1);
  CHECK(study.chosen.finish_us == Approx(12.2));  // ready at 8
  request.cost = LinearCost{1, 0};
  CHECK(ssgd::study(profile, request).chosen.finish_us == 11);  // hidden: the backward pass ends
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
