#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "perfmodel/fit.hpp"
#include "registry/registry.hpp"
#include "ssgd/ssgd_document.hpp"
#include "storage/files.hpp"

namespace perfmodel::cli {
namespace {

/// The communication cost of a message, as given on the command line.
struct MessageArguments {
  std::optional<ssgd::Aggregation> allreduce;
  std::optional<double> alpha_us;
  std::optional<double> bandwidth;        ///< GB/s
  std::optional<double> reduction_speed;  ///< GB/s
  std::size_t servers = 1;
  std::optional<std::size_t> workers_per_node;
  std::optional<double> inside_alpha_us;
  std::optional<double> inside_bandwidth;  ///< GB/s
  bool own_links = false;
  std::optional<std::string> latencies;  ///< file of measured latencies to fit
  double fit_from = 0;                   ///< smallest message that is fitted, bytes
  std::optional<double> start_us;
  double per_byte_us = 0;
};

/// Load imbalance among the workers; at most one of these is given.
struct ImbalanceArguments {
  std::optional<double> factor;
  std::vector<double> worker_times;
  std::optional<std::size_t> global_batch;
};

struct MessageCost {
  std::optional<ssgd::LinearCost> cost;
  ssgd::LinearCost ideal;
  std::string source;
  std::optional<ssgd::LatencyFit> fit;
};

struct SsgdArguments {
  std::string layers;
  ssgd::StudyRequest study;  ///< completed from the other arguments
  std::optional<std::size_t> workers;
  std::optional<std::string> reference;  ///< layers with the whole batch on one worker
  std::optional<double> batch;
  ssgd::ProfileOptions profile;
  std::optional<double> update_us;
  MessageArguments messages;
  ImbalanceArguments imbalance;
  OutputFormat format = OutputFormat::text;
  bool timeline = false;
  std::string output = "-";
};

const NumberRange positive{.low = 0, .low_included = false, .words = "a number > 0"};

/// Adds an option for one number per worker, "10,11,11".
Option add_list(OptionSet& app, const std::string& name, std::vector<double>& variable,
                const std::string& help) {
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
  return app.add(name + " X,X", parse, help);
}

/// 1 / bandwidth, converted from GB/s to microseconds per byte; 0 if it is not given.
double us_per_byte(const std::optional<double>& gigabytes_per_second) {
  return gigabytes_per_second ? 1e-3 / *gigabytes_per_second : 0;
}

ssgd::Network network_of(const MessageArguments& arguments) {
  ssgd::Network network;
  network.aggregation = *arguments.allreduce;
  network.link = {*arguments.alpha_us, us_per_byte(arguments.bandwidth)};
  network.gamma_us = us_per_byte(arguments.reduction_speed);
  network.servers = arguments.servers;
  network.workers_per_node = arguments.workers_per_node.value_or(1);
  network.inside = {arguments.inside_alpha_us.value_or(0), us_per_byte(arguments.inside_bandwidth)};
  network.own_link_per_worker = arguments.own_links;
  return network;
}

MessageCost fitted_cost(const MessageArguments& arguments) {
  const Table table = read_csv(*arguments.latencies);
  MessageCost cost;
  try {
    cost.fit = ssgd::fit_latencies(ssgd::latencies_of(table), arguments.fit_from);
  } catch (const InputError& error) {
    const std::string message = error.what();
    throw InputError(message.starts_with(table.source) || message.starts_with("no column")
                         ? message
                         : table.source + ": " + message);
  }
  cost.cost = cost.fit->cost;
  if (cost.fit->cost.start_us < 0 || cost.fit->cost.per_byte_us < 0) {
    throw InputError(table.source + ": the line through the latencies, " +
                     short_number(cost.fit->cost.start_us) + " us + " +
                     short_number(cost.fit->cost.per_byte_us) +
                     " us per byte, makes no sense as a cost; choose the sizes with --fit-from");
  }
  cost.source = "line fitted to " + std::to_string(cost.fit->points) + " latencies of " +
                (*arguments.latencies == "-" ? "standard input" : base_name(*arguments.latencies)) +
                " (R2 " + short_number(cost.fit->r2) + ")";
  return cost;
}

void add_message_options(OptionSet& app, MessageArguments& arguments) {
  constexpr auto hierarchy = "--allreduce hierarchical|hierarchical-leader";
  app.group("Time of a message (default: the column t_c_us)");
  app.choice<ssgd::Aggregation>(
         "--allreduce", arguments.allreduce,
         "formula of the aggregation; ring, recursive-doubling, halving-doubling, tree, "
         "double-tree, parameter-server, hierarchical or hierarchical-leader")
      .needs("--alpha-us")
      .needs("--bandwidth");
  app.number("--alpha-us X", arguments.alpha_us, "start-up time of a message on a link")
      .needs("--allreduce");
  app.number("--bandwidth X", arguments.bandwidth, "bandwidth of a link, in GB/s", positive)
      .needs("--allreduce");
  app.number("--reduction-speed X", arguments.reduction_speed,
             "speed at which a worker adds up bytes, in GB/s (default: takes no time)", positive)
      .needs("--allreduce");
  app.count("--servers N", arguments.servers, "number of parameter servers")
      .needs("--allreduce parameter-server");
  app.count("--workers-per-node N", arguments.workers_per_node, "workers per node of a hierarchy")
      .needs(hierarchy);
  app.number("--inside-alpha-us X", arguments.inside_alpha_us,
             "start-up time within a node of a hierarchy")
      .needs(hierarchy);
  app.number("--inside-bandwidth X", arguments.inside_bandwidth,
             "bandwidth within a node of a hierarchy, in GB/s", positive)
      .needs(hierarchy);
  for (const char* option : {"--workers-per-node", "--inside-alpha-us", "--inside-bandwidth"})
    app.rule({hierarchy, option, false, ""});
  app.flag("--own-links", arguments.own_links,
           "every worker of a node has its own link to the other nodes (default: one link per "
           "node)")
      .needs("--allreduce hierarchical");
  app.add("--fit-allreduce FILE", arguments.latencies,
          "fit a line to measured latencies of the whole aggregation (columns bytes, latency_us)")
      .file(FileUse::input);
  app.number("--fit-from X", arguments.fit_from, "fit to messages of at least X bytes")
      .needs("--fit-allreduce");
  app.number("--message-start-us X", arguments.start_us, "start-up time of a given line");
  app.number("--message-per-byte-us X", arguments.per_byte_us, "time per byte of a given line")
      .needs("--message-start-us");
  app.one_of({"--allreduce", "--fit-allreduce", "--message-start-us"});
  app.common({"--allreduce", "--alpha-us", "--bandwidth"});
}

void add_imbalance_options(OptionSet& app, ImbalanceArguments& arguments) {
  app.group("Load imbalance (default: none, or as the column 'worker' has it)");
  app.number("--imbalance-factor X", arguments.factor,
             "(max - mean) / mean of the workers' compute times");
  add_list(app, "--worker-times", arguments.worker_times,
           "compute time of every worker, or its samples");
  app.count("--global-batch N", arguments.global_batch,
            "samples of all workers, split as evenly as whole samples allow");
  app.one_of({"--imbalance-factor", "--worker-times", "--global-batch"});
}

/// Fits the latencies if a file is given. Throws UsageError if options contradict each other.
MessageCost message_cost(const MessageArguments& arguments, std::size_t workers) {
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
  if (arguments.start_us)
    return {ssgd::LinearCost{*arguments.start_us, arguments.per_byte_us}, {}, "line as given", {}};
  return {{}, {}, "measured per layer (t_c_us)", {}};
}

std::optional<ssgd::Imbalance> imbalance_of(const ImbalanceArguments& arguments,
                                            std::size_t workers) {
  if (const std::vector<double>& times = arguments.worker_times; !times.empty()) {
    if (times.size() != workers)
      throw UsageError("--worker-times has " + std::to_string(times.size()) + " entries for " +
                       std::to_string(workers) + " workers");
    return ssgd::imbalance_of_times(times);
  }
  if (arguments.global_batch)
    return ssgd::imbalance_of_even_split(*arguments.global_batch, workers);
  return arguments.factor ? std::optional(ssgd::imbalance_of_factor(*arguments.factor, workers))
                          : std::nullopt;
}

void refuse_infinite_figures(const ssgd::Profile& profile, const ssgd::Study& study) {
  bool finite = std::isfinite(profile.gradient_bytes()) && std::isfinite(study.single.total_us) &&
                std::isfinite(study.chosen.total_us);
  for (const ssgd::Schedule& schedule : study.schedules)
    finite = finite && std::isfinite(schedule.iteration.total_us);
  if (!finite) {
    throw InputError(
        "the iteration is too long to represent as a number; times are in microseconds, gradients "
        "in "
        "bytes");
  }
}

ssgd::Profile read_profile(const std::string& path, const SsgdArguments& arguments) {
  return ssgd::profile_of(read_csv(path, {"name", "worker"}), arguments.profile);
}

ssgd::StudyRequest request_of(const SsgdArguments& arguments, const ssgd::Profile& profile,
                              const MessageCost& messages) {
  if (arguments.update_us && profile.update_us)
    throw UsageError("--update-us has no use: " + display_name(arguments.layers) +
                     " has a column 't_u_us'");
  ssgd::StudyRequest request = arguments.study;
  request.workers = *arguments.workers;
  request.phases.update_us = profile.update_us.value_or(arguments.update_us.value_or(0));
  request.imbalance = imbalance_of(arguments.imbalance, request.workers);
  request.cost = messages.cost;
  request.ideal_cost = messages.ideal;
  if (arguments.reference) {
    request.reference = read_profile(*arguments.reference, arguments);
    if (request.reference->workers_measured() > 1) {
      throw InputError(*arguments.reference + ": the reference is of one worker, not of " +
                       std::to_string(request.reference->workers_measured()));
    }
  }
  return request;
}

void setup_ssgd(OptionSet& command, SsgdArguments& arguments) {
  add_input(command, "LAYERS.csv", arguments.layers,
            "layers: layer, t_f_us, t_b_us, grad_bytes or grad_elems; optional name, t_c_us, "
            "t_u_us, worker")
      .required();
  command.count("--workers N", arguments.workers, "number of workers").required();
  command.number("--batch X", arguments.batch, "samples per worker, for samples per second",
                 positive);
  command
      .add("--reference LAYERS1.csv", arguments.reference,
           "layer times with the whole batch on one worker, for strong scaling (default: weak, the "
           "batch "
           "per worker is fixed)")
      .file(FileUse::input);
  command.number("--forward-share X", arguments.profile.forward_share,
                 "without t_f_us: forward = this * backward; the authors of the model took 0.5",
                 positive);
  command.number("--bytes-per-element X", arguments.profile.bytes_per_element,
                 "bytes per element of grad_elems", positive);
  command.group("Input and update");
  command.number("--read-us X", arguments.study.phases.read_us,
                 "time to read and decode the batch of one worker");
  command.number("--split-us X", arguments.study.phases.split_us,
                 "time to split the global batch among the workers");
  command.number("--copy-us X", arguments.study.phases.copy_us,
                 "time to copy the batch of one worker from host to device");
  command.number("--update-us X", arguments.update_us,
                 "time to update the parameters (default: 0)");
  command.choice<ssgd::InputPipeline>("--input-pipeline", arguments.study.phases.pipeline,
                                      "input phases that overlap the compute: serial (nothing), "
                                      "host-prefetch (read), device-buffer "
                                      "(read and copy in turn), three-stages (read beside copy)");
  command.flag("--shared-disk", arguments.study.shared_disk,
               "all workers read from one disk, in turn");
  command.flag("--shared-bus", arguments.study.shared_bus,
               "all workers copy over one bus, in turn");
  add_message_options(command, arguments.messages);
  command.group("Exchange of gradients");
  command
      .add(
          "--merge POLICY",
          [&arguments](const std::string& text) {
            try {
              arguments.study.merge = ssgd::parse_merge(text);
            } catch (const UsageError& error) {
              throw OptionError("--merge", error.what());
            }
          },
          "how gradients are merged into messages; none (one per layer), single, threshold:BYTES, "
          "mgwfbp (the "
          "released code's rule), optimal (default: none)")
      .excludes("--no-overlap");
  command.flag("--no-overlap", arguments.study.merge, "naive: all messages after the backward pass",
               ssgd::MergePolicy{ssgd::Merge::naive, 0});
  add_imbalance_options(command, arguments.imbalance);
  command.group("Options");
  add_format(command, arguments.format, "format of the result");
  command.flag("--timeline", arguments.timeline, "draw one iteration below the tables")
      .needs("--format text", "the messages are in the JSON");
  add_output(command, arguments.output, "FILE");
  command.common({"--workers", "--batch", "--merge", "--timeline"});
  command.footer(
      R"(All times of the files are in microseconds. Figures marked with * are our own design, not formulas
of the model's authors.

Examples:
  perfmodel ssgd layers.csv --workers 8
  perfmodel ssgd layers.csv --workers 8 --allreduce ring --alpha-us 15 --bandwidth 10
  perfmodel ssgd layers.csv --workers 4 --fit-allreduce osu.csv --merge mgwfbp --timeline
  perfmodel ssgd layers.csv --workers 3 --global-batch 32 --message-start-us 50 --format json)");
}

int run_ssgd(const SsgdArguments& arguments, Console& console) {
  OutputFile output(arguments.output);
  const ssgd::Profile profile = read_profile(arguments.layers, arguments);
  const MessageCost messages = message_cost(arguments.messages, *arguments.workers);
  const ssgd::StudyRequest request = request_of(arguments, profile, messages);
  const ssgd::Study study = ssgd::study(profile, request);
  refuse_infinite_figures(profile, study);
  if (arguments.profile.forward_share)
    console.warning("the forward times are assumed, not measured: " +
                    to_text(*arguments.profile.forward_share) + " of the backward times");
  const SsgdDocument document{
      .profile = profile,
      .request = request,
      .study = study,
      .file = base_name(arguments.layers),
      .message_times = messages.source,
      .latency_fit = messages.fit,
      .batch = arguments.batch,
      .own_designs = own_designs(profile, request, arguments.messages.allreduce)};
  const ssgd::Timeline timeline = ssgd::timeline_of(profile, study.chosen);
  return finish(output,
                formatted(document, arguments.format, arguments.timeline ? &timeline : nullptr,
                          output_width(arguments.output)));
}

}  // namespace

Command ssgd_command() {
  return make_command<SsgdArguments>(
      "ssgd", "Models an iteration of synchronous SGD from layer times.", setup_ssgd, run_ssgd);
}

}  // namespace perfmodel::cli

namespace perfmodel {

void add_ssgd() {
  add<cli::CommandEntry>({{"ssgd", cli::ssgd_command, "evaluate"}});
  add<DocumentKind>({{"ssgd", schema_of<SsgdDocument>}});
}

}  // namespace perfmodel
