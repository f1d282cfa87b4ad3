#include "cli/commands/ssgd/timeline_text.hpp"

#include <algorithm>
#include <cmath>

#include "cli/terminal/text_table.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kMostCells = 84;
constexpr std::size_t kLabelWidth = 13;

/// Neighbours of one kind have to be told apart: they take turns.
char mark(ssgd::SpanKind kind, std::size_t turn) {
  using ssgd::SpanKind;
  const bool odd = turn % 2 == 1;
  switch (kind) {
    case SpanKind::read:
      return 'r';
    case SpanKind::split:
      return 's';
    case SpanKind::copy:
      return 'c';
    case SpanKind::forward:
      return 'F';
    case SpanKind::backward:
      return odd ? 'b' : 'B';
    case SpanKind::update:
      return 'U';
    case SpanKind::message:
      return odd ? '-' : '=';
  }
  return '?';
}

std::string lane_text(const std::vector<ssgd::Span>& spans, double total_us, std::size_t cells) {
  std::string line(cells, ' ');
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto cell = [&](double time_us) {
      const double position = std::round(time_us / total_us * static_cast<double>(cells));
      return std::min(static_cast<std::size_t>(position), cells);
    };
    // A span too short to be seen is left out; its neighbours touch there.
    for (std::size_t c = cell(spans[i].start_us); c < cell(spans[i].end_us); ++c)
      line[c] = mark(spans[i].kind, i);
  }
  return line;
}

}  // namespace

std::string timeline_text(const ssgd::Timeline& timeline, std::size_t width) {
  const std::size_t cells = std::min(kMostCells, width - kLabelWidth - 2);
  std::string text;
  for (const auto& [name, spans] : ssgd::lanes(timeline)) {
    text += name + std::string(kLabelWidth - name.size(), ' ') + "|" +
            lane_text(*spans, timeline.total_us, cells) + "|\n";
  }
  const std::string end = short_number(timeline.total_us / 1000) + " ms";
  text += std::string(kLabelWidth + 1, ' ') + "0" + std::string(cells - 1 - end.size(), ' ') + end +
          "\n";
  return text +
         "r read, s split, c copy, F forward, B b backward of a layer, = - a message, U update\n";
}

}  // namespace perfmodel::cli
