#include "gp/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "gp/matern.hpp"
#include "perfmodel/progress.hpp"

namespace perfmodel::gp {

ValueTable::ValueTable(const VectorXd& values, OfValue of, Index most) : of_(std::move(of)) {
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
  std::call_once(computed_[code], [&] { of_(values_, values_[Index{code}], row); });
  return row;
}

namespace {

double transformed(CoordinateForm form, double unit, double value) {
  switch (form) {
    case CoordinateForm::log:
      return std::log(value);
    case CoordinateForm::log_one_plus:
      return std::log1p(value / unit);
    case CoordinateForm::saturation:
      return 1 - 1 / value;
  }
  return value;
}

double smallest_above_zero(const VectorXd& values) {
  double out = 0;
  for (const double value : values)
    if (value > 0 && (out == 0 || value < out))
      out = value;
  return out > 0 ? out : 1;
}

}  // namespace

double Coordinate::at(double value) const {
  const double place = (transformed(form, unit, std::min(value, most)) - centre) / scale;
  return std::nearbyint(place * 0x1p30) * 0x1p-30;
}

double Coordinate::value(double place) const {
  const double transformed = place * scale + centre;
  switch (form) {
    case CoordinateForm::log:
      return std::exp(transformed);
    case CoordinateForm::log_one_plus:
      return unit * std::expm1(transformed);
    case CoordinateForm::saturation:
      return 1 / (1 - transformed);
  }
  return place;
}

VectorXd Coordinate::at(const VectorXd& values) const {
  return values.unaryExpr([&](double value) { return at(value); });
}

CoordinateForm usual_form(const VectorXd& values) {
  return (values.array() > 0).all() ? CoordinateForm::log : CoordinateForm::log_one_plus;
}

Coordinate standardised(CoordinateForm form, const VectorXd& values) {
  Coordinate out;
  out.form = form;
  if (form == CoordinateForm::log_one_plus)
    out.unit = smallest_above_zero(values);
  const VectorXd places =
      values.unaryExpr([&](double value) { return transformed(form, out.unit, value); });
  out.centre = places.mean();
  const double variance = (places.array() - out.centre).square().mean();
  const double rounding = 1e-12 * (1 + std::abs(out.centre));
  if (variance > rounding * rounding)
    out.scale = std::sqrt(variance);
  return out;
}

Inputs take_rows(const Inputs& inputs, std::span<const Index> rows) {
  Inputs out{.numbers = MatrixXd(index(rows.size()), inputs.numbers.cols()),
             .levels = Levels(index(rows.size()), inputs.levels.cols())};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.numbers.row(index(i)) = inputs.numbers.row(rows[i]);
    out.levels.row(index(i)) = inputs.levels.row(rows[i]);
  }
  return out;
}

Inputs placed(const Inputs& inputs, const std::vector<Coordinate>& coordinates) {
  Inputs out = inputs;
  for (std::size_t j = 0; j < coordinates.size(); ++j)
    out.numbers.col(index(j)) = coordinates[j].at(VectorXd(inputs.numbers.col(index(j))));
  return out;
}

}  // namespace perfmodel::gp

namespace perfmodel::matern {

const Functions& functions_for(InstructionSet instructions) {
  return one_for(instructions, baseline, avx2, avx512);
}

}  // namespace perfmodel::matern

namespace perfmodel::gp {
namespace {

const matern::Functions& matern_functions() {
  return matern::functions_for(best_instruction_set());
}

matern::Correlation correlation_of(const Kernel& kernel, Index column) {
  return {kernel.inverse_lengths[column], kernel.shares[column]};
}

/// Two sets of rows, possibly the same, of which all pairs are computed.
struct RowPairs {
  const CodedInputs& a;
  const CodedInputs& b;
  bool lower = false;  ///< only the lower half

