#include "io/large/corner_lines.hpp"

#include <algorithm>
#include <utility>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostTexts = 100'000;

}  // namespace

CornerLines::CornerLines(LineLayout layout, std::vector<bool> text_columns)
    : cutter_(std::move(layout)),
      text_columns_(std::move(text_columns)),
      fields_(cutter_.layout().names.size()) {}

void CornerLines::add(const MergedLines& lines, std::uint64_t first) {
  const LineLayout& layout = cutter_.layout();
  for (std::size_t i = 0; i < lines.configurations(); ++i) {
    const auto [line, number] = lines.configuration(i);
    const std::vector<std::string_view>& cells = cutter_.cells(line);
    for (std::size_t field = 0; field < fields_.size(); ++field) {
      if (layout.plays_no_part[field] || field == layout.time)
        continue;
      const std::optional<double> value = cutter_.number(cells[field]);
      if (!value || text_columns_[field])
        add_text(field, cells[field], first + number, line);
      if (value) {
        keep_least(*value, first + number, line, fields_[field].least);
        keep_least(-*value, first + number, line, fields_[field].largest);
      }
    }
  }
}

void CornerLines::add_text(std::size_t field, std::string_view text, std::uint64_t number,
                           std::string_view line) {
  auto& texts = fields_[field].texts;
  const auto known = texts.find(text);
  if (known != texts.end()) {
    if (number < known->second.number)
      known->second = {0, number, std::string(line)};
    return;
  }
  if (texts.size() == kMostTexts) {
    const std::string& name = cutter_.layout().names[field];
    throw InputError("'" + name + "' has more than " + std::to_string(kMostTexts) +
                     " different texts; leave columns out that are no inputs (" +
                     Field{"ignore", {name}} + ")");
  }
  texts.emplace(text, LineSample::Line{0, number, std::string(line)});
}

void CornerLines::keep_least(double value, std::uint64_t number, std::string_view line,
                             std::optional<Corner>& kept) {
  if (!kept || value < kept->value || (value == kept->value && number < kept->line.number))
    kept = Corner{value, {0, number, std::string(line)}};
}

void CornerLines::append(const CornerLines& other, std::uint64_t behind) {
  for (std::size_t field = 0; field < fields_.size(); ++field) {
    const OfField& next = other.fields_[field];
    for (const auto& [from, to] : {std::pair{&next.least, &fields_[field].least},
                                   std::pair{&next.largest, &fields_[field].largest}})
      if (*from)
        keep_least((*from)->value, behind + (*from)->line.number, (*from)->line.text, *to);
    for (const auto& [text, line] : next.texts)
      add_text(field, text, behind + line.number, line.text);
  }
}

std::vector<LineSample::Line> CornerLines::lines() const {
  std::map<std::uint64_t, LineSample::Line> by_number;
  for (const OfField& field : fields_) {
    for (const auto& corner : {field.least, field.largest})
      if (corner)
        by_number.emplace(corner->line.number, corner->line);
    for (const auto& [text, line] : field.texts)
      by_number.emplace(line.number, line);
  }
  std::vector<LineSample::Line> out;
  for (auto& [number, line] : by_number)
    out.push_back(std::move(line));
  return out;
}

void CornerLines::write(ByteWriter& out) const {
  const auto write_line = [&](const LineSample::Line& line) {
    out.add(line.number);
    out.add_all(std::string_view(line.text));
  };
  for (const OfField& field : fields_) {
    for (const auto& corner : {field.least, field.largest}) {
      out.add(corner.has_value());
      if (!corner)
        continue;
      out.add(corner->value);
      write_line(corner->line);
    }
    out.add(static_cast<std::uint64_t>(field.texts.size()));
    for (const auto& [text, line] : field.texts) {
      out.add_all(std::string_view(text));
      write_line(line);
    }
  }
}

CornerLines CornerLines::read(ByteReader& in) const {
  CornerLines out(cutter_.layout(), text_columns_);
  const auto read_line = [&] {
    LineSample::Line line;
    in.take(line.number);
    line.text = in.take_bytes(in.take_count());
    return line;
  };
  for (OfField& field : out.fields_) {
    for (auto* corner : {&field.least, &field.largest}) {
      bool is_there = false;
      in.take(is_there);
      if (!is_there)
        continue;
      double value = 0;
      in.take(value);
      *corner = Corner{value, read_line()};
    }
    for (std::uint64_t count = in.take_count(); count > 0; --count) {
      std::string text(in.take_bytes(in.take_count()));
      field.texts.emplace(std::move(text), read_line());
    }
  }
  return out;
}

}  // namespace perfmodel
