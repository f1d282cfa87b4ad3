#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/plan.hpp"
#include "analysis/ssgd.hpp"
#include "analysis/sweep.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "codegen/formula_code.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/predict.hpp"
#include "perfmodel/table.hpp"
#include "report/document.hpp"

namespace perfmodel::cli {

struct FitArguments {
  std::string command_line;  ///< quoted for a shell
  std::vector<std::string> runs;
  std::optional<std::string> output;
  FitRequest request;             ///< its options are made from `search`
  BootstrapRequest bootstrap{0};  ///< 0 samples: no bootstrap
  bool keep_totals = false;       ///< `auto` does not turn totals into counts per worker
  std::optional<char> separator;  ///< nullopt: detected
  LargeRowsArguments large;
  SearchArguments search;
  std::optional<std::string> test;
  std::vector<Gate> gates;
  std::vector<std::string> by;  ///< columns that distinguish groups, each with its own model
  std::optional<std::string> target_name;
  std::optional<std::string> total;    ///< name of the total that the other targets add up to
  std::vector<std::string> ranked_at;  ///< settings of the ranking
  SharingArguments sharing;
};

/// `perfmodel fit RUNS.csv`: from measured runs to model.json.
void setup_fit(OptionSet& command, FitArguments& arguments);

/// Returns the exit code: 0, or 128 plus the signal that ended the search early.
int run_fit(const FitArguments& arguments, Console& console);

/// Adds the options of `fit` for many models at once.
void add_many_options(OptionSet& command, FitArguments& arguments);

/// True if the arguments request a model per group or target.
bool asks_for_many(const FitArguments& arguments);

/// Where nothing is stored.
constexpr auto kNowhere = "/dev/null";

/// Fits a model per group and target and writes each as a JSON line to `path` once it is fitted.
/// Returns the exit code, as run_fit() does.
int run_fit_many(const FitArguments& arguments, const std::string& path, FitRequest request,
                 Console& console);

struct MergeArguments {
  std::vector<std::string> parts;
  std::vector<std::string> gates;      ///< of a set, or of the merged command
  std::vector<std::string> ranked_at;  ///< COL=VALUE: configuration at which a set is ranked
  std::string output = "-";
  /// Runs a command line with the merged results of its tasks; set by the program.
  std::function<int(const std::vector<std::string>&, const MergedTasks&, Console&)> run_merged;
};

/// `perfmodel merge PART.jsonl ...`: writes the result of a command from the files of its shards.
void setup_merge(OptionSet& command, MergeArguments& arguments);
int run_merge(const MergeArguments& arguments, Console& console);

enum class PlanMethod { random, latin_hypercube, d_optimal };

struct PlanArguments {
  std::string space;
  std::optional<std::size_t> rows;
  PlanMethod method = PlanMethod::random;
  std::uint64_t seed = kDefaultSeed;
  std::optional<std::string> model;   ///< whose constants a D-optimal plan determines
  std::optional<std::string> resume;  ///< an existing plan to be extended
  OutputFormat format = OutputFormat::csv;
  std::string output = "-";
  std::size_t starts = 1;  ///< of the exchanges of a D-optimal plan
  std::size_t threads = 1;
  SharingArguments sharing;
};

/// The configurations of a file, which has the columns of the space.
std::vector<plan::Configuration> read_configurations(const plan::Space& space,
                                                     const std::string& path);

/// `perfmodel plan SPACE.json -n N`: configurations to measure.
void setup_plan(OptionSet& command, PlanArguments& arguments);
int run_plan(const PlanArguments& arguments, Console& console);

struct PredictArguments {
  std::string model;
  std::string pick;
  std::string configurations;     ///< empty with --set
  std::optional<char> separator;  ///< nullopt: detected
  std::vector<std::string> settings;
  std::string like;                    ///< "runs.csv:41": the run that the settings modify
  std::optional<OutputFormat> format;  ///< nullopt: depends on the output
  std::optional<double> coverage;      ///< of the intervals; nullopt: the model's
  bool strict_range = false;
  std::string output = "-";
};

/// `perfmodel predict MODEL.json`: predicts configurations given by --set or by the rows of a file.
void setup_predict(OptionSet& command, PredictArguments& arguments);
int run_predict(const PredictArguments& arguments, Console& console);

enum class ReportFormat { html, markdown };

struct ReportArguments : JudgedRunsArguments {
  std::optional<std::string> third_file;  ///< given if the first is an older model to compare with
  std::vector<std::string> settings;      ///< configuration at which many models are ranked
  std::string title;
  std::optional<bool> explore;  ///< nullopt: if the page stays small
  std::string figures;          ///< folder; empty: no figures
  ReportFormat format = ReportFormat::html;
  std::string output = "-";
};

/// `perfmodel report MODEL.json RUNS.csv` or `report OLD.json NEW.json RUNS.csv`: writes one page
/// with all tables and figures.
void setup_report(OptionSet& command, ReportArguments& arguments);
int run_report(const ReportArguments& arguments, Console& console);

struct SelftestArguments {
  OutputFormat format = OutputFormat::text;
};

/// `perfmodel selftest`: recomputes known results on this machine.
void setup_selftest(OptionSet& command, SelftestArguments& arguments);

/// Returns 1 if a figure has fewer matching digits than required.
int run_selftest_command(const SelftestArguments& arguments, Console& console);

struct ShowArguments {
  std::string model;
  std::string pick;
  std::vector<std::string> ranked_at;  ///< settings of the ranking of many models
  std::string output = "-";
  std::optional<FormulaLanguage> language = {};  ///< nullopt: text
};

/// `perfmodel show MODEL.json`: prints the formula as text or as source code.
void setup_show(OptionSet& command, ShowArguments& arguments);
int run_show(const ShowArguments& arguments, Console& console);

struct SimulateArguments {
  std::string model;
  std::string configurations;
  std::optional<char> separator;  ///< nullopt: detected
  bool strict_range = false;
  std::string output = "-";
  double noise = 0;
  double additive = 0;
  bool draw = false;
  std::uint64_t seed = kDefaultSeed;
};

/// `perfmodel simulate MODEL.json CONFIGS.csv`: generates runs whose true constants are known.
void setup_simulate(OptionSet& command, SimulateArguments& arguments);
int run_simulate(const SimulateArguments& arguments, Console& console);

/// A column to extrapolate along, and the largest value used for training.
struct ExtrapolateArgument {
  std::string column;
  std::optional<double> limit;
};

struct CompareArguments {
  std::vector<std::string> runs;
  std::string output = "-";
  RoleRequest roles;
  std::optional<char> separator;  ///< nullopt: detected
  SearchArguments search;
  SplitArguments split;
  std::optional<std::string> test;
  std::optional<ExtrapolateArgument> extrapolate;
  OutputFormat format = OutputFormat::text;
  std::vector<Gate> gates;
  SharingArguments sharing;
};

/// `perfmodel compare RUNS.csv [MORE.csv ...]`: compares the program's forms with black-box models.
void setup_compare(OptionSet& command, CompareArguments& arguments);
int run_compare(const CompareArguments& arguments, Console& console);

struct EvaluateArguments : JudgedRunsArguments {
  OutputFormat format = OutputFormat::text;
  std::optional<std::string> residuals;  ///< output path for one line per run
  std::optional<std::size_t> outliers;   ///< number of runs to list
  std::optional<double> coverage;        ///< of the intervals; nullopt: the model's
  std::optional<std::string> baseline;   ///< an older model
  bool strict_range = false;
  std::vector<Gate> gates;
};

/// `perfmodel evaluate MODEL.json RUNS.csv`: compares predictions with measured runs.
void setup_evaluate(OptionSet& command, EvaluateArguments& arguments);
int run_evaluate(const EvaluateArguments& arguments, Console& console);

struct ScalingArguments {
  std::string input;
  std::string pick;
  std::optional<std::string> column;
  std::optional<scaling::Kind> kind;       ///< nullopt: inferred from the columns
  std::optional<double> least_efficiency;  ///< percent; if given, efficiencies are reported
  std::vector<double> scales;              ///< of a model
  std::vector<std::string> settings;       ///< of a model
  bool strict_range = false;               ///< of a model
  std::optional<double> coverage;          ///< of its intervals
  std::optional<std::string> target;       ///< of runs
  bool throughput = false;                 ///< of runs
  std::vector<std::string> ignore;         ///< of runs
  bool drop_failed = false;                ///< of runs
  OutputFormat format = OutputFormat::text;
  std::string output = "-";
};

/// `perfmodel scaling MODEL.json|RUNS.csv`: reports how the time scales along one column.
void setup_scaling(OptionSet& command, ScalingArguments& arguments);
int run_scaling(const ScalingArguments& arguments, Console& console);

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
  std::vector<double> batch_shares;
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
  std::optional<std::size_t> workers;
  std::optional<std::string> reference;  ///< layers with the whole batch on one worker
  std::optional<double> batch;
  std::optional<double> forward_share;
  double bytes_per_element = 4;
  double read_us = 0;
  double split_us = 0;
  double copy_us = 0;
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

enum class SuggestBy { time, cost, pareto };

struct SuggestArguments {
  std::string model;
  std::string pick;
  std::string space;
  SuggestBy by = SuggestBy::time;
  std::optional<std::string> price;
  std::vector<std::string> conditions;
  std::size_t most = 10;
  std::optional<std::size_t> next;
  std::optional<std::string> runs;   ///< runs measured so far, for --next
  std::optional<std::string> among;  ///< candidates of --next
  std::optional<double> overhead;    ///< time to start a run, for --next
  std::uint64_t seed = kDefaultSeed;
  std::optional<double> coverage;  ///< of the intervals; nullopt: the model's
  bool strict_range = false;
  OutputFormat format = OutputFormat::text;
  std::string output = "-";
};

/// `perfmodel suggest MODEL.json SPACE.json`: the best configurations, or the next to measure.
void setup_suggest(OptionSet& command, SuggestArguments& arguments);
int run_suggest(const SuggestArguments& arguments, Console& console);

struct SweepArguments {
  std::string runs;
  std::string output = "-";
  RoleRequest roles;
  std::optional<char> separator;  ///< nullopt: detected
  SearchArguments search;
  SplitArguments split;
  std::vector<PenaltyKind> penalties = {PenaltyKind::l1, PenaltyKind::l2};
  std::vector<double> lambdas = log_grid(1e-6, 1e2, 9);
  LambdaRule rule = LambdaRule::lowest;
  OutputFormat format = OutputFormat::text;
  SharingArguments sharing;
};

/// `perfmodel sweep RUNS.csv`: computes the regularisation path and chooses lambda on validation
/// rows.
void setup_sweep(OptionSet& command, SweepArguments& arguments);
int run_sweep(const SweepArguments& arguments, Console& console);

/// The exit codes that scripts rely on. A signal gives 128 + its number.
enum class ExitCode : int {
  done = 0,
  internal_error = 1,
  wrong_usage = 2,
  bad_input = 3,
  gate_failed = 4,
  output_failed = 5,
  out_of_memory = 6,
};

/// Parses the command line, runs the command and turns every error into its message and exit code.
/// Only this function catches errors.
int run_app(int argc, const char* const* argv);

}  // namespace perfmodel::cli