  Index first(Index column) const { return lower ? column + 1 : 0; }
};

constexpr Index kColumnsOfTask = 64;  ///< columns per task

/// Whether the work takes longer than starting threads.
bool is_large(const MatrixXd& matrix) {
  return matrix.size() > 250 * 250;
}

/// With fewer rows per distinct value, grouping by value is not worth a pass of its own.
constexpr Index kRowsPerValue = 4;

bool has_few_values(const CodedColumn& column) {
  return kRowsPerValue * column.values.size() <= index(column.codes.size());
}

/// The factor of the correlations that one column of the inputs contributes.
class ColumnFactor {
 public:
  static ColumnFactor of_number(const Kernel& kernel, Index number, const RowPairs& pairs) {
    ColumnFactor out(pairs.a.numbers[to_size(number)], pairs.b.numbers[to_size(number)]);
    const VectorXd& a = out.a_.values;
    const VectorXd& b = out.b_.values;
    if (a.size() * b.size() > pairs.a.rows * pairs.b.rows / 2) {
      out.kernel_ = &kernel;
      out.number_ = number;
      out.places_ = out.a_.of_rows();
      return out;
    }
    MatrixXd table(a.size(), b.size());
    for (Index k = 0; k < table.cols(); ++k)
      kernel.number_correlations(number, a.data(), to_size(a.size()), b[k], table.col(k).data());
    out.take(std::move(table));
    return out;
  }

  static ColumnFactor of_levels(double other, const CodedColumn& a, const CodedColumn& b) {
    ColumnFactor out(a, b);
    MatrixXd table(a.values.size(), b.values.size());
    for (Index k = 0; k < table.cols(); ++k)
      table.col(k) =
          (a.values.array() == b.values[k]).select(1.0, VectorXd::Constant(a.values.size(), other));
    out.take(std::move(table));
    return out;
  }

  /// Multiplies `out` by the correlations of row k of b with the rows of a from `first` on.
  void multiply(Index k, Index first, Eigen::Ref<VectorXd> out) const {
    const std::uint32_t code = b_.codes[to_size(k)];
    if (kernel_ != nullptr) {
      VectorXd own(out.size());
      kernel_->number_correlations(number_, places_.data() + first, to_size(out.size()),
                                   b_.values[code], own.data());
      out.array() *= own.array();
    } else if (is_of_rows_) {
      out.array() *= table_.col(code).tail(out.size()).array();
    } else {
      const double* const values = table_.col(code).data();
      for (Index i = 0; i < out.size(); ++i)
        out[i] *= values[a_.codes[to_size(first + i)]];
    }
  }

 private:
  const CodedColumn& a_;
  const CodedColumn& b_;
  MatrixXd table_;           ///< (values or rows of a) x values of b
  bool is_of_rows_ = false;  ///< whether the rows of the table are a's rows rather than its values
  const Kernel* kernel_ = nullptr;  ///< set if there is no table
  Index number_ = 0;
  VectorXd places_;

  ColumnFactor(const CodedColumn& a, const CodedColumn& b) : a_(a), b_(b) {}

