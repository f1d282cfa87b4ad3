#include "cli/terminal/progress_text.hpp"

#include <algorithm>
#include <cmath>

#include "base/readable.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kFewestPartsOfPace = 2;

/// "8 s", "3 min", "2 h 5 min": as exact as an estimate is.
std::string duration_text(double seconds) {
  const auto whole = [](double x) { return std::to_string(std::lround(x)); };
  if (seconds < 90)
    return whole(std::ceil(seconds)) + " s";
  if (seconds < 5400)
    return whole(seconds / 60) + " min";
  const double hours = std::floor(seconds / 3600);
  return whole(hours) + " h " + whole((seconds - 3600 * hours) / 60) + " min";
}

std::string bar(double share, std::size_t width) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(width));
  return "[" + std::string(full, '#') + std::string(width - full, '-') + "]";
}

}  // namespace

std::optional<double> seconds_left(const WorkState& state) {
  const std::size_t timed = state.done - state.before;
  if (!state.even || timed < kFewestPartsOfPace || state.done >= state.all)
    return std::nullopt;
  const double pace = state.seconds_done / static_cast<double>(timed);
  const double since = state.seconds - state.seconds_done;
  return std::max(0.0, pace * static_cast<double>(state.all - state.done) - since);
}

std::string progress_text(const WorkState& state, std::size_t width) {
  std::string end = ", " + duration_text(state.seconds);
  if (!state.detail.empty())
    end = ", " + state.detail + end;
  if (state.all == 0)
    return clipped(state.work + end, width);
  const double share =
      std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.all));
  const std::string percentage = std::to_string(static_cast<int>(100 * share)) + " %";
  if (const auto left = seconds_left(state))
    end = ", about " + duration_text(*left) + " left";
  const std::size_t taken = display_width(state.work) + percentage.size() + end.size() + 8;
  std::string text = state.work + "  ";
  if (taken + 10 <= width)
    text += bar(share, std::min<std::size_t>(width - taken, 30)) + "  ";
  return clipped(text + percentage + end, width);
}

}  // namespace perfmodel::cli
