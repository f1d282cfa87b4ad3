#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/eigen.hpp"
#include "perfmodel/fit.hpp"
#include "storage/files.hpp"
#include "suggest/measurement.hpp"
#include "suggest/plan.hpp"

namespace perfmodel {

struct Knowledge;

/// When the model of a campaign is good enough: 'width<10% at gpus=64'.
struct Aim {
  std::string text;
  bool is_width = false;  ///< of the prediction intervals; else the expected error
  double percent = 0;
  std::vector<std::pair<std::string, std::string>> at;  ///< columns and values

  bool is_reached(const Knowledge& knowledge) const;
};

/// A sample of the space, with the values of the aim in place of their own; these need not be
/// values of the space. Throws UsageError for other columns or levels.
std::vector<plan::Configuration> configurations_of(const Aim& aim, const plan::Space& space,
                                                   std::uint64_t seed);

/// Who is told what.
struct CampaignMessages {
  std::function<void(const std::string&)> warn;    ///< about failed runs and outliers
  std::function<void(const std::string&)> tell;    ///< what is known so far, and why it ends
  std::function<void(const std::string&)> begins;  ///< a fit or a run: "measuring gpus=8"
};

/// How the configurations of a space are measured.
struct CampaignRequest {
  plan::Space space;
  std::string runs = "runs.csv";  ///< the file, one line each; an existing one is continued
  std::function<RunCommand(const plan::Configuration&)> command_of;
  bool is_worker = false;  ///< one process for all runs, which is asked for one after another
  std::optional<TimePattern> time_from;  ///< nullopt: the clock
  std::optional<double> timeout;         ///< of a run, in seconds
  std::optional<double> budget;          ///< of all runs, earlier ones included, in seconds
  std::size_t warmup = 0;                ///< runs before each one that is recorded
  std::size_t most_repeats = 3;          ///< runs of a configuration at most
  std::size_t jobs = 1;                  ///< runs at a time
  std::uint64_t seed = 1;
  std::size_t threads = 1;                    ///< of the fits; they do not change the result
  std::optional<Aim> until;                   ///< nullopt: the whole space is measured
  std::vector<plan::Configuration> aim = {};  ///< where predictions are wanted
  std::stop_token stop = {};
  CampaignMessages messages = {};
};

/// What the runs so far say about the configurations where predictions are wanted.
struct Knowledge {
  std::optional<FitOutcome> fit = {};  ///< to all runs, as it is delivered; if they suffice
  double deviation = 0;                ///< mean standard deviation of ln(time) of a new run there
  std::optional<double> width = {};  ///< mean width of the prediction intervals over the prediction
  std::vector<plan::Configuration> next = {};  ///< to be measured; empty: there are none
  std::size_t likely_to_fail = 0;              ///< configurations that are not measured for that
};

/// Measures configurations of a space. Every finished run is on disk at once,
/// as a line of CSV with the columns of the space, kTimeColumn and kWallColumn, in seconds; the
/// time of a failed run is "failed" or "timeout".
class Campaign {
 public:
  static constexpr auto kTimeColumn = "time_s";
  static constexpr auto kWallColumn = "wall_s";  ///< duration of the run with its warm-up

  /// Throws InputError for a file with other columns or with configurations that the space does
  /// not have, UsageError for a pipe or device, OutputError if the file cannot be written.
  explicit Campaign(CampaignRequest request);

  /// Measures until the aim is reached, the budget is spent or nothing is left. Returns what is
  /// known then, with a fit; nullopt after a stop request. Throws InputError if the first three
  /// configurations have failed, or if the runs do not suffice for a fit.
  std::optional<Knowledge> run();

  std::size_t runs() const { return rows_; }  ///< including failed ones
  double spent() const;  ///< seconds of all runs, and of what was between those of this call

 private:
  CampaignRequest request_;
  LinesFile journal_;
  std::string csv_;  ///< the content of the file
  std::size_t rows_ = 0;
  std::map<plan::Configuration, std::vector<double>> times_;  ///< ln(time); empty: all runs failed
  Worker worker_;
  double earlier_ = 0;  ///< seconds of runs of earlier calls
  Clock::time_point start_ = Clock::now();
  mutable std::mutex mutex_;  ///< of all above, while several runs are measured

  /// The first configurations to be measured, before anything is known of their cost: a Latin
  /// hypercube as small as a fit permits, two more than a product of powers has constants and at
  /// least ten, without those already measured; all of a small space.
  std::vector<plan::Configuration> first() const;
  /// Measures these configurations. Ends early after a stop request, and if the budget is spent.
  void measure(const std::vector<plan::Configuration>& configurations);
  /// Fits the runs, judges the model by its prediction intervals, and draws the next runs at random
  /// among the configurations with the fewest. If there are too few runs for a fit, the deviation
  /// is infinite, and a plan of twice as many configurations is next.
  Knowledge learn() const;
  /// As of `fit --expression auto`. Throws InputError if there are too few runs.
  FitOutcome fit() const;
  std::string state_text(const Knowledge& knowledge) const;
  std::optional<std::string> reason_to_stop(const Knowledge& knowledge) const;
  double left() const { return *request_.budget - spent(); }
  bool is_spent() const { return request_.budget && left() <= 0; }
  bool always_fails() const;
  void resume();
  void take_earlier(const Table& table);
  void measure_one(const plan::Configuration& configuration);
  void record(const plan::Configuration& configuration, const TimedRun& run);
  void add(const plan::Configuration& configuration, std::optional<double> time);
  void report_outlier(const plan::Configuration& configuration, double log_time) const;
  std::vector<plan::Configuration> with_runs(std::vector<plan::Configuration> all,
                                             std::size_t most) const;
  std::vector<plan::Configuration> plan_of(std::size_t count) const;
  void judge(const FittedModel& model, Knowledge& knowledge) const;
};

}  // namespace perfmodel