  void take(MatrixXd table) {
    is_of_rows_ = has_few_values(b_);  // then columns of the table are in the order of rows
    table_ = is_of_rows_ ? table(a_.codes, Eigen::all).eval() : std::move(table);
  }
};

MatrixXd correlations_of(const Kernel& kernel, const RowPairs& pairs, std::size_t threads) {
  std::vector<ColumnFactor> factors;
  for (std::size_t j = 0; j < pairs.a.numbers.size(); ++j)
    factors.push_back(ColumnFactor::of_number(kernel, index(j), pairs));
  for (std::size_t j = 0; j < pairs.a.levels.size(); ++j)
    factors.push_back(ColumnFactor::of_levels(std::exp(-kernel.rates[index(j)]), pairs.a.levels[j],
                                              pairs.b.levels[j]));
  MatrixXd out = MatrixXd::Ones(pairs.a.rows, pairs.b.rows);
  for_each_stripe(
      out.cols(), kColumnsOfTask, is_large(out) ? threads : 1, [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k)
          for (const ColumnFactor& factor : factors)
            factor.multiply(k, pairs.first(k), out.col(k).tail(out.rows() - pairs.first(k)));
      });
  return out;
}

/// Sums of the weights by pair of values; each pair of rows counts twice, for both halves.
MatrixXd pair_sums(const CodedColumn& column, const MatrixXd& weights) {
  const Index values = column.values.size();
  const Index rows = weights.rows();
  MatrixXd out = MatrixXd::Zero(values, values);
  if (has_few_values(column)) {
    MatrixXd of_rows = MatrixXd::Zero(rows, values);
    for (Index k = 0; k < rows; ++k) {
      const Index below = rows - k - 1;  // without the diagonal: k(x, x) = 1 is constant
      of_rows.col(column.codes[to_size(k)]).tail(below) += weights.col(k).tail(below);
    }
    for (Index i = 0; i < rows; ++i)
      out.row(column.codes[to_size(i)]) += 2 * of_rows.row(i);
    return out;
  }
  for (Index k = 0; k < rows; ++k) {
    double* const sums = out.col(column.codes[to_size(k)]).data();
    for (Index i = k + 1; i < rows; ++i)
      sums[column.codes[to_size(i)]] += 2 * weights(i, k);
  }
  return out;
}

}  // namespace

void Kernel::number_correlations(Index column, const double* values, std::size_t count, double from,
                                 double* out) const {
  matern_functions().correlations(correlation_of(*this, column), {count, values, from}, out);
}

void Kernel::number_slopes(Index column, const double* values, std::size_t count, double from,
                           double* by_length, double* by_share) const {
  matern_functions().slopes(correlation_of(*this, column), {count, values, from}, by_length,
                            by_share);
}

CodedColumn CodedColumn::of(const VectorXd& column) {
  const std::vector<double> distinct =
      sorted_unique(std::vector<double>(column.begin(), column.end()));
  CodedColumn out{.values = Eigen::Map<const VectorXd>(distinct.data(), index(distinct.size())),
                  .codes = {}};
  out.codes.reserve(static_cast<std::size_t>(column.size()));
  for (const double value : column) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), value);
    out.codes.push_back(static_cast<std::uint32_t>(place - distinct.begin()));
  }
  return out;
}

CodedInputs::CodedInputs(const Inputs& coordinates) : rows(coordinates.rows()) {
  for (Index j = 0; j < coordinates.numbers.cols(); ++j)
    numbers.push_back(CodedColumn::of(coordinates.numbers.col(j)));
  for (Index j = 0; j < coordinates.levels.cols(); ++j)
    levels.push_back(CodedColumn::of(coordinates.levels.col(j).cast<double>()));
}

VectorXd CodedColumn::of_rows() const {
  VectorXd out(index(codes.size()));
  for (Index i = 0; i < out.size(); ++i)
    out[i] = values[codes[to_size(i)]];
  return out;
}

MatrixXd correlations(const Kernel& kernel, const CodedInputs& a, const CodedInputs& b) {
  return correlations_of(kernel, {a, b}, 1);
}

MatrixXd correlations_among(const Kernel& kernel, const CodedInputs& rows, std::size_t threads) {
  return correlations_of(kernel, {rows, rows, true}, threads);
}

VectorXd log_correlation_slopes(const Kernel& kernel, const CodedInputs& rows,
                                const MatrixXd& weights, std::size_t threads) {
  const std::size_t numbers = rows.numbers.size();
  VectorXd out = VectorXd::Zero(index(2 * numbers + rows.levels.size()));
  const auto add_number = [&](std::size_t j) {
    const VectorXd& values = rows.numbers[j].values;
    const MatrixXd sums = pair_sums(rows.numbers[j], weights);
    VectorXd by_length(values.size());
    VectorXd by_share(values.size());
    for (Index k = 0; k < sums.cols(); ++k) {  // both slopes are 0 for i = k
      kernel.number_slopes(index(j), values.data(), to_size(values.size()), values[k],
                           by_length.data(), by_share.data());
      out[index(2 * j)] += sums.col(k).dot(by_length);
      out[index(2 * j + 1)] += sums.col(k).dot(by_share);
    }
  };
  const auto set_levels = [&](std::size_t j) {
    const MatrixXd sums = pair_sums(rows.levels[j], weights);
    out[index(2 * numbers + j)] = -kernel.rates[index(j)] * (sums.sum() - sums.trace());
  };
  parallel_for(numbers + rows.levels.size(), is_large(weights) ? threads : 1,
               [&](std::size_t j) { j < numbers ? add_number(j) : set_levels(j - numbers); });
  return out;
}

