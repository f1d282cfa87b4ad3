#include "base/plain_bytes.hpp"
#include "io/large/merged_lines.hpp"

namespace perfmodel {

std::string MergedLines::bytes() const {
  ByteWriter out;
  out.add(lines_);
  out.add_all(std::string_view(texts_));
  out.add_all(known_);
  out.add_all(times_);
  out.add(static_cast<std::uint64_t>(sums_.size()));
  for (const Sums& sums : sums_) {
    out.add(sums.runs);
    for (const ExactSum* sum : {&sums.sum, &sums.squares, &sums.log_sum, &sums.log_squares})
      sum->write(out);
  }
  out.add(static_cast<std::uint64_t>(lists_.size()));
  for (std::size_t i = 0; i < lists_.size(); ++i) {
    const SharedTimes list = time_list(i);
    out.add_all(list->times);
    out.add_all(list->runs);
  }
  out.add(static_cast<std::uint64_t>(odd_.size()));
  for (const OddLine& odd : odd_) {
    out.add(odd.number);
    out.add_all(std::string_view(odd.line));
  }
  out.add(static_cast<std::uint64_t>(failed_.size()));
  for (const auto& [cell, failed] : failed_) {
    out.add_all(std::string_view(cell));
    out.add(failed.runs);
    out.add_all(failed.lines);
  }
  return std::move(out).take();
}

void MergedLines::append_bytes(std::string_view bytes) {
  MergedLines next(cutter_.layout(), kept_, limits_);
  ByteReader in(bytes);
  in.take(next.lines_);
  next.texts_ = in.take_bytes(in.take_count());
  in.take_all(next.known_);
  in.take_all(next.times_);
  next.sums_.resize(in.take_count());
  for (Sums& sums : next.sums_) {
    in.take(sums.runs);
    for (ExactSum* sum : {&sums.sum, &sums.squares, &sums.log_sum, &sums.log_squares})
      *sum = ExactSum::read(in);
  }
  next.lists_.resize(in.take_count());
  for (TimeCollector& times : next.lists_) {
    TimeList list;
    in.take_all(list.times);
    in.take_all(list.runs);
    times.add(list);
  }
  next.odd_.resize(in.take_count());
  for (OddLine& odd : next.odd_) {
    in.take(odd.number);
    odd.line = in.take_bytes(in.take_count());
  }
  for (std::uint64_t count = in.take_count(); count > 0; --count) {
    Failed& failed = next.failed_[std::string(in.take_bytes(in.take_count()))];
    in.take(failed.runs);
    in.take_all(failed.lines);
  }
  append(next);
}

std::vector<MergedLines> MergedLines::parted(std::size_t parts) const {
  std::vector<MergedLines> out(parts, MergedLines(cutter_.layout(), kept_, limits_));
  struct Place {
    MergedLines* part;
    std::uint32_t configuration;
  };
  std::vector<Place> places;
  places.reserve(known_.size());
  const std::string_view texts = texts_;
  for (const Known& known : known_) {
    // The lower bits say where a configuration is within its part.
    MergedLines& part = out[(known.hash >> 32) * parts >> 32];
    places.push_back(
        {&part, part.find_or_add(texts.substr(known.key, known.key_size), known.hash,
                                 texts.substr(known.key + known.key_size, known.line_size), 0)});
  }
  for (const Times& times : times_) {
    const Place& place = places[times.configuration];
    place.part->add_times({times.time, times.runs, 0, place.configuration});
  }
  return out;
}

}  // namespace perfmodel
