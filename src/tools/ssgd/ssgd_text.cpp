#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/text.hpp"
#include "cli/console.hpp"
#include "page/figures.hpp"
#include "ssgd/ssgd_document.hpp"

namespace perfmodel {

void describe(Fields& f, const ssgd::Imbalance& x) {
  f("imbalance_ratio", x.imbalance_ratio, "M / m of the largest and the mean time");
  f("load_imbalance_factor", x.load_imbalance_factor, "M / m - 1");
  f("pop_load_balance", x.pop_load_balance, "m / M");
  f("relative_imbalance", x.relative_imbalance, "1 - m / M");
  f("imbalance_percentage", x.imbalance_percentage, "(M - m) / M * G / (G - 1) * 100");
}

void describe(Fields& f, const ssgd::PopFactors& x) {
  f("load_balance", x.load_balance, "mean / max useful time");
  f("serialisation_efficiency", x.serialisation_efficiency, "max useful / time without network");
  f("transfer_efficiency", x.transfer_efficiency, "time without network / time");
  f("communication_efficiency", x.communication_efficiency, "max useful / time");
  f("parallel_efficiency", x.parallel_efficiency, "mean useful / time");
  f("computation_scaling", x.computation_scaling, "useful time on one worker / on all");
  f("global_efficiency", x.global_efficiency, "the product of the two before");
}

void describe(Fields& f, const ssgd::Schedule& x) {
  f("name", x.name, "`naive` or a merge policy");
  f("message_times", x.measured ? "measured" : "modelled", "`measured` or `modelled`");
  f("chosen", x.chosen, "whether it is the one that was asked for");
  f("messages", x.iteration.messages.size(), "their number");
  f("communication_us", x.iteration.communication_us, "all messages, overlapped or not");
  f("exposed_us", x.iteration.exposed_us, "communication that nothing hides");
  f("finish_us", x.iteration.finish_us, "end of the last message");
  f("iteration_us", x.iteration.total_us, "the whole iteration");
  f("speedup", x.speedup, "against one worker");
  f("efficiency", x.efficiency, "against one worker");
}

void describe(Fields& f, const ssgd::Iteration& x) {
  f("read_us", x.phases.read_us, "the mini-batch is read and decoded");
  f("split_us", x.phases.split_us, "the host cuts it into parts");
  f("copy_us", x.phases.copy_us, "to the device");
  f("forward_us", x.compute.forward_us, "the forward pass");
  f("backward_us", f.writes() ? x.compute.backward_us() : 0., "the backward pass");
  f("communication_us", x.communication_us, "all messages, overlapped or not");
  f("finish_us", x.finish_us, "end of the last message");
  f("exposed_us", x.exposed_us, "communication that nothing hides");
  f("update_us", x.phases.update_us, "of the parameters");
  f("iteration_us", x.total_us, "the whole iteration");
}

namespace {

void describe_message_times(Fields& f, const SsgdDocument& x) {
  const auto cost = x.request.cost.value_or(ssgd::LinearCost{});
  const FieldRule if_cost = only_if(x.request.cost.has_value());
  f("source", x.message_times, "in words");
  f("start_us", cost.start_us, "of a formula or a line", if_cost);
  f("per_byte_us", cost.per_byte_us, "of a formula or a line", if_cost);
  const auto fit = x.latency_fit.value_or(ssgd::LatencyFit{});
  const bool is_ring = x.latency_fit && x.study.workers > 1;
  const auto ring = is_ring ? ssgd::as_ring(fit.cost, x.study.workers) : ssgd::Link{};
  f.object("fit", "to latencies", only_if(x.latency_fit.has_value()), [&](Fields& inner) {
    inner("points", fit.points, "how many");
    inner("r2", fit.r2, "share of the variance explained");
    inner("ring_alpha_us", ring.alpha_us, "of a ring that takes as long", only_if(is_ring));
    inner("ring_beta_us_per_byte", ring.beta_us, "of it", only_if(is_ring));
  });
}

void describe_messages(Fields& f, const SsgdDocument& x) {
  const ssgd::Iteration& iteration = x.study.chosen;
  const auto layer = [&](std::size_t gradient) {
    return f.writes() ? x.profile.layers[iteration.gradients[gradient].layer].name : "";
  };
  f.list("messages", iteration.messages, "one after another",
         [&](Fields& item, const ssgd::Message& message, std::size_t) {
           item("first_layer", layer(message.gradients.first), "whose gradients it has");
           item("last_layer", layer(message.gradients.last), "whose gradients it has");
           item("bytes", message.bytes, "its size");
           item("start_us", message.start_us, "within the iteration");
           item("end_us", message.end_us, "within the iteration");
         });
}

}  // namespace

void describe(Fields& f, const SsgdDocument& x) {
  const ssgd::Study& study = x.study;
  const double samples = static_cast<double>(study.workers) * x.batch.value_or(0);
  f.document("perfmodel/ssgd", "An iteration of synchronous SGD: ssgd");
  f.object("layers", "the network", [&](Fields& layers) {
    layers("file", x.file, "its name");
    layers("count", x.profile.layers.size(), "how many");
    layers("gradient_bytes", x.profile.gradient_bytes(), "of all");
  });
  f("workers", study.workers, "their number");
  f("scaling", study.strong_scaling ? "strong" : "weak", "`strong` or `weak`");
  f("input_pipeline", x.request.phases.pipeline, "what of the input overlaps the compute");
  f.object("message_times", "where they come from",
           [&](Fields& times) { describe_message_times(times, x); });
  f("one_worker", study.single, "phases on one worker");
  f("iteration", study.chosen, "phases of the chosen schedule");
  f("speedup", study.speedup, "against one worker");
  f("efficiency", study.efficiency, "against one worker");
  f("lost_to_communication_us", study.lost_to_communication_us, "of the iteration");
  f("lost_to_imbalance_us", study.lost_to_imbalance_us, "of the iteration");
  f("imbalance", study.imbalance, "of the workers");
  f("pop", study.pop, "efficiencies as POP defines them");
  f("schedules", study.schedules, "ways to exchange the gradients");
  describe_messages(f, x);
  f("own_designs", x.own_designs, "sentences: what is not a formula of the model's authors");
  f("samples_per_second", samples / study.chosen.total_us * 1e6, "where the batch is known",
    only_if(x.batch.has_value()));
  f("bound_of_one_message_per_layer_us", study.bound_us, "no order of such messages takes less",
    only_if(study.bound_us > 0));
}

}  // namespace perfmodel

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
  return document.file + ": " + counted_noun(document.profile.layers.size(), "layer") + ", " +
         short_number(document.profile.gradient_bytes() / 1e6) + " MB of gradients, " +
         counted_noun(study.workers, "worker") + "\n" +
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
