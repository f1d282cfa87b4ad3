#include "cli/commands/ssgd/ssgd_command.hpp"

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/commands/ssgd/ssgd_text.hpp"
#include "cli/options/choices.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "cli/options/replaced_input.hpp"
#include "cli/options/shared_options.hpp"
#include "io/documents/ssgd_json.hpp"
#include "io/file/output_file.hpp"
#include "io/html/timeline_svg.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv/csv.hpp"

namespace perfmodel::cli {
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
  for (const auto pipeline : ssgd::kAllPipelines)
    pipelines.emplace_back(ssgd::to_text(pipeline), pipeline);
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
