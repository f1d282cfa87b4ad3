#include "fit/multi/normal_matrix.hpp"

#include <algorithm>
#include <cstddef>

#include "fit/multi/row_kernel.hpp"

namespace perfmodel {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

/// Rows whose products and weights stay in the cache together.
constexpr Index kBlock = 64;
/// Products of features that are kept, 16 MiB of them; more are made anew each time.
constexpr Index kMostKept = Index{1} << 21;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Index pairs(Index count) {
  return count * (count + 1) / 2;
}

std::size_t to_size(Index count) {
  return static_cast<std::size_t>(count);
}

/// As far apart as the kernel wants its rows.
Index stride(Index columns) {
  const auto multiple = static_cast<Index>(row_kernel::kStrideMultiple);
  return (columns + multiple - 1) / multiple * multiple;
}

/// x_i x_j of all i <= j < columns in each row.
void fill_pairs(const RowMajor& values, Index columns, RowMajor& out) {
  for (Index row = 0; row < values.rows(); ++row) {
    const double* x = values.data() + row * values.cols();
    double* next = out.data() + row * out.cols();
    for (Index i = 0; i < columns; ++i) {
      for (Index j = i; j < columns; ++j)
        *next++ = x[i] * x[j];
    }
  }
}

/// The sums over pairs of terms and pairs of features, each where it belongs.
MatrixXd unpacked(const RowMajor& sums, Index features, Index terms) {
  MatrixXd out(terms * features, terms * features);
  Index pair = 0;
  for (Index k = 0; k < terms; ++k) {
    for (Index l = k; l < terms; ++l, ++pair) {
      Index product = 0;
      for (Index i = 0; i < features; ++i) {
        for (Index j = i; j < features; ++j, ++product) {
          const double sum = sums(pair, product);
          out(k * features + i, l * features + j) = sum;
          out(k * features + j, l * features + i) = sum;
          out(l * features + i, k * features + j) = sum;
          out(l * features + j, k * features + i) = sum;
        }
      }
    }
  }
  return out;
}

}  // namespace

NormalMatrix::NormalMatrix(const Eigen::Ref<const MatrixXd>& features, InstructionSet instructions)
    : kernel_(row_kernel::functions_for(instructions)),
      columns_(features.cols()),
      features_(RowMajor::Zero(features.rows(), stride(columns_))) {
  features_.leftCols(columns_) = features;
  const Index pair_stride = stride(pairs(columns_));
  if (features_.rows() * pair_stride <= kMostKept) {
    pairs_ = RowMajor::Zero(features_.rows(), pair_stride);
    fill_pairs(features_, columns_, pairs_);
  }
}

MatrixXd NormalMatrix::operator()(const MatrixXd& terms, const ArrayXd& curvature) const {
  const bool kept = pairs_.size() > 0;
  const Index pair_stride = stride(pairs(columns_));
  RowMajor made = RowMajor::Zero(kept ? 0 : kBlock, pair_stride);
  RowMajor weights(kBlock, pairs(terms.cols()));
  RowMajor sums = RowMajor::Zero(weights.cols(), pair_stride);
  for (Index first = 0; first < features_.rows(); first += kBlock) {
    const Index rows = std::min(kBlock, features_.rows() - first);
    if (!kept)
      fill_pairs(features_.middleRows(first, rows), columns_, made);
    fill_pairs(terms.middleRows(first, rows), terms.cols(), weights);
    for (Index row = 0; row < rows; ++row)
      weights.row(row) *= curvature[first + row];
    const double* products = kept ? pairs_.row(first).data() : made.data();
    add(rows, {products, to_size(pairs(columns_)), to_size(pair_stride)}, weights, sums);
  }
  return unpacked(sums, columns_, terms.cols());
}

MatrixXd NormalMatrix::feature_sums(const MatrixXd& row_weights) const {
  RowMajor sums = RowMajor::Zero(row_weights.cols(), features_.cols());
  for (Index first = 0; first < features_.rows(); first += kBlock) {
    const Index rows = std::min(kBlock, features_.rows() - first);
    const RowMajor weights = row_weights.middleRows(first, rows);
    add(rows, {features_.row(first).data(), to_size(columns_), to_size(features_.cols())}, weights,
        sums);
  }
  return sums.leftCols(columns_).transpose();
}

void NormalMatrix::add(Index rows, const row_kernel::Rows& products, const RowMajor& weights,
                       RowMajor& sums) const {
  kernel_.add_products(to_size(rows), products,
                       {weights.data(), to_size(weights.cols()), to_size(weights.cols())},
                       sums.data());
}

}  // namespace perfmodel
