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

class JsonCursor;

/// Per column of a GP the index of its input in a spec. A GP keeps its own order of columns, so
/// that its predictions do not depend on the order in the file, to the last bit.
struct ProcessColumns {
  std::vector<std::size_t> intrinsic;    ///< the first numbers of the GP
  std::vector<std::size_t> extrinsic;    ///< the remaining numbers
  std::vector<std::size_t> categorical;  ///< its columns of levels

  /// All inputs, in the order of the spec.
  static ProcessColumns of(const ModelSpec& spec);

  /// The indices for another order of the columns of the spec.
  ProcessColumns reordered(const ColumnOrder& order) const;

  const NumericInput& number(const ModelSpec& spec, std::size_t i) const;
  std::size_t numbers() const { return intrinsic.size() + extrinsic.size(); }

  process::Inputs inputs(const Design& design) const;
  /// The inverse; the numbers are values, not coordinates.
  Design design(const process::Inputs& inputs, const ModelSpec& spec) const;
};

/// A number of known configurations as in model.json: distinct coordinates, and their index per
/// configuration.
struct ProcessNumber {
  std::string column;
  process::Coordinate coordinate;
  double inverse_length = 0;
  double share = 0;
  Eigen::VectorXd values;
  std::vector<std::size_t> codes;
};
void describe(Fields& f, ProcessNumber& x);

/// The levels of known configurations as in model.json.
struct ProcessLevels {
  std::string column;
  double rate = 0;
  std::vector<std::size_t> codes;
};
void describe(Fields& f, ProcessLevels& x);

/// Throws InputError unless there is one value per known configuration.
void check_size(const JsonCursor& node, Eigen::Index rows);
/// As check_size(); codes are smaller than `end`.
void check_codes(const JsonCursor& node, Eigen::Index rows, std::size_t end);

/// The settings for refitting a GP that its kernel does not contain.
struct ProcessPrior {
  double level_deviation = 0;  ///< 0 if the model was read from a file
  bool heavy_tails = false;    ///< whether the noise is heavy-tailed
};

/// A fitted GP with its predictor, which refers to it: neither is copied nor moved.
struct KnownProcess {
  explicit KnownProcess(process::ResidualProcess of, std::size_t with_threads);
  KnownProcess(const KnownProcess&) = delete;
  KnownProcess& operator=(const KnownProcess&) = delete;

  const process::ResidualProcess process;
  const process::Predictor predictor;
  const double near_variance;
  const std::size_t threads;
  const double centre;  ///< mean of z over the known configurations, which the trend includes
};

/// A trend of another form times exp(z), where z is a Gaussian process (GP) of the residuals of the
/// log times. Its constants are those of the trend.
class ProcessForm final : public Form {
 public:
  ProcessForm(std::shared_ptr<const Form> trend, ProcessColumns columns,
              std::shared_ptr<const KnownProcess> known, ProcessPrior prior);

  const Form& trend() const override { return *trend_; }
  /// The posterior mean of z per row, minus the centre.
  Eigen::VectorXd mean(const Design& design) const;

  std::string_view name() const override;
  FormWords words() const override;
  std::vector<ConstantInfo> constants(const ModelSpec& spec) const override;
  std::vector<std::string> groups(const ModelSpec& spec) const override;
  Eigen::VectorXd predict(const ModelSpec& spec, const Eigen::VectorXd& constants,
                          const Design& design) const override;
  Eigen::MatrixXd log_slopes(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             const Design& design) const override;
  std::optional<Eigen::VectorXd> process_factors(const Design& design) const override;
  std::optional<ProcessBelief> process_belief(const ModelSpec& spec) const override;
  std::optional<ProcessReach> process_reach(const ModelSpec& spec, const Eigen::VectorXd& constants,
                                            const Design& design) const override;
  /// Components, shares and scaling powers are those of the trend.
  std::vector<TimePart> parts(const ModelSpec& spec, const Eigen::VectorXd& constants,
                              const std::function<std::string(std::size_t)>& mark) const override;
  std::vector<double> shares(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             const Design& design) const override;
  std::vector<double> scaling_powers(const ModelSpec& spec, const Eigen::VectorXd& constants,
                                     const Configuration* at) const override;
  std::string formula(const ModelSpec& spec, const Eigen::VectorXd& constants) const override;
  std::string code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                   FormulaLanguage language) const override;
  std::shared_ptr<const Form> reordered(const ColumnOrder& order) const override;
  std::size_t constants_in_use(const FittedModel& model) const override;
  std::shared_ptr<const Form> multiplied(double factor) const override;
  std::unique_ptr<Refit> refit(const FittedModel& model, const Design& training,
                               const FitOptions& options) const override;
  void describe_constants(Fields& f, FittedModel& model) const override;

  /// Reads or writes the inputs, the trend with its constants, and the GP.
  static void read(Fields& f, FittedModel& model);

 private:
  std::shared_ptr<const Form> trend_;
  ProcessColumns columns_;
  std::shared_ptr<const KnownProcess> known_;
  ProcessPrior prior_;

  /// True if no number of a row is clamped by the GP.
  bool is_within_clamps(const Eigen::VectorXd& numbers) const;
};

}  // namespace perfmodel
