#include "io/html/timeline_svg.hpp"

#include <array>
#include <cstdio>
#include <string_view>

#include "io/html/markup.hpp"

namespace perfmodel {
namespace {

using ssgd::Span;
using ssgd::SpanKind;

constexpr double kWidth = 960;
constexpr double kMargin = 16;
constexpr double kLabelWidth = 96;
constexpr double kLaneHeight = 36;
constexpr double kLaneGap = 12;
constexpr double kTitleHeight = 36;
constexpr double kAxisHeight = 36;

struct Look {
  std::string_view name;
  std::string_view color;  ///< from a palette that colour-blind readers can tell apart
};

Look look_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::read:
      return {"read", "#56b4e9"};
    case SpanKind::split:
      return {"split", "#f0e442"};
    case SpanKind::copy:
      return {"copy", "#0072b2"};
    case SpanKind::forward:
      return {"forward", "#009e73"};
    case SpanKind::backward:
      return {"backward", "#e69f00"};
    case SpanKind::update:
      return {"update", "#999999"};
    case SpanKind::message:
      return {"message", "#cc79a7"};
  }
  return {};
}

std::string milliseconds(double us) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.4g ms", us / 1000);
  return text.data();
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\">" + escaped_markup(text) + "</text>\n";
}

std::string span_rectangle(const Span& span, double left, double scale, double top) {
  return "<rect x=\"" + coordinate(left + span.start_us * scale) + "\" y=\"" + coordinate(top) +
         "\" width=\"" + coordinate((span.end_us - span.start_us) * scale) + "\" height=\"" +
         coordinate(kLaneHeight) + "\" fill=\"" + std::string(look_of(span.kind).color) +
         "\" stroke=\"#ffffff\" stroke-width=\"0.5\"><title>" + escaped_markup(span.label) + ": " +
         milliseconds(span.start_us) + " to " + milliseconds(span.end_us) + "</title></rect>\n";
}

}  // namespace

std::string timeline_svg(const ssgd::Timeline& timeline, const std::string& title) {
  const auto lanes = ssgd::lanes(timeline);
  const double left = kMargin + kLabelWidth;
  const double scale = (kWidth - left - kMargin) / timeline.total_us;
  const double axis_top =
      kTitleHeight + static_cast<double>(lanes.size()) * (kLaneHeight + kLaneGap);
  const double height = axis_top + kAxisHeight;

  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                    coordinate(kWidth) + " " + coordinate(height) +
                    "\" font-family=\"sans-serif\" font-size=\"13\">\n<title>" +
                    escaped_markup(title) +
                    "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
                    text_at(kMargin, 22, "start", title);
  double top = kTitleHeight;
  for (const auto& [name, spans] : lanes) {
    svg += text_at(kMargin, top + kLaneHeight / 2 + 4, "start", name);
    for (const Span& span : *spans)
      svg += span_rectangle(span, left, scale, top);
    top += kLaneHeight + kLaneGap;
  }
  constexpr int ticks = 5;
  for (int tick = 0; tick <= ticks; ++tick) {
    const double time_us = timeline.total_us * tick / ticks;
    const double x = left + time_us * scale;
    svg += "<line x1=\"" + coordinate(x) + "\" x2=\"" + coordinate(x) + "\" y1=\"" +
           coordinate(kTitleHeight) + "\" y2=\"" + coordinate(axis_top) +
           "\" stroke=\"#888888\" stroke-width=\"0.5\"/>\n" +
           text_at(x, axis_top + 18, tick == ticks ? "end" : "middle", milliseconds(time_us));
  }
  return svg + "</svg>\n";
}

}  // namespace perfmodel
