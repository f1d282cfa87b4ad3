#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "cli/console.hpp"
#include "cli/texts.hpp"
#include "report/document.hpp"
#include "ssgd/ssgd.hpp"

namespace perfmodel::cli {

namespace {

constexpr std::size_t kMostCells = 84;
constexpr std::size_t kLabelWidth = 13;

/// Two characters per kind, in its order: those of adjacent spans alternate, so that they can be
/// distinguished.
constexpr std::array<std::string_view, 7> kMarks = {"rr", "ss", "cc", "FF", "Bb", "UU", "=-"};

std::string lane_text(const std::vector<ssgd::Span>& spans, double total_us, std::size_t cells) {
  std::string line(cells, ' ');
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto cell = [&](double time_us) {
      const double position = std::round(time_us / total_us * static_cast<double>(cells));
      return std::min(static_cast<std::size_t>(position), cells);
    };
    // A span shorter than a cell is left out.
    for (std::size_t c = cell(spans[i].start_us); c < cell(spans[i].end_us); ++c)
      line[c] = kMarks[static_cast<std::size_t>(spans[i].kind)][i % 2];
  }
  return line;
}

/// The lanes of one iteration as lines of at most min(width, 100) characters, with a legend.
std::string timeline_text(const ssgd::Timeline& timeline, std::size_t width) {
  const std::size_t cells = std::min(kMostCells, width - kLabelWidth - 2);
  std::string text;
  for (const auto& [name, spans] : timeline.lanes) {
    text += name + std::string(kLabelWidth - name.size(), ' ') + "|" +
            lane_text(spans, timeline.total_us, cells) + "|\n";
  }
  const std::string end = short_number(timeline.total_us / 1000) + " ms";
  text += std::string(kLabelWidth + 1, ' ') + "0" + std::string(cells - 1 - end.size(), ' ') + end +
          "\n";
  return text +
         "r read, s split, c copy, F forward, B b backward of a layer, = - a message, U update\n";
}

constexpr std::size_t kSentenceWidth = 98;  // without a terminal

std::string fixed(double value) {
  std::array<char, 400> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

std::string milliseconds(double us) {
  return fixed(us / 1000);
}

/// A column of times in us, shown in ms.
doc::Column times(std::string heading, std::string name = {}) {
  return doc::numbers(std::move(heading), std::move(name), milliseconds);
}

std::string share(double us, double total_us) {
  return percent(100 * us / total_us);
}

std::string header(const SsgdDocument& document) {
  const ssgd::Study& study = document.study;
  const std::size_t layers = document.profile.layers.size();
  return document.file + ": " + std::to_string(layers) + (layers == 1 ? " layer, " : " layers, ") +
         short_number(document.profile.gradient_bytes() / 1e6) + " MB of gradients, " +
         std::to_string(study.workers) + (study.workers == 1 ? " worker\n" : " workers\n") +
         (study.strong_scaling ? "strong scaling: the batch of all workers is fixed\n"
                               : "weak scaling: the batch per worker is fixed\n") +
         (study.workers > 1 ? "time of a message: " + document.message_times + "\n" : "");
}

std::string title(const ssgd::Schedule& schedule) {
  if (schedule.name == "none")
    return "none (wait-free)";
  return schedule.name == "optimal" ? "optimal *" : schedule.name;
}

void add_schedules(const SsgdDocument& document, doc::Document& out) {
  doc::Table table{
      .columns = {doc::words("schedule [ms]", "name"), doc::words("times are", "message_times"),
                  doc::for_programs("chosen"), doc::numbers("messages", "messages"),
                  times("T_c", "communication_us"), times("exposed", "exposed_us"),
                  doc::for_programs("finish_us"), times("iteration", "iteration_us"),
                  doc::numbers("speedup", "speedup", fixed),
                  doc::numbers("efficiency", "efficiency", doc::percent_of_share), doc::words("")}};
  for (const auto& schedule : document.study.schedules)
    table.add({doc::shown_as(schedule.name, title(schedule)),
               schedule.measured ? "measured" : "modelled", doc::truth(schedule.chosen),
               schedule.iteration.messages.size(), schedule.iteration.communication_us,
               schedule.iteration.exposed_us, schedule.iteration.finish_us,
               schedule.iteration.total_us, schedule.speedup, schedule.efficiency,
               schedule.chosen ? "<- chosen" : ""});
  out.add("\n");
  out.add(std::move(table), 2);
  if (document.study.workers > 1 && document.study.bound_us > 0) {
    out.add("  with a message per layer no order of messages takes less than " +
            milliseconds(document.study.bound_us) + " ms *\n");
  }
}

doc::Table phases(const SsgdDocument& document) {
  const ssgd::Iteration& one = document.study.single;
  const ssgd::Iteration& all = document.study.chosen;
  doc::Table table{{doc::words("phase [ms]"),
                    times(document.study.strong_scaling ? "1 worker, whole batch" : "1 worker"),
                    times(std::to_string(document.study.workers) + " workers"),
                    doc::numbers("of iteration")}};
  const auto add = [&](const char* name, double one_us, double all_us) {
    if (one_us > 0 || all_us > 0)
      table.add({name, one_us, all_us, share(all_us, all.total_us)});
  };
  add("read", one.phases.read_us, all.phases.read_us);
  add("split *", one.phases.split_us, all.phases.split_us);
  add("copy", one.phases.copy_us, all.phases.copy_us);
  add("forward", one.compute.forward_us, all.compute.forward_us);
  add("backward", one.compute.backward_us(), all.compute.backward_us());
  add("exposed communication", one.exposed_us, all.exposed_us);
  add("update", one.phases.update_us, all.phases.update_us);
  add("iteration", one.total_us, all.total_us);
  return table;
}

doc::Table losses(const SsgdDocument& document) {
  const ssgd::Study& study = document.study;
  doc::Table table{{doc::words("lost [ms]"), times(""), doc::numbers("of iteration")}};
  const double total = study.chosen.total_us;
  table.add({"to communication", study.lost_to_communication_us,
             share(study.lost_to_communication_us, total)});
  table.add({"to load imbalance *", study.lost_to_imbalance_us,
             share(study.lost_to_imbalance_us, total)});
  return table;
}

doc::Table imbalance(const ssgd::Imbalance& imbalance) {
  doc::Table table{{doc::words("load imbalance *"), doc::numbers(""), doc::words("")}};
  table.add({"imbalance_ratio", imbalance.imbalance_ratio, "max / mean"});
  table.add({"load_imbalance_factor", imbalance.load_imbalance_factor, "(max - mean) / mean"});
  table.add({"pop_load_balance", imbalance.pop_load_balance, "mean / max (POP)"});
  table.add(
      {"relative_imbalance", imbalance.relative_imbalance, "(max - mean) / max (Sakellariou)"});
  table.add({"imbalance_percentage", imbalance.imbalance_percentage,
             "(max - mean) / max * G / (G - 1) * 100 (DeRose)"});
  return table;
}

doc::Table pop(const ssgd::PopFactors& pop) {
  doc::Table table{
      {doc::words("POP factors *"), doc::numbers("", {}, doc::percent_of_share), doc::words("")}};
  table.add(
      {"global efficiency", pop.global_efficiency, "parallel efficiency * computation scaling"});
  table.add({"  parallel efficiency", pop.parallel_efficiency, "mean useful / iteration"});
  table.add({"    load balance", pop.load_balance, "mean useful / max useful"});
  table.add(
      {"    communication efficiency", pop.communication_efficiency, "max useful / iteration"});
  table.add({"      serialisation", pop.serialisation_efficiency, "max useful / ideal network"});
  table.add({"      transfer", pop.transfer_efficiency, "ideal network / iteration"});
  table.add({"  computation scaling", pop.computation_scaling, "useful on one worker / on all"});
  return table;
}

}  // namespace

std::string formatted(const SsgdDocument& document, OutputFormat format,
                      const ssgd::Timeline* timeline, std::optional<std::size_t> width) {
  const ssgd::Study& study = document.study;
  doc::Document out{.json = [&] { return to_json(document); }};
  const auto add = [&](doc::Table table) {
    out.add("\n");
    out.add(std::move(table), 2);
  };
  out.add(header(document));
  add_schedules(document, out);
  add(phases(document));
  if (document.batch) {
    out.add("  " +
            short_number(static_cast<double>(study.workers) * *document.batch /
                         study.chosen.total_us * 1e6) +
            " samples per second\n");
  }
  add(losses(document));
  if (study.workers > 1) {
    add(imbalance(study.imbalance));
    add(pop(study.pop));
  }
  std::string end = "\n* our own design, not a formula of the model's authors:\n";
  for (const auto& sentence : document.own_designs)
    end += joined(lines_within("  - " + sentence, width.value_or(kSentenceWidth), 4), "\n") + "\n";
  out.add(end);
  if (timeline != nullptr)
    out.add("\n" + timeline_text(*timeline, width.value_or(kUsualWidth)));
  return out.in(format, width);
}

std::vector<std::string> own_designs(const ssgd::Profile& profile,
                                     const ssgd::StudyRequest& request,
                                     const std::optional<ssgd::Aggregation>& aggregation) {
  std::vector<std::string> sentences = {
      "optimal: an exact search over all groupings of neighbours; mgwfbp follows the authors' "
      "released code, which can miss the optimum.",
      "the bound of a message per layer: the last message comes after the backward pass, and none "
      "before the first layer of it is done.",
      "POP factors: forward, backward and update count as useful; the ideal network has no latency "
      "and no transfer time."};
  if (profile.workers_measured() > 1) {
    sentences.emplace_back(
        "load imbalance: the slowest worker decides, gradient by gradient; perfect balance has the "
        "mean of the workers' times in each layer.");
  } else {
    sentences.emplace_back(
        "load imbalance: the published work names no formula; here forward and backward take "
        "1 + load_imbalance_factor times as long.");
  }
  if (request.phases.split_us > 0)
    sentences.emplace_back("split: cutting the batch follows the reading, on the host.");
  if (request.phases.pipeline != ssgd::InputPipeline::serial) {
    sentences.emplace_back(
        "input pipeline: which stages overlap; the first iteration is not pipelined.");
  }
  if (request.shared_disk || request.shared_bus)
    sentences.emplace_back("shared disk or bus: the workers' batches pass it one after another.");
  if (aggregation && ssgd::is_own_design(*aggregation)) {
    sentences.push_back("the cost of " + std::string(ssgd::to_text(*aggregation)) +
                        ": the slowest link decides.");
  }
  return sentences;
}

}  // namespace perfmodel::cli
