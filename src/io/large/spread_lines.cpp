#include "io/large/spread_lines.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/tasks/blocks.hpp"
#include "base/tasks/exchange.hpp"
#include "io/large/corner_lines.hpp"
#include "io/large/line_blocks.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// Of the share of a process, at a time.
constexpr std::uint64_t kBytesOfRound = std::uint64_t{8} << 20;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// What a process keeps of its share beside the configurations.
struct OwnLines {
  LineSample sample;
  CornerLines corners;
  std::vector<MergedLines::OddLine> odd;
  std::uint64_t lines = 0;
};

std::vector<bool> text_fields(const CsvBeginning& beginning, const LineLayout& layout) {
  std::vector<bool> out;
  for (const std::string& name : layout.names)
    out.push_back(beginning.text_columns.contains(name));
  return out;
}

/// The configurations of a part of the file, as messages to those who keep them.
std::vector<std::string> messages_of(const MergedLines& chunk, std::size_t processes) {
  const std::vector<MergedLines> parts = chunk.parted(kBlocks);
  std::vector<std::string> out;
  for (std::size_t to = 0; to < processes; ++to) {
    ByteWriter message;
    for (std::size_t block = first_block(to, processes); block < first_block(to + 1, processes);
         ++block)
      message.add_all(std::string_view(parts[block].bytes()));
    out.push_back(std::move(message).take());
  }
  return out;
}

void write(const std::vector<LineSample::Line>& lines, ByteWriter& out) {
  out.add(static_cast<std::uint64_t>(lines.size()));
  for (const LineSample::Line& line : lines) {
    out.add(line.number);
    out.add_all(std::string_view(line.text));
  }
}

std::vector<LineSample::Line> read_lines(ByteReader& in) {
  std::vector<LineSample::Line> out(in.take_count());
  for (LineSample::Line& line : out) {
    in.take(line.number);
    line.text = in.take_bytes(in.take_count());
  }
  return out;
}

std::string bytes_of(const OwnLines& own) {
  ByteWriter out;
  out.add(own.lines);
  own.sample.write(out);
  own.corners.write(out);
  std::vector<LineSample::Line> odd;
  for (const MergedLines::OddLine& line : own.odd)
    odd.push_back({0, line.number, line.line});
  write(odd, out);
  return std::move(out).take();
}

/// Process 0 puts together what the others have, and tells them.
void put_together(OwnLines own, Processes& processes, SpreadLines& out) {
  std::string told;
  if (processes.number() > 0) {
    processes.send(0, bytes_of(own));
    told = processes.receive(0);
  } else {
    for (std::size_t from = 1; from < processes.count(); ++from) {
      const std::string message = processes.receive(from);
      ByteReader in(message);
      const std::uint64_t lines = in.take_count();
      own.sample.append(LineSample::read(in));
      own.corners.append(own.corners.read(in), own.lines);
      for (LineSample::Line& line : read_lines(in))
        own.odd.push_back({std::move(line.text), own.lines + line.number});
      own.lines += lines;
    }
    const std::vector<LineSample::Line> drawn = own.sample.drawn();
    std::set<std::uint64_t> known;
    for (const LineSample::Line& line : drawn)
      known.insert(line.number);
    std::vector<LineSample::Line> beside = own.corners.lines();
    for (const MergedLines::OddLine& line : own.odd)
      beside.push_back({0, line.number, line.line});
    std::erase_if(beside,
                  [&](const LineSample::Line& line) { return !known.insert(line.number).second; });
    ByteWriter all;
    all.add(own.sample.lines_to_draw_from());
    all.add(!own.odd.empty());
    write(drawn, all);
    write(beside, all);
    told = std::move(all).take();
    for (std::size_t to = 1; to < processes.count(); ++to)
      processes.send(to, told);
  }
  ByteReader in(told);
  in.take(out.lines_to_draw_from);
  in.take(out.has_odd_lines);
  out.drawn = read_lines(in);
  out.corners = read_lines(in);
}

}  // namespace

void agree(Processes& processes, const std::string& failure) {
  for (const std::string& message :
       exchange_messages(processes, std::vector<std::string>(processes.count(), failure)))
    if (!message.empty())
      throw InputError(message);
}

SpreadLines read_spread(const CsvBeginning& beginning, const LineLayout& layout, MergedTimes times,
                        std::size_t before_moments, const LineSample& sample, Processes& processes,
                        const ReadProgress& progress) {
  const std::uint64_t bytes = beginning.size - beginning.rows_at;
  const std::uint64_t count = processes.count();
  const auto begin_of = [&](std::uint64_t process) {
    return beginning.rows_at + bytes / count * process + bytes % count * process / count;
  };
  const std::uint64_t end = begin_of(processes.number() + 1);
  const std::uint64_t rounds = (bytes / count + 1) / kBytesOfRound + 1;
  const MergedLines no_lines(layout, MergedTimes::distinct, {kAll, kAll, kAll});
  SpreadLines out;
  out.blocks.resize(
      first_block(processes.number() + 1, count) - first_block(processes.number(), count),
      MergedLines(layout, times, {kAll, kAll, before_moments}));
  OwnLines own{sample, CornerLines(layout, text_fields(beginning, layout)), {}, 0};
  std::string failure;
  for (std::uint64_t round = 0, from = begin_of(processes.number()); round < rounds; ++round) {
    MergedLines chunk = no_lines;
    const std::uint64_t to = std::min(end, from + kBytesOfRound);
    if (failure.empty()) {
      try {
        for_each_block(beginning.path, from, to, [&](std::string_view lines, std::uint64_t offset) {
          chunk.add(lines);
          own.sample.add(lines, offset);
        });
        own.corners.add(chunk, own.lines);
        for (const MergedLines::OddLine& odd : chunk.odd_lines())
          own.odd.push_back({odd.line, own.lines + odd.number});
        own.lines += chunk.lines();
      } catch (const InputError& error) {
        failure = error.what();
        chunk = no_lines;
      }
    }
    from = to;
    for (const std::string& message : exchange_messages(processes, messages_of(chunk, count))) {
      ByteReader in(message);
      for (MergedLines& block : out.blocks)
        block.append_bytes(in.take_bytes(in.take_count()));
    }
    if (progress)
      progress(round + 1, rounds);
  }
  agree(processes, failure);
  put_together(std::move(own), processes, out);
  return out;
}

}  // namespace perfmodel
