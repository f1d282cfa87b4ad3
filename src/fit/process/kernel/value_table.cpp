#include "fit/process/kernel/value_table.hpp"

#include <utility>

namespace perfmodel::process {

ValueTable::ValueTable(const Eigen::VectorXd& values, OfValue of, Eigen::Index most)
    : of_(std::move(of)) {
  if (values.size() > most)
    return;
  values_ = values;
  const auto size = static_cast<std::size_t>(values.size());
  table_ = std::make_unique_for_overwrite<double[]>(size * size);
  computed_ = std::make_unique<std::once_flag[]>(size);
}

const double* ValueTable::of_value(std::uint32_t code) const {
  const auto size = static_cast<std::size_t>(values_.size());
  double* const row = table_.get() + code * size;
  std::call_once(computed_[code], [&] { of_(values_, values_[Eigen::Index{code}], row); });
  return row;
}

}  // namespace perfmodel::process
