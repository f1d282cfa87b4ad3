#include "analysis/model_words.hpp"

#include "support/catch.hpp"

using namespace perfmodel;
using Catch::Matchers::EndsWith;

TEST_CASE("the effect of doubling a scale is stated in plain words", "[words]") {
  CHECK(change_in_words(1.3149) == "1.31 times slower");
  CHECK(change_in_words(0.5) == "2 times faster");
  CHECK(change_in_words(1.004) == "less than 0.5 % change");
  CHECK(change_in_words(0.996) == "less than 0.5 % change");
  CHECK(change_in_words(1) == "no effect in the model");
  Effect effect{.column = "workers", .from = 1., .to = 2., .ratio = 1.25};
  CHECK(effect_in_words(effect) == "1 -> 2: 1.25 times slower");
  effect.interval = Interval{1.125, 1.5};
  CHECK(effect_in_words(effect) == "1 -> 2: 1.25 times slower (1.12 .. 1.5)");
  effect.interval = Interval{0.9, 1.5};
  CHECK(effect_in_words(effect) == "1 -> 2: 1.25 times slower (0.9 .. 1.5)?");
  effect = {.column = "workers", .from = 3., .to = 6., .ratio = 0.8, .measured = false};
  CHECK(effect_in_words(effect) == "3 -> 6: 1.25 times faster (extrapolated)");
  // Both values of an input that is no scale were measured, but not with the others.
  ModelSpec spec;
  spec.target = "time";
  CHECK(effect_in_words(effect, &spec) == "3 -> 6: 1.25 times faster (combination not measured)");
  effect = {.column = "activation", .from = "relu", .to = "tanh", .ratio = 0.8};
  effect.interval = Interval{0.5, 1};
  CHECK(effect_in_words(effect) == "relu -> tanh: 1.25 times faster (1 .. 2)?");
}

TEST_CASE("the band of an effect over the runs is stated in plain words", "[words]") {
  Effect effect{.column = "checkpointing", .from = "no", .to = "yes", .ratio = 1.25};
  CHECK_FALSE(effect.differs());
  effect.over_runs = Interval{1.2, 1.4};
  CHECK_FALSE(effect.differs());
  effect.over_runs = Interval{0.999, 1.64};
  CHECK(effect.differs());
  CHECK(band_in_words(effect, Measure::time) == "1 .. 1.64 times slower");
  effect.over_runs = Interval{0.5, 0.8};
  CHECK(band_in_words(effect, Measure::time) == "1.25 .. 2 times faster");
  effect.over_runs = Interval{0.5, 1.5};
  CHECK(band_in_words(effect, Measure::memory) == "2 times less .. 1.5 times more");
}

TEST_CASE("only a time is slower and only its runs take longer", "[words]") {
  const Effect effect{.column = "tokens", .from = 1., .to = 2., .ratio = 1.25};
  ModelSpec spec;
  spec.target = "VmHWM";
  spec.extrinsic = {{"tokens", 1, 2}};
  CHECK(effect_in_words(effect, &spec) == "1 -> 2: 1.25 times more");
  CHECK(change_in_words(0.5, measure_of(spec)) == "2 times less");
  CHECK(change_in_words(0.5, Measure::rate) == "2 times lower");
  CHECK(change_in_words(2, Measure::other) == "2 times more");
  const DriftFigure bias{"bias", -3, Interval{-4, -2}};
  CHECK(bias_lines({bias}, 10, Measure::memory) ==
        std::vector<std::string>{
            "bias: measured values are 3.0 % lower than predicted (95 % interval -4 .. -2)"});
}

TEST_CASE("what limits a model is said where its errors matter", "[words]") {
  const NoiseFloor floor{.rows = 30, .groups = 10, .mape_percent = 2};
  CHECK(noise_floor_in_words(4, floor) ==
        "model 4.0 %, noise floor 2.0 % from 30 replicated rows: the shape limits it");
  CHECK_THAT(noise_floor_in_words(2.6, floor), EndsWith("rows: shape and noise both limit it"));
  CHECK_THAT(noise_floor_in_words(2.1, floor), EndsWith("rows: at the noise floor"));
  // Where all runs take longer, it is not the shape.
  const DriftFigure slow{"bias", 3, Interval{2, 4}};
  CHECK_THAT(noise_floor_in_words(4, floor, slow), EndsWith("rows: the bias limits it"));
  CHECK_THAT(noise_floor_in_words(20, floor, slow), EndsWith("rows: the bias is a part of it"));
  CHECK_THAT(noise_floor_in_words(2.1, floor, slow), EndsWith("rows: at the noise floor"));
  const DriftFigure unsure{"bias", 3, Interval{-1, 7}};
  CHECK_THAT(noise_floor_in_words(4, floor, unsure), EndsWith("rows: the shape limits it"));
  // A bias that is most of the error is a drift.
  const std::string words = "bias: runs take 3.0 % longer than predicted (95 % interval 2 .. 4)";
  CHECK(bias_lines({slow}, 10, Measure::time) == std::vector{words});
  CHECK(bias_lines({slow}, 4, Measure::time) == std::vector{words + ": drift, or another machine"});
  CHECK(bias_lines({slow, {{"net", "gpt", {"bias", 25, Interval{22, 28}}, 26}}, {"bias", 0.5, {}}},
                   10, Measure::time) ==
        std::vector<std::string>{
            words, "net = gpt: 25.0 % longer (95 % interval 22 .. 28): drift, or another machine",
            "all others: 0.5 % longer"});
  // The error of other runs counts, not that of the fit's own.
  CHECK(noise_floor_in_words(2.1, floor, {}, 14) ==
        "model 2.1 %, 14.0 % on held-out runs, noise floor 2.0 % from 30 replicated rows: at the "
        "noise floor on its own runs only");
  CHECK_THAT(noise_floor_in_words(2.1, floor, {}, 2.2), EndsWith("rows: at the noise floor"));
  // 0.04 % is shown as none, whatever the noise is.
  for (const double noise : {0.001, 0.033, 2.0}) {
    const NoiseFloor other{.rows = 30, .groups = 10, .mape_percent = noise};
    CHECK_THAT(noise_floor_in_words(0.04, other), EndsWith(" from 30 replicated rows"));
  }
}