namespace {

/// The most distinct values for which a table is no more work than computing `pairs` pairs.
Index most_tabulated_values(double pairs) {
  return std::min(ValueTable::kMostValues, static_cast<Index>(std::sqrt(pairs / 2)));
}

/// places[i] - places[k] for all i > k, in the order of a matrix's lower half, column by column.
VectorXd pair_differences(const VectorXd& places) {
  VectorXd out(places.size() * (places.size() - 1) / 2);
  Index first = 0;
  for (Index k = 0; k < places.size(); ++k) {
    const Index below = places.size() - k - 1;
    out.segment(first, below) = places.tail(below).array() - places[k];
    first += below;
  }
  return out;
}

std::vector<std::uint32_t> chosen_codes(const CodedColumn& column, std::span<const Index> rows) {
  return mapped(
      rows, [&](Index row) { return column.codes[to_size(row)]; });
}

/// out(i, k) *= of_value(code of k)[code of i], below the diagonal.
template <class OfValue>
void multiply_pairs(const std::vector<std::uint32_t>& codes, MatrixXd& out,
                    const OfValue& of_value) {
  for (Index k = 0; k < out.cols(); ++k) {
    const double* const of_k = of_value(codes[static_cast<std::size_t>(k)]);
    double* const column = out.col(k).data();
    for (Index i = k + 1; i < out.rows(); ++i)
      column[i] *= of_k[codes[static_cast<std::size_t>(i)]];
  }
}

void multiply_level_pairs(const std::vector<std::uint32_t>& codes, double other, MatrixXd& out) {
  for (Index k = 0; k < out.cols(); ++k) {
    const std::uint32_t of_k = codes[static_cast<std::size_t>(k)];
    double* const column = out.col(k).data();
    for (Index i = k + 1; i < out.rows(); ++i)
      column[i] *= codes[static_cast<std::size_t>(i)] == of_k ? 1.0 : other;
  }
}

/// For a number that is not tabulated.
void multiply_number_pairs(const Kernel& kernel, Index number, const VectorXd& places,
                           MatrixXd& out) {
  const VectorXd off = pair_differences(places);
  VectorXd own(off.size());
  kernel.number_correlations(number, off.data(), to_size(off.size()), 0, own.data());
  Index first = 0;
  for (Index k = 0; k < out.cols(); ++k) {
    const Index below = out.rows() - k - 1;
    out.col(k).tail(below).array() *= own.segment(first, below).array();
    first += below;
  }
}

using Eigen::Array2d;

/// Sum of the weights of pairs (lower half, column by column) whose codes differ.
double sum_of_unequal(const std::vector<std::uint32_t>& codes, const VectorXd& weights) {
  double out = 0;
  const double* weight = weights.data();
  for (std::size_t k = 0; k < codes.size(); ++k)
    for (std::size_t i = k + 1; i < codes.size(); ++i, ++weight)
      out += codes[i] == codes[k] ? 0.0 : *weight;
  return out;
}

}  // namespace

PairTables::PairTables(const Kernel& kernel, const CodedInputs& rows, double pairs)
    : kernel_(kernel), rows_(rows), other_level_((-kernel.rates.array()).exp()) {
  for (std::size_t j = 0; j < rows.numbers.size(); ++j) {
    tables_.emplace_back(
        rows.numbers[j].values,
        [&kernel, j](const VectorXd& values, double value, double* out) {
          kernel.number_correlations(index(j), values.data(),
                                     static_cast<std::size_t>(values.size()), value, out);
        },
        most_tabulated_values(pairs));
  }
}

