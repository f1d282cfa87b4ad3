#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/ssgd/study.hpp"

namespace perfmodel::cli {

class OptionSet;

/// How long a message takes, as far as the command line says it.
struct MessageArguments {
  std::optional<ssgd::Aggregation> allreduce;
  std::optional<double> alpha_us;
  std::optional<double> bandwidth;        ///< GB/s
  std::optional<double> reduction_speed;  ///< GB/s
  std::optional<std::size_t> servers;
  std::optional<std::size_t> workers_per_node;
  std::optional<double> inside_alpha_us;
  std::optional<double> inside_bandwidth;  ///< GB/s
  bool own_links = false;
  std::optional<std::string> latencies;  ///< a file to fit
  std::optional<double> fit_from;        ///< bytes
  std::optional<double> start_us;
  std::optional<double> per_byte_us;
};

/// How unevenly the workers compute; at most one of these.
struct ImbalanceArguments {
  std::optional<double> factor;
  std::vector<double> worker_times;
  std::vector<double> batch_shares;
  std::optional<std::size_t> global_batch;
};

/// The cost of a message and where it is from.
struct MessageCost {
  std::optional<ssgd::LinearCost> cost;
  ssgd::LinearCost ideal;
  std::string source;
  std::optional<ssgd::LatencyFit> fit;
};

void add_message_options(OptionSet& app, MessageArguments& arguments);
void add_imbalance_options(OptionSet& app, ImbalanceArguments& arguments);

/// Reads the latencies where there are some. Throws UsageError where options contradict each other.
MessageCost message_cost(const MessageArguments& arguments, std::size_t workers);

std::optional<ssgd::Imbalance> imbalance_of(const ImbalanceArguments& arguments,
                                            std::size_t workers);

}  // namespace perfmodel::cli
