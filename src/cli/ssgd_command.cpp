#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "analysis/ssgd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/text_table.hpp"
#include "cli/texts.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/table.hpp"
#include "report/documents.hpp"
#include "report/figures.hpp"

namespace perfmodel::cli {
namespace {

const NumberRange positive{.low = 0, .low_included = false, .words = "a number > 0"};

/// One number per worker, "10,11,11".
void add_list(OptionSet& app, const std::string& name, std::vector<double>& variable,
              const std::string& description) {
  const auto parse = [&variable, name](const std::string& text) {
    variable.clear();
    double sum = 0;
    for (const auto& item : split_list(text)) {
      const auto value = parse_number(item);
      if (!value || *value < 0)
        throw OptionError(name, "'" + item + "' is not a number >= 0");
      variable.push_back(*value);
      sum += *value;
    }
    if (sum == 0)
      throw OptionError(name, "'" + text + "': all are 0");
  };
  app.add_option_function(name, parse, description).type_name("X,X");
}

/// 1 / bandwidth, from GB/s to microseconds per byte; 0 where it was not given.
double us_per_byte(const std::optional<double>& gigabytes_per_second) {
  return gigabytes_per_second ? 1e-3 / *gigabytes_per_second : 0;
}

ssgd::Network network_of(const MessageArguments& arguments) {
  if (!arguments.alpha_us || !arguments.bandwidth) {
    throw UsageError("--allreduce " + std::string(ssgd::to_text(*arguments.allreduce)) +
                     " also needs --alpha-us and --bandwidth");
  }
  const bool hierarchy = *arguments.allreduce == ssgd::Aggregation::hierarchical ||
                         *arguments.allreduce == ssgd::Aggregation::hierarchical_leader;
  if (hierarchy &&
      (!arguments.workers_per_node || !arguments.inside_alpha_us || !arguments.inside_bandwidth)) {
    throw UsageError(
        "a hierarchy also needs --workers-per-node, --inside-alpha-us and --inside-bandwidth");
  }
  ssgd::Network network;
  network.aggregation = *arguments.allreduce;
  network.link = {*arguments.alpha_us, us_per_byte(arguments.bandwidth)};
  network.gamma_us = us_per_byte(arguments.reduction_speed);
  network.servers = arguments.servers.value_or(1);
  network.workers_per_node = arguments.workers_per_node.value_or(1);
  network.inside = {arguments.inside_alpha_us.value_or(0), us_per_byte(arguments.inside_bandwidth)};
  network.own_link_per_worker = arguments.own_links;
  return network;
}

MessageCost fitted_cost(const MessageArguments& arguments) {
  const Table table = read_csv(*arguments.latencies);
  MessageCost cost;
  try {
    cost.fit = ssgd::fit_latencies(ssgd::latencies_of(table), arguments.fit_from.value_or(0));
  } catch (const InputError& error) {
    const std::string message = error.what();
    throw InputError(message.starts_with(table.source) || message.starts_with("no column")
                         ? error.sentence()
                         : table.source + ": " + error.sentence());
  }
  cost.cost = cost.fit->cost;
  if (cost.fit->cost.start_us < 0 || cost.fit->cost.per_byte_us < 0) {
    throw InputError(table.source + ": the line through the latencies, " +
                     short_number(cost.fit->cost.start_us) + " us + " +
                     short_number(cost.fit->cost.per_byte_us) +
                     " us per byte, makes no sense as a cost; choose the sizes with --fit-from");
  }
  cost.source = "line fitted to " + std::to_string(cost.fit->points) + " latencies of " +
                (*arguments.latencies == "-"
                     ? "standard input"
                     : std::filesystem::path(*arguments.latencies).filename().string()) +
                " (R2 " + short_number(cost.fit->r2) + ")";
  return cost;
}

/// Options that have no effect are slips.
void refuse_unused(const MessageArguments& arguments) {
  const auto refuse = [](bool unused, const std::string& option, const std::string& without) {
    if (unused)
      throw UsageError(option + " has no effect without " + without);
  };
  const bool formula = arguments.allreduce.has_value();
  refuse(!formula && arguments.alpha_us, "--alpha-us", "--allreduce");
  refuse(!formula && arguments.bandwidth, "--bandwidth", "--allreduce");
  refuse(!formula && arguments.reduction_speed, "--reduction-speed", "--allreduce");
  refuse(arguments.servers && arguments.allreduce != ssgd::Aggregation::parameter_server,
         "--servers", "--allreduce parameter-server");
  const bool hierarchy = arguments.allreduce == ssgd::Aggregation::hierarchical ||
                         arguments.allreduce == ssgd::Aggregation::hierarchical_leader;
  refuse(!hierarchy && arguments.workers_per_node, "--workers-per-node",
         "--allreduce hierarchical");
  refuse(!hierarchy && arguments.inside_alpha_us, "--inside-alpha-us", "--allreduce hierarchical");
  refuse(!hierarchy && arguments.inside_bandwidth, "--inside-bandwidth",
         "--allreduce hierarchical");
  refuse(arguments.own_links && arguments.allreduce != ssgd::Aggregation::hierarchical,
         "--own-links", "--allreduce hierarchical");
  refuse(arguments.fit_from && !arguments.latencies, "--fit-from", "--fit-allreduce");
  refuse(arguments.per_byte_us && !arguments.start_us, "--message-per-byte-us",
         "--message-start-us");
}

}  // namespace

void add_message_options(OptionSet& app, MessageArguments& arguments) {
  const std::string group = "Time of a message (default: the column t_c_us)";
  std::vector<std::pair<std::string, std::optional<ssgd::Aggregation>>> names;
  for (const auto& [aggregation, text] : texts_of(ssgd::Aggregation{}))
    names.emplace_back(text, aggregation);
  add_choice(app, "--allreduce", arguments.allreduce, names,
             "formula of the aggregation: ring, recursive-doubling,\n"
             "halving-doubling, tree, double-tree, parameter-server,\n"
             "hierarchical or hierarchical-leader")
      .group(group);
  const auto add = [&](const std::string& name, std::optional<double>& variable,
                       const std::string& description, const NumberRange& range) {
    add_number(app, name, variable, description, range).group(group);
  };
  add("--alpha-us", arguments.alpha_us, "start-up of one message on a link", {});
  add("--bandwidth", arguments.bandwidth, "of a link, in GB/s", positive);
  add("--reduction-speed", arguments.reduction_speed,
      "at which a worker adds up bytes, in GB/s\n(default: takes no time)", positive);
  add_count<std::size_t>(app, "--servers", arguments.servers,
                         "of the parameter server (default: 1)", 1)
      .group(group);
  add_count<std::size_t>(app, "--workers-per-node", arguments.workers_per_node, "of a hierarchy", 1)
      .group(group);
  add("--inside-alpha-us", arguments.inside_alpha_us, "start-up within a node of a hierarchy", {});
  add("--inside-bandwidth", arguments.inside_bandwidth, "within a node of a hierarchy, in GB/s",
      positive);
  app.add_flag("--own-links", arguments.own_links,
               "every worker of a node has its own link to the other\n"
               "nodes (default: one link per node)")
      .group(group);
  app.add_option("--fit-allreduce", arguments.latencies,
                 "fit a line to measured latencies of the whole\n"
                 "aggregation (columns bytes, latency_us)")
      .type_name("FILE")
      .group(group);
  add("--fit-from", arguments.fit_from, "... of messages of at least so many bytes (default: all)",
      {});
  add("--message-start-us", arguments.start_us, "the line itself: its start-up", {});
  add("--message-per-byte-us", arguments.per_byte_us, "... and its time per byte (default: 0)", {});
}

void add_imbalance_options(OptionSet& app, ImbalanceArguments& arguments) {
  const std::string group = "Load imbalance (default: none, or as the column 'worker' has it)";
  add_number(app, "--imbalance-factor", arguments.factor,
             "(max - mean) / mean of the workers' compute times")
      .group(group);
  add_list(app, "--worker-times", arguments.worker_times, "compute time of every worker");
  add_list(app, "--batch-shares", arguments.batch_shares, "samples of every worker");
  app.get_option("--worker-times").group(group);
  app.get_option("--batch-shares").group(group);
  add_count<std::size_t>(app, "--global-batch", arguments.global_batch,
                         "samples of all, cut as evenly as whole samples allow", 1)
      .group(group);
}

MessageCost message_cost(const MessageArguments& arguments, std::size_t workers) {
  refuse_unused(arguments);
  const int sources = int{arguments.allreduce.has_value()} + int{arguments.latencies.has_value()} +
                      int{arguments.start_us.has_value()};
  if (sources > 1)
    throw UsageError("choose one of --allreduce, --fit-allreduce and --message-start-us");
  if (arguments.allreduce) {
    const ssgd::Network network = network_of(arguments);
    MessageCost cost;
    cost.cost = ssgd::aggregation_cost(network, workers);
    cost.ideal = ssgd::aggregation_cost(ssgd::ideal(network), workers);
    cost.source = std::string(ssgd::to_text(*arguments.allreduce)) + " formula" +
                  (ssgd::is_own_design(*arguments.allreduce) ? " *" : "");
    return cost;
  }
  if (arguments.latencies)
    return fitted_cost(arguments);
  if (arguments.start_us) {
    return {ssgd::LinearCost{*arguments.start_us, arguments.per_byte_us.value_or(0)},
            {},
            "line as given",
            {}};
  }
  return {{}, {}, "measured per layer (t_c_us)", {}};
}

std::optional<ssgd::Imbalance> imbalance_of(const ImbalanceArguments& arguments,
                                            std::size_t workers) {
  const int sources = int{arguments.factor.has_value()} + int{!arguments.worker_times.empty()} +
                      int{!arguments.batch_shares.empty()} +
                      int{arguments.global_batch.has_value()};
  if (sources > 1) {
    throw UsageError(
        "choose one of --imbalance-factor, --worker-times, --batch-shares and --global-batch");
  }
  for (const auto& [name, list] : {std::pair{"--worker-times", &arguments.worker_times},
                                   std::pair{"--batch-shares", &arguments.batch_shares}}) {
    if (!list->empty() && list->size() != workers) {
      throw UsageError(std::string(name) + " has " + std::to_string(list->size()) +
                       " entries for " + std::to_string(workers) + " workers");
    }
    if (!list->empty())
      return ssgd::imbalance_of_times(*list);
  }
  if (arguments.global_batch)
    return ssgd::imbalance_of_even_split(*arguments.global_batch, workers);
  return arguments.factor ? std::optional(ssgd::imbalance_of_factor(*arguments.factor, workers))
                          : std::nullopt;
}

namespace {

void check_combination(const SsgdArguments& arguments) {
  if (arguments.no_overlap && arguments.merge)
    throw UsageError("--merge has no effect with --no-overlap");
  if (arguments.timeline && arguments.format != OutputFormat::text)
    throw UsageError("--timeline goes with --format text; the messages are in the JSON");
  const bool twice = arguments.reference == arguments.layers ||
                     arguments.messages.latencies == arguments.layers ||
                     (arguments.reference && arguments.reference == arguments.messages.latencies);
  if (twice && (arguments.layers == "-" || arguments.reference == "-"))
    throw UsageError("only one file can come from standard input");
  if (arguments.timeline_svg && std::filesystem::path(*arguments.timeline_svg).lexically_normal() ==
                                    std::filesystem::path(arguments.output).lexically_normal())
    throw UsageError("the tables and --timeline-svg need a file each");
}

void refuse_infinite_figures(const ssgd::Profile& profile, const ssgd::Study& study) {
  bool finite = std::isfinite(profile.gradient_bytes()) && std::isfinite(study.single.total_us) &&
                std::isfinite(study.chosen.total_us);
  for (const ssgd::ScheduleFigures& schedule : study.schedules)
    finite = finite && std::isfinite(schedule.total_us);
  if (!finite) {
    throw InputError(
        "the iteration takes longer than a number can say; times are in microseconds, gradients in "
        "bytes");
  }
}

ssgd::Profile read_profile(const std::string& path, const SsgdArguments& arguments) {
  return ssgd::profile_of(read_csv(path, {"name", "worker"}),
                          {.bytes_per_element = arguments.bytes_per_element.value_or(4),
                           .forward_share = arguments.forward_share});
}

ssgd::Phases phases_of(const SsgdArguments& arguments, const ssgd::Profile& profile) {
  if (arguments.update_us && profile.update_us)
    throw UsageError("--update-us has no use: " + arguments.layers + " has a column 't_u_us'");
  return {.read_us = arguments.read_us.value_or(0),
          .split_us = arguments.split_us.value_or(0),
          .copy_us = arguments.copy_us.value_or(0),
          .update_us = profile.update_us.value_or(arguments.update_us.value_or(0)),
          .pipeline = arguments.pipeline};
}

ssgd::StudyRequest request_of(const SsgdArguments& arguments, const ssgd::Profile& profile,
                              const MessageCost& messages) {
  const std::size_t workers = *arguments.workers;
  ssgd::StudyRequest request;
  request.workers = workers;
  request.phases = phases_of(arguments, profile);
  request.shared_disk = arguments.shared_disk;
  request.shared_bus = arguments.shared_bus;
  request.imbalance = imbalance_of(arguments.imbalance, workers);
  request.cost = messages.cost;
  request.ideal_cost = messages.ideal;
  request.overlapped = !arguments.no_overlap;
  request.merge = arguments.merge.value_or(ssgd::MergePolicy{});
  if (arguments.reference) {
    request.reference = read_profile(*arguments.reference, arguments);
    if (request.reference->workers_measured > 1) {
      throw InputError(*arguments.reference + ": the reference is of one worker, not of " +
                       std::to_string(request.reference->workers_measured));
    }
  }
  return request;
}

void warn(const SsgdArguments& arguments, Console& console) {
  if (arguments.forward_share) {
    console.warning("the forward times are assumed, not measured: " +
                    to_text(*arguments.forward_share) + " of the backward times");
  }
}

}  // namespace

void setup_ssgd(OptionSet& command, SsgdArguments& arguments) {
  const NumberRange positive{.low = 0, .low_included = false, .words = "a number > 0"};
  add_input(command, "LAYERS.csv", arguments.layers,
            "layers: layer, t_f_us, t_b_us, grad_bytes or\n"
            "grad_elems; optional name, t_c_us, t_u_us, worker")
      .required();
  add_count<std::size_t>(command, "--workers", arguments.workers, "number of workers", 1)
      .required();
  add_number(command, "--batch", arguments.batch, "samples per worker, for samples per second",
             positive);
  command
      .add_option("--reference", arguments.reference,
                  "layers with the whole batch on one worker: strong\n"
                  "scaling (default: weak, the batch per worker is fixed)")
      .type_name("LAYERS1.csv");
  add_number(command, "--forward-share", arguments.forward_share,
             "without t_f_us: forward = this * backward; the authors\nof the model took 0.5",
             positive);
  add_number(command, "--bytes-per-element", arguments.bytes_per_element,
             "of grad_elems (default: 4)", positive);
  const auto add_phase = [&](const std::string& name, std::optional<double>& variable,
                             const std::string& description) {
    add_number(command, name, variable, description).group("Input and update");
  };
  add_phase("--read-us", arguments.read_us, "one worker's batch: read and decode");
  add_phase("--split-us", arguments.split_us, "cut the batch of all into parts");
  add_phase("--copy-us", arguments.copy_us, "one worker's batch: from host to device");
  add_phase("--update-us", arguments.update_us, "update of the parameters");
  std::vector<std::pair<std::string, ssgd::InputPipeline>> pipelines;
  for (const auto& [pipeline, text] : texts_of(ssgd::InputPipeline{}))
    pipelines.emplace_back(text, pipeline);
  add_choice(command, "--input-pipeline", arguments.pipeline, pipelines,
             "what overlaps the compute: serial (nothing, default),\n"
             "host-prefetch (read), device-buffer (read and copy in\n"
             "turn), three-stages (read beside copy)")
      .group("Input and update");
  command
      .add_flag("--shared-disk", arguments.shared_disk, "all workers read from one disk, in turn")
      .group("Input and update");
  command.add_flag("--shared-bus", arguments.shared_bus, "all workers copy over one bus, in turn")
      .group("Input and update");
  add_message_options(command, arguments.messages);
  command
      .add_option_function(
          "--merge",
          [&arguments](const std::string& text) {
            try {
              arguments.merge = ssgd::parse_merge(text);
            } catch (const UsageError& error) {
              throw OptionError("--merge", error.what());
            }
          },
          "gradients into messages: none (one per layer, default),\n"
          "single, threshold:BYTES, mgwfbp (the released code's\n"
          "rule), optimal")
      .type_name("POLICY")
      .group("Exchange of gradients");
  command
      .add_flag("--no-overlap", arguments.no_overlap, "naive: all messages after the backward pass")
      .group("Exchange of gradients");
  add_imbalance_options(command, arguments.imbalance);
  add_format(command, arguments.format, "of the result");
  command.add_flag("--timeline", arguments.timeline, "draw one iteration below the tables");
  command.add_option("--timeline-svg", arguments.timeline_svg, "draw one iteration as a picture")
      .type_name("FILE");
  add_output(command, arguments.output, "FILE");
  command.footer(
      "All times of the files are in microseconds. Figures marked with * are our own design, not\n"
      "formulas of the model's authors.\n"
      "\n"
      "Examples:\n"
      "  perfmodel ssgd layers.csv --workers 8\n"
      "  perfmodel ssgd layers.csv --workers 8 --allreduce ring --alpha-us 15 --bandwidth 10\n"
      "  perfmodel ssgd layers.csv --workers 4 --fit-allreduce osu.csv --merge mgwfbp --timeline\n"
      "  perfmodel ssgd layers.csv --workers 3 --global-batch 32 --message-start-us 50 --format "
      "json");
}

int run_ssgd(const SsgdArguments& arguments, Console& console) {
  check_combination(arguments);
  const std::vector<std::optional<std::string>> inputs = {arguments.layers, arguments.reference,
                                                          arguments.messages.latencies};
  refuse_to_replace(inputs, arguments.output);
  OutputFile output(arguments.output);
  std::optional<OutputFile> picture;
  if (arguments.timeline_svg) {
    refuse_to_replace(inputs, *arguments.timeline_svg);
    picture.emplace(*arguments.timeline_svg);
  }
  const ssgd::Profile profile = read_profile(arguments.layers, arguments);
  const MessageCost messages = message_cost(arguments.messages, *arguments.workers);
  const ssgd::StudyRequest request = request_of(arguments, profile, messages);
  const ssgd::Study study = ssgd::study(profile, request);
  refuse_infinite_figures(profile, study);
  warn(arguments, console);

  const SsgdDocument document{
      .profile = profile,
      .request = request,
      .study = study,
      .file = arguments.layers == "-" ? arguments.layers
                                      : std::filesystem::path(arguments.layers).filename().string(),
      .message_times = messages.source,
      .latency_fit = messages.fit,
      .batch = arguments.batch,
      .own_designs = own_designs(profile, request, arguments.messages.allreduce)};
  const ssgd::Timeline timeline = ssgd::timeline_of(profile, study.chosen);
  output.write(formatted(document, arguments.format, arguments.timeline ? &timeline : nullptr,
                         output_width(arguments.output)));
  if (picture) {
    picture->write(timeline_svg(timeline, document.file + ": one iteration on " +
                                              std::to_string(study.workers) + " workers"));
    picture->commit();
  }
  output.commit();
  return 0;
}

}  // namespace perfmodel::cli