MatrixXd PairTables::among(std::span<const Index> rows) const {
  MatrixXd out = MatrixXd::Ones(index(rows.size()), index(rows.size()));
  for (std::size_t j = 0; j < rows_.numbers.size(); ++j) {
    const std::vector<std::uint32_t> codes = chosen_codes(rows_.numbers[j], rows);
    const ValueTable& table = tables_[j];
    const VectorXd& values = rows_.numbers[j].values;
    if (table.exists())
      multiply_pairs(codes, out, [&](std::uint32_t code) { return table.of_value(code); });
    else
      multiply_number_pairs(kernel_, index(j), values(codes), out);
  }
  for (std::size_t j = 0; j < rows_.levels.size(); ++j)
    multiply_level_pairs(chosen_codes(rows_.levels[j], rows), other_level_[index(j)], out);
  return out;
}

PairSlopes::PairSlopes(const Kernel& kernel, const CodedInputs& rows, double pairs)
    : kernel_(kernel), rows_(rows) {
  for (std::size_t j = 0; j < rows.numbers.size(); ++j) {
    const VectorXd& values = rows.numbers[j].values;
    const Index count = values.size();
    if (count > most_tabulated_values(pairs)) {
      tables_.emplace_back();
      continue;
    }
    Slopes table(2, count * count);
    VectorXd by_length(count);
    VectorXd by_share(count);
    for (Index k = 0; k < count; ++k) {
      kernel.number_slopes(index(j), values.data(), to_size(count), values[k], by_length.data(),
                           by_share.data());
      table.row(0).segment(k * count, count) = by_length;
      table.row(1).segment(k * count, count) = by_share;
    }
    tables_.push_back(std::move(table));
  }
}

Array2d PairSlopes::of_table(const Slopes& table, Index values,
                             const std::vector<std::uint32_t>& codes,
                             const VectorXd& weights) const {
  Array2d even = Array2d::Zero();  // two sums, so that additions do not wait for each other
  Array2d odd = Array2d::Zero();
  const double* weight = weights.data();
  for (std::size_t k = 0; k < codes.size(); ++k) {
    const double* const of_k = table.data() + 2 * Index{codes[k]} * values;
    const auto at = [&](std::size_t i) { return Eigen::Map<const Array2d>(of_k + 2 * codes[i]); };
    std::size_t i = k + 1;
    for (; i + 1 < codes.size(); i += 2, weight += 2) {
      even += weight[0] * at(i);
      odd += weight[1] * at(i + 1);
    }
    if (i < codes.size())
      even += *weight++ * at(i);
  }
  return even + odd;
}

Array2d PairSlopes::computed(Index number, const VectorXd& places, const VectorXd& weights) const {
  const VectorXd off = pair_differences(places);
  VectorXd by_length(off.size());
  VectorXd by_share(off.size());
  kernel_.number_slopes(number, off.data(), to_size(off.size()), 0, by_length.data(),
                        by_share.data());
  return {weights.dot(by_length), weights.dot(by_share)};
}

VectorXd PairSlopes::sums(std::span<const Index> rows, const VectorXd& weights) const {
  const Index numbers = index(rows_.numbers.size());
  VectorXd out(2 * numbers + index(rows_.levels.size()));
  for (Index j = 0; j < numbers; ++j) {
    const CodedColumn& column = rows_.numbers[to_size(j)];
    const std::vector<std::uint32_t> codes = chosen_codes(column, rows);
    const Slopes& table = tables_[to_size(j)];
    out.segment<2>(2 * j) = table.size() > 0 ? of_table(table, column.values.size(), codes, weights)
                                             : computed(j, column.values(codes), weights);
  }
  for (std::size_t j = 0; j < rows_.levels.size(); ++j)
    out[2 * numbers + index(j)] =
        -kernel_.rates[index(j)] * sum_of_unequal(chosen_codes(rows_.levels[j], rows), weights);
  return out;
}

}  // namespace perfmodel::gp
