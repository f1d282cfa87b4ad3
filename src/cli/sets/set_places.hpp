#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perfmodel/base/error.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/configuration.hpp"

namespace perfmodel::cli {

/// Settings (COL=VALUE) that many models are asked with, all else as in the central run of each.
class SetPlaces {
 public:
  explicit SetPlaces(const std::vector<std::string>& settings) : settings_(settings) {}

  /// Columns that a model does not have mean nothing to it; a level that it does not know leaves it
  /// without a configuration.
  std::optional<Configuration> of(const FittedModel& model);

  /// When all were asked: throws UsageError where a column is one of no model, or none had a
  /// configuration.
  void check() const;

 private:
  std::vector<std::string> settings_;
  std::set<std::string> known_;  ///< settings of columns that some model has
  bool any_ = false;
  std::optional<UsageError> wrong_;
};

}  // namespace perfmodel::cli
