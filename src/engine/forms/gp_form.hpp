#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "forms/form.hpp"
#include "gp/gaussian_process.hpp"
#include "gp/kernel.hpp"
#include "perfmodel/export.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

class JsonCursor;

/// Per column of a GP the index of its input in a spec. A GP keeps its own order of columns, so
/// that its predictions do not depend on the order in the file, to the last bit.
struct GpColumns {
  std::vector<std::size_t> intrinsic;    ///< the first numbers of the GP
  std::vector<std::size_t> extrinsic;    ///< the remaining numbers
  std::vector<std::size_t> categorical;  ///< its columns of levels

  /// All inputs, in the order of the spec.
  static GpColumns of(const ModelSpec& spec);

  /// The indices for another order of the columns of the spec.
  GpColumns reordered(const ColumnOrder& order) const;

  const NumericInput& number(const ModelSpec& spec, std::size_t i) const;
  std::size_t numbers() const { return intrinsic.size() + extrinsic.size(); }

  gp::Inputs inputs(const Design& design) const;
  /// The inverse; the numbers are values, not coordinates.
  Design design(const gp::Inputs& inputs, const ModelSpec& spec) const;
};

/// A number of known configurations as in model.json: distinct coordinates, and their index per
/// configuration.
struct GpNumber {
  std::string column;
  gp::Coordinate coordinate;
  double inverse_length = 0;
  double share = 0;
  VectorXd values;
  std::vector<std::size_t> codes;
};
void describe(Fields& f, GpNumber& x);

/// The levels of known configurations as in model.json.
struct GpLevels {
  std::string column;
  double rate = 0;
  std::vector<std::size_t> codes;
};
void describe(Fields& f, GpLevels& x);

/// Throws InputError unless there is one value per known configuration.
void check_size(const JsonCursor& node, Index rows);
/// As check_size(); codes are smaller than `end`.
void check_codes(const JsonCursor& node, Index rows, std::size_t end);

/// The settings for refitting a GP that its kernel does not contain.
struct GpPrior {
  double level_deviation = 0;  ///< 0 if the model was read from a file
  bool heavy_tails = false;    ///< whether the noise is heavy-tailed
};

/// A fitted GP with its predictor, which refers to it: neither is copied nor moved.
class KnownGp {
 public:
  explicit KnownGp(gp::GaussianProcess of, std::size_t with_threads);
  KnownGp(const KnownGp&) = delete;
  KnownGp& operator=(const KnownGp&) = delete;

  const gp::GaussianProcess gp;
  const gp::Predictor predictor;
  const double near_variance;
  const std::size_t threads;
  const double centre;  ///< mean of z over the known configurations, which the trend includes

  /// The mean of z per row, and its deviation if it is asked for. The last two tables are
  /// remembered: a command asks for the times, the intervals and the corrections of its rows one
  /// after the other, and in between for those of rows that are moved into the measured ranges.
  std::shared_ptr<const gp::Prediction> predicted(gp::Inputs rows, bool deviations) const;

 private:
  using Answer = std::pair<gp::Inputs, std::shared_ptr<const gp::Prediction>>;
  mutable std::mutex guard_;
  mutable std::array<Answer, 2> last_;  ///< the latest first
};

/// A trend of another form times exp(z), where z is a Gaussian process (GP) of the residuals of the
/// log times. Its constants are those of the trend.
class GpForm final : public Form {
 public:
  GpForm(std::shared_ptr<const Form> trend, GpColumns columns, std::shared_ptr<const KnownGp> known,
         GpPrior prior);

  const Form& trend() const override { return *trend_; }
  const std::shared_ptr<const Form>& shared_trend() const { return trend_; }
  const GpColumns& columns() const { return columns_; }
  const KnownGp& known() const { return *known_; }
  const GpPrior& prior() const { return prior_; }
  /// The posterior mean of z per row, minus the centre.
  VectorXd mean(const Design& design) const;

  std::string_view name() const override;
  FormWords words() const override;
  std::vector<ConstantInfo> constants(const ModelSpec& spec) const override;
  std::vector<std::string> groups(const ModelSpec& spec) const override;
  VectorXd predict(const ModelSpec& spec, const VectorXd& constants,
                   const Design& design) const override;
  MatrixXd log_slopes(const ModelSpec& spec, const VectorXd& constants,
                      const Design& design) const override;
  std::optional<VectorXd> gp_factors(const Design& design) const override;
  std::optional<GpBelief> gp_belief(const ModelSpec& spec) const override;
  std::optional<GpReach> gp_reach(const ModelSpec& spec, const VectorXd& constants,
                                  const Design& design) const override;
  /// Components, shares and scaling powers are those of the trend.
  std::vector<TimePart> parts(const ModelSpec& spec, const VectorXd& constants,
                              const std::function<std::string(std::size_t)>& mark) const override;
  std::vector<double> shares(const ModelSpec& spec, const VectorXd& constants,
                             const Design& design) const override;
  std::vector<double> scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                     const Configuration* at) const override;
  std::string formula(const ModelSpec& spec, const VectorXd& constants) const override;
  std::shared_ptr<const Form> reordered(const ColumnOrder& order) const override;
  std::shared_ptr<const Form> multiplied(double factor) const override;
  void describe_constants(Fields& f, FittedModel& model) const override;

  /// Reads or writes the inputs, the trend with its constants, and the GP.
  static void read(Fields& f, FittedModel& model);

 private:
  std::shared_ptr<const Form> trend_;
  GpColumns columns_;
  std::shared_ptr<const KnownGp> known_;
  GpPrior prior_;

  /// True if no number of a row is clamped by the GP.
  bool is_within_clamps(const VectorXd& numbers) const;
};

}  // namespace perfmodel
