#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forms/form.hpp"
#include "optimise/algebra.hpp"
#include "table/formula.hpp"
#include "table/formula_text.hpp"

namespace perfmodel {

/// A user's formula with the inputs of a spec: which of its names are columns, and its constants.
class OwnProgram {
 public:
  /// A name that is no column has one constant, or one per level of a column.
  struct Constant {
    std::string name;   ///< "F", "F[device=a100]"
    std::size_t place;  ///< index of its name in the formula
    std::string level;  ///< if there is one per level
    bool is_exponent = false;
  };

  /// Throws UsageError for a formula that computes with texts other than by == and !=.
  OwnProgram(const OwnFormula& own, const ModelSpec& spec);

  const Formula& formula() const { return *formula_; }
  const std::vector<Constant>& constants() const { return constants_; }
  /// The constants of one name of the formula: `count` ones from `first`; 0 for a column.
  struct Place {
    std::optional<std::size_t> numeric = {};      ///< a column of numbers, scales first
    std::optional<std::size_t> categorical = {};  ///< a column of levels, or that of the constants
    std::size_t first = 0;
    std::size_t count = 0;
  };
  const std::vector<Place>& places() const { return places_; }
  /// Of a column of levels, the number that stands for each level.
  const std::vector<double>& codes(std::size_t categorical) const { return codes_[categorical]; }

  std::vector<FormulaOperand> operands(
      const VectorXd& constants,
      const std::function<std::string(std::size_t)>& mark = nullptr) const;
  /// The last steps of the addends of the formula, in their order, and whether each is subtracted.
  std::vector<std::pair<std::size_t, bool>> addends() const;

 private:
  std::optional<Formula> formula_;
  std::vector<Constant> constants_;
  std::vector<Place> places_;
  std::vector<std::vector<double>> codes_;

  void add_constants(const OwnFormula& own, const ModelSpec& spec,
                     const std::vector<std::string>& names);
};

/// A user's formula in the rows of a design. Keeps references to both.
class OwnRows {
 public:
  OwnRows(const OwnProgram& program, const Design& design);

  VectorXd predict(const VectorXd& constants) const;
  struct Linear {
    VectorXd value;
    optimise::RowMajorMatrix slopes;  ///< rows x constants, 0 for those that are not wanted
  };
  Linear linearise(const VectorXd& constants, const std::vector<bool>& wanted) const;
  /// d ln t / d ln x of a numeric column in the first row.
  double power(const VectorXd& constants, std::size_t numeric) const;
  /// The value of the expression that ends with this step, per row.
  VectorXd part(const VectorXd& constants, std::size_t last) const;

 private:
  const OwnProgram& program_;
  const Design& design_;
  std::vector<std::vector<double>> columns_;  ///< by name of the formula; empty for constants

  std::size_t constant_in(std::size_t name, std::size_t row) const;
  std::vector<std::vector<double>> numbers(const VectorXd& constants) const;
};

/// The time as a user's formula of the columns; its constants are in the order of OwnProgram.
class OwnForm final : public Form {
 public:
  explicit OwnForm(OwnFormula own = {}, double factor = 1)
      : own_(std::move(own)), factor_(factor) {}

  const OwnFormula& own() const { return own_; }
  double factor() const { return factor_; }

  std::string_view name() const override;
  FormWords words() const override;
  std::vector<ConstantInfo> constants(const ModelSpec& spec) const override;
  std::vector<std::string> groups(const ModelSpec& spec) const override;
  VectorXd predict(const ModelSpec& spec, const VectorXd& constants,
                   const Design& design) const override;
  MatrixXd log_slopes(const ModelSpec& spec, const VectorXd& constants,
                      const Design& design) const override;
  std::shared_ptr<const Form> multiplied(double factor) const override;
  std::vector<TimePart> parts(const ModelSpec& spec, const VectorXd& constants,
                              const std::function<std::string(std::size_t)>& mark) const override;
  std::vector<double> shares(const ModelSpec& spec, const VectorXd& constants,
                             const Design& design) const override;
  std::vector<double> scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                     const Configuration* at) const override;
  std::string formula(const ModelSpec& spec, const VectorXd& constants) const override;
  std::shared_ptr<const Form> reordered(const ColumnOrder& order) const override;
  void settle_unseen_levels(const Design& training, FittedModel& model) const override;
  void describe_constants(Fields& f, FittedModel& model) const override;

 private:
  OwnFormula own_;
  double factor_;  ///< of all times; not 1 beside a Gaussian process only
};

}  // namespace perfmodel
