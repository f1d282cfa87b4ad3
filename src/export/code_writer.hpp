#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "export/code_names.hpp"
#include "export/dialect.hpp"
#include "export/formula_code.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// Writes a function of the columns: gives each an operand, computes the derived ones.
class CodeWriter {
 public:
  /// Throws InputError for a derived column whose formula the language cannot be given.
  CodeWriter(const ModelSpec& spec, const Dialect& dialect);

  const Dialect& dialect() const { return dialect_; }
  const std::vector<std::string>& intrinsic() const { return intrinsic_; }
  const std::vector<std::string>& extrinsic() const { return extrinsic_; }
  /// Extrinsic inputs, then intrinsic ones.
  const std::string& numeric(std::size_t n) const;
  CodeInputs inputs() const;

  /// The base itself where the exponent is 1.
  std::string power(const std::string& base, double exponent) const;
  /// The name where the cap is infinite.
  std::string capped(const std::string& name, double cap) const;
  /// What a numeric column counts as where 0 is among its values, else the name.
  std::string counted(const std::string& name, const NumericInput& input) const;
  /// The value that belongs to the level of a column.
  std::string choice(std::size_t column, const std::function<double(std::size_t)>& value) const;
  std::string product(const std::vector<std::string>& factors) const;
  std::string sum(const std::vector<std::string>& terms) const;
  /// The function that returns `result`; `helpers` are functions that it calls.
  std::string function(const std::string& result, const std::string& helpers) const;

 private:
  const ModelSpec& spec_;
  const Dialect& dialect_;
  CodeNames names_;
  std::vector<std::string> parameters_;
  std::string comments_;
  std::string statements_;                       ///< that compute the derived columns
  std::map<std::string, std::string> operands_;  ///< what stands for a column
  std::vector<std::string> intrinsic_;
  std::vector<std::string> categorical_;
  std::vector<std::string> extrinsic_;

  bool is_text(const std::string& column) const;
  void add_parameter(const std::string& column);
  void add_derived(const DerivedColumn& column);
  std::string as_number(const std::string& column) const;
};

}  // namespace perfmodel
