#include "cli/console.hpp"

#include "base/text.hpp"
#include "support/catch.hpp"

using namespace perfmodel::cli;

namespace {

WorkState folds_at(std::size_t done, double seconds, double seconds_done) {
  WorkState state;
  state.work = "folds";
  state.done = done;
  state.all = 10;
  state.seconds = seconds;
  state.seconds_done = seconds_done;
  return state;
}

}  // namespace

TEST_CASE("the remaining time follows the pace so far", "[cli][progress]") {
  CHECK_FALSE(seconds_left(folds_at(0, 5, 0)));
  CHECK_FALSE(seconds_left(folds_at(1, 5, 4)));  // one part is no pace
  CHECK(seconds_left(folds_at(4, 8, 8)) == 12);  // 2 s each, 6 to go
  CHECK(seconds_left(folds_at(4, 9, 8)) == 11);  // time goes on within a part
  CHECK(seconds_left(folds_at(4, 80, 8)) == 0);  // never less
  CHECK_FALSE(seconds_left(folds_at(10, 20, 20)));
  WorkState uneven = folds_at(4, 8, 8);
  uneven.even = false;
  CHECK_FALSE(seconds_left(uneven));
  WorkState late = folds_at(5, 8, 8);
  late.before = 1;  // four were timed
  CHECK(seconds_left(late) == 10);
}

TEST_CASE("a bar shows phase, share and what is left in the width there is", "[cli][progress]") {
  CHECK(progress_text(folds_at(4, 8, 8), 100) ==
        "folds  [############------------------]  40 %, about 12 s left");
  CHECK(progress_text(folds_at(1, 8, 8), 100) ==
        "folds  [###---------------------------]  10 %, 8 s");
  for (std::size_t width = 20; width <= 120; ++width)
    CHECK(perfmodel::display_width(progress_text(folds_at(4, 8, 8), width)) <= width);
  WorkState unknown;
  unknown.work = "choosing the form";
  unknown.seconds = 7.2;
  CHECK(progress_text(unknown, 100) == "choosing the form, 8 s");
  unknown.seconds = 600;
  CHECK(progress_text(unknown, 100) == "choosing the form, 10 min");
}

TEST_CASE("a bar and what is left are of all work that was planned", "[cli][progress]") {
  WorkState state = folds_at(5, 10, 10);
  state.earlier = 0.5;
  state.share = 0.25;  // as much as what comes behind
  state.seconds_earlier = 30;
  CHECK(seconds_left(state) == 30);  // 2 s each: 5 of these, and 10 that count as much
  CHECK(progress_text(state, 100) ==
        "folds  [##################------------]  62 %, about 30 s left");
  state.even = false;
  CHECK(progress_text(state, 100) == "folds  [##################------------]  62 %, 40 s");
}

TEST_CASE("the remaining time grows only where it was far off", "[cli][progress]") {
  WorkState state = folds_at(4, 8, 8);  // 12 s
  state.last_left = 10;
  CHECK(seconds_left(state) == 10);
  state.last_left = 13;
  CHECK(seconds_left(state) == 12);
  state.last_left = 1;
  CHECK(seconds_left(state) == 12);
}
