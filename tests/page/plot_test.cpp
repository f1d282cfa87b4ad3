// The picture of a model in the terminal.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;

namespace {

constexpr std::size_t kLines = 18;

/// A place in dots: two in a column of the picture, four in a line of it.
struct Dot {
  double x = 0;
  double y = 0;
};

/// A tick: its dots are the middle of its cell.
struct Label {
  double value = 0;
  double dot = 0;
};

/// A picture in braille, read without the program's code.
struct Decoded {
  std::vector<Dot> dots;
  std::vector<Dot> runs;
  std::vector<Label> times;
  std::vector<Label> scales;
};

/// The characters of UTF-8 as code points.
std::vector<std::uint32_t> code_points(const std::string& text) {
  std::vector<std::uint32_t> out;
  for (const char byte : text) {
    const auto bits = static_cast<unsigned char>(byte);
    if ((bits & 0xC0U) == 0x80U)
      out.back() = out.back() << 6U | (bits & 0x3FU);
    else
      out.push_back(bits >= 0xE0U ? bits & 0x0FU : bits);
  }
  return out;
}

void decode_cell(std::uint32_t cell, std::size_t column, std::size_t line, Decoded& out) {
  const Dot corner{2 * static_cast<double>(column), 4 * static_cast<double>(line)};
  if (cell == 'o')
    out.runs.push_back({corner.x + 0.5, corner.y + 1.5});
  // Unicode numbers the dots of a cell 1 2 3 7 downwards on the left, and 4 5 6 8 on the right.
  const std::vector<Dot> places = {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}};
  for (std::size_t bit = 0; cell >= 0x2800 && bit < 8; ++bit)
    if ((cell - 0x2800) >> bit & 1U)
      out.dots.push_back({corner.x + places[bit].x, corner.y + places[bit].y});
}

Decoded decoded(const std::string& picture) {
  std::istringstream lines(picture);
  std::string text;
  std::getline(lines, text);  // the title
  Decoded out;
  std::size_t margin = 0;
  for (std::size_t line = 0; line < kLines; ++line) {
    REQUIRE(std::getline(lines, text));
    margin = text.find('|') + 1;
    if (const std::string label = text.substr(0, margin - 1);
        label.find_first_not_of(' ') != label.npos)
      out.times.push_back({std::stod(label), 4 * static_cast<double>(line) + 1.5});
    const auto cells = code_points(text.substr(margin));
    for (std::size_t column = 0; column < cells.size(); ++column)
      decode_cell(cells[column], column, line, out);
  }
  std::string labels;
  REQUIRE(std::getline(lines, text));
  REQUIRE(std::getline(lines, labels));
  for (std::size_t at = margin; at < text.size(); ++at)
    if (text[at] == '+')
      out.scales.push_back(
          {std::stod(labels.substr(at)), 2 * static_cast<double>(at - margin) + 0.5});
  return out;
}

/// Where a value is on a logarithmic axis, by its outermost ticks.
double dot_of(double value, const std::vector<Label>& ticks) {
  const Label& a = ticks.front();
  const Label& b = ticks.back();
  return a.dot + (b.dot - a.dot) * std::log(value / a.value) / std::log(b.value / a.value);
}

/// t = size / (100 workers) in seconds; without noise, so that there is a line and no band.
class PlotTest : public ProgramTest {
 public:
  PlotTest() {
    std::string csv = "size,workers,time_s\n";
    for (const double size : {100., 200., 400., 800.})
      for (const double workers : {1., 2., 4., 8., 16., 32.})
        csv += csv_row(size, workers, size / 100 / workers);
    write("runs.csv", csv);
    run({"fit", "runs.csv", "-o", "m.json", "--extrinsic", "workers"}).succeeded();
  }
};

}  // namespace

TEST_CASE_METHOD(PlotTest, "the dots of a picture lie on the planted law", "[plot]") {
  program_options.environment["LC_ALL"] = "C.UTF-8";
  const std::string text =
      run({"show", "m.json", "runs.csv", "--plot", "--over", "workers"}).succeeded().output;
  INFO(text);
  const Decoded picture = decoded(text);
  REQUIRE(picture.times.size() >= 2);
  REQUIRE(picture.scales.size() >= 2);
  const double size =
      100 * std::pow(2, std::floor((std::stod(text.substr(text.find("line ") + 5)) - 2) / 6));
  const bool in_ms = text.find("[ms]") != std::string::npos;
  const auto line_at = [&](double workers) {
    return dot_of(size / 100 / workers * (in_ms ? 1000 : 1), picture.times);
  };
  // A tick is known by its cell only: half a cell of each axis, and the rounding of a dot.
  const double tolerance = 2 + 1 + 1;
  CHECK(picture.runs.size() == 6);
  for (const double workers : {1., 2., 4., 8., 16., 32.})
    CHECK(std::ranges::any_of(picture.runs, [&](const Dot& run) {
      return std::abs(run.x - dot_of(workers, picture.scales)) <= 3 &&
             std::abs(run.y - line_at(workers)) <= tolerance;
    }));
  // The logarithm of the law is straight: so are the dots, to within one. Beyond the runs there is
  // a band, too.
  std::vector<Dot> within = picture.dots;
  std::erase_if(within, [&](const Dot& dot) { return dot.x > dot_of(32, picture.scales); });
  const auto [first, last] = std::ranges::minmax(within, {}, &Dot::x);
  CHECK(last.x - first.x > 60);
  for (const Dot& dot : within) {
    const double line = first.y + (last.y - first.y) * (dot.x - first.x) / (last.x - first.x);
    CHECK(std::abs(dot.y - line) <= 1);
  }
  CHECK(std::abs(first.y - line_at(1)) <= tolerance);
}
