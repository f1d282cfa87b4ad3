#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "forms/form.hpp"
#include "gp/kernel.hpp"
#include "gp/residual_process.hpp"
#include "perfmodel/columns.hpp"

namespace perfmodel {

/// Which inputs of a spec the columns of a process are. A process keeps its own order of columns,
/// so that it says the same to the last bit however the file was written.
struct ProcessColumns {
  std::vector<std::size_t> intrinsic;    ///< the first numbers of the process
  std::vector<std::size_t> extrinsic;    ///< the others
  std::vector<std::size_t> categorical;  ///< its columns of levels

  /// In the order of the spec.
  static ProcessColumns of(const ModelSpec& spec);

  /// The same where the columns of the spec stand in another order.
  ProcessColumns reordered(const ColumnOrder& order) const;

  const NumericInput& number(const ModelSpec& spec, std::size_t i) const;
  std::size_t numbers() const { return intrinsic.size() + extrinsic.size(); }

  process::Inputs inputs(const Design& design) const;
  /// The way back, from numbers that are no coordinates any more.
  Design design(const process::Inputs& inputs, const ModelSpec& spec) const;
};

/// What is fitted again of a process: the rest of the hyper-parameters, beside its kernel.
struct ProcessPrior {
  double level_deviation = 0;  ///< 0 where the model was read from a file
  bool heavy_tails = false;    ///< of the noise
};

/// A process with what its predictions take; it does not move.
struct KnownProcess {
  explicit KnownProcess(process::ResidualProcess of, std::size_t with_threads);
  KnownProcess(const KnownProcess&) = delete;
  KnownProcess& operator=(const KnownProcess&) = delete;

  const process::ResidualProcess process;
  const process::Predictor predictor;
  const double near_variance;
  const std::size_t threads;
  const double centre;  ///< mean of z over the known configurations: the trend's, not the process's
};

/// A trend of another form times exp(z), z being a Gaussian process of what the trend leaves of the
/// logarithms of the times. Its constants are those of the trend.
class ProcessForm final : public Form {
 public:
  ProcessForm(std::shared_ptr<const Form> trend, ProcessColumns columns,
              std::shared_ptr<const KnownProcess> known, ProcessPrior prior);

  const Form& trend() const override { return *trend_; }
  /// The mean of z for each row, less its centre.
  Eigen::VectorXd mean(const Design& design) const;
  /// The root mean square of mean() over the known configurations.

  std::string_view name() const override;
  unsigned schema_version() const override { return 2; }
  const FormWords& words() const override { return words_; }
  std::vector<ConstantInfo> constants(const ModelSpec& spec) const override;
  std::vector<std::string> groups(const ModelSpec& spec) const override;
  std::vector<ConstantDifference> differences(const ModelSpec& spec) const override;
  Eigen::VectorXd predict(const ModelSpec& spec, const Eigen::VectorXd& constants,
                          const Design& design) const override;
  Eigen::MatrixXd log_slopes(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             const Design& design) const override;
  std::optional<Eigen::VectorXd> process_factors(const Design& design) const override;
  std::optional<ProcessBelief> process_belief(const ModelSpec& spec) const override;
  std::optional<ProcessReach> process_reach(const ModelSpec& spec, const Eigen::VectorXd& constants,
                                            const Design& design) const override;
  /// Parts, shares and scaling powers are those of the trend.
  std::vector<TimePart> parts(const ModelSpec& spec, const Eigen::VectorXd& constants,
                              const std::function<std::string(std::size_t)>& mark) const override;
  std::vector<double> shares(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             const Design& design) const override;
  bool has_local_powers() const override { return true; }
  std::vector<double> scaling_powers(const ModelSpec& spec, const Eigen::VectorXd& constants,
                                     const Configuration* at) const override;
  double unscaled_time(const Eigen::VectorXd&) const override { return 0; }
  std::vector<double> steps(const ModelSpec& spec, std::size_t extrinsic) const override;
  std::string formula(const ModelSpec& spec, const Eigen::VectorXd& constants) const override;
  std::string code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                   FormulaLanguage language) const override;
  Reordered reordered(const ModelSpec& from, const ModelSpec& to,
                      const ColumnOrder& order) const override;
  std::size_t constants_in_use(const FittedModel& model) const override;
  std::unique_ptr<Refit> refit(const FittedModel& model, const Design& training,
                               const FitOptions& options) const override;
  void settle_unseen_levels(const Design& training, FittedModel& model) const override;
  void describe_constants(Fields& f, FittedModel& model) const override;

  /// Reads, or describes, the inputs, the trend with its constants, and the process.
  static void read(Fields& f, FittedModel& model);

 private:
  std::shared_ptr<const Form> trend_;
  ProcessColumns columns_;
  std::shared_ptr<const KnownProcess> known_;
  ProcessPrior prior_;
  std::string noun_;
  std::string title_;
  std::string share_caption_;
  std::string scaled_part_;
  FormWords words_;

  /// Whether the process tells the numbers of a row from those at its caps.
  bool is_within_caps(const Eigen::VectorXd& numbers) const;
};

}  // namespace perfmodel
