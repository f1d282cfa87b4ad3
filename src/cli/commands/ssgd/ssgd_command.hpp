#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/commands/ssgd/ssgd_options.hpp"
#include "cli/options/output_format.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

struct SsgdArguments {
  std::string layers;
  std::optional<std::size_t> workers;
  std::optional<std::string> reference;  ///< layers with the whole batch on one worker
  std::optional<double> batch;
  std::optional<double> forward_share;
  std::optional<double> bytes_per_element;
  std::optional<double> read_us;
  std::optional<double> split_us;
  std::optional<double> copy_us;
  std::optional<double> update_us;
  ssgd::InputPipeline pipeline = ssgd::InputPipeline::serial;
  bool shared_disk = false;
  bool shared_bus = false;
  MessageArguments messages;
  std::optional<ssgd::MergePolicy> merge;
  bool no_overlap = false;
  ImbalanceArguments imbalance;
  OutputFormat format = OutputFormat::text;
  bool timeline = false;
  std::optional<std::string> timeline_svg;
  std::string output = "-";
};

/// `perfmodel ssgd LAYERS.csv`: the analytic model of one iteration of synchronous SGD.
void setup_ssgd(OptionSet& command, SsgdArguments& arguments);

int run_ssgd(const SsgdArguments& arguments, Console& console);

}  // namespace perfmodel::cli
