#include "cli/commands/ssgd/ssgd_options.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "analysis/ssgd/layers.hpp"
#include "base/text.hpp"
#include "cli/options/choices.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "cli/terminal/text_table.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv/csv.hpp"

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
  for (const auto aggregation : ssgd::kAllAggregations)
    names.emplace_back(ssgd::to_text(aggregation), aggregation);
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

}  // namespace perfmodel::cli
