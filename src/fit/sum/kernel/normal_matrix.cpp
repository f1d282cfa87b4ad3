#include "fit/sum/kernel/normal_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/to_size.hpp"
#include "fit/sum/kernel/row_kernel.hpp"

namespace perfmodel {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

/// Rows whose products and weights stay in the cache together.
constexpr Index kBlock = 64;
/// Products of features that are kept, 16 MiB of them; more are made anew each time.
constexpr Index kMostKept = Index{1} << 21;
/// Of those, as many at once as stay in the cache for a block of rows.
constexpr Index kMostAtOnce = Index{1} << 11;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Index pairs(Index count) {
  return count * (count + 1) / 2;
}

/// As far apart as the kernel wants its rows.
Index stride(Index columns) {
  const auto multiple = static_cast<Index>(row_kernel::kStrideMultiple);
  return (columns + multiple - 1) / multiple * multiple;
}

/// x_i x_j of all i <= j < columns in each row, first <= i <= last.
void fill_pairs(const double* values, Index value_stride, Index rows, Index first, Index last,
                Index columns, double* out, Index out_stride) {
  for (Index row = 0; row < rows; ++row) {
    const double* x = values + row * value_stride;
    double* next = out + row * out_stride;
    for (Index i = first; i <= last; ++i)
      for (Index j = i; j < columns; ++j)
        *next++ = x[i] * x[j];
  }
}

/// Puts the sums over pairs of terms and the pairs of features from `first` to `last` where they
/// belong.
void unpack(const RowMajor& sums, Index first, Index last, Index features, Index terms,
            MatrixXd& out) {
  Index pair = 0;
  for (Index k = 0; k < terms; ++k) {
    for (Index l = k; l < terms; ++l, ++pair) {
      Index product = 0;
      for (Index i = first; i <= last; ++i) {
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
}

}  // namespace

/// As many rows of the triangle of pairs as may be in each.
std::vector<NormalMatrix::Slab> NormalMatrix::slabs_of(Index columns, Index most_pairs) {
  std::vector<Slab> out;
  for (Index i = 0; i < columns; ++i) {
    const Index own = columns - i;
    if (out.empty() || out.back().pairs + own > most_pairs)
      out.push_back({i, i, 0, 0});
    out.back().last = i;
    out.back().pairs += own;
  }
  for (Slab& slab : out)
    slab.stride = stride(slab.pairs);
  return out;
}

NormalMatrix::NormalMatrix(const Eigen::Ref<const MatrixXd>& features, InstructionSet instructions,
                           std::stop_token stop)
    : kernel_(row_kernel::functions_for(instructions)),
      stop_(std::move(stop)),
      columns_(features.cols()),
      features_(RowMajor::Zero(features.rows(), stride(columns_))) {
  features_.leftCols(columns_) = features;
  const bool keep = features_.rows() * stride(pairs(columns_)) <= kMostKept;
  slabs_ = slabs_of(columns_, keep ? pairs(columns_) : kMostAtOnce);
  if (keep) {
    pairs_ = RowMajor::Zero(features_.rows(), stride(pairs(columns_)));
    fill_pairs(features_.data(), features_.cols(), features_.rows(), 0, columns_ - 1, columns_,
               pairs_.data(), pairs_.cols());
  }
}

MatrixXd NormalMatrix::operator()(const MatrixXd& terms, const ArrayXd& curvature) const {
  const bool kept = pairs_.size() > 0;
  RowMajor weights(kBlock, pairs(terms.cols()));
  std::vector<RowMajor> sums;
  Index widest = 0;
  for (const Slab& slab : slabs_) {
    sums.push_back(RowMajor::Zero(weights.cols(), slab.stride));
    widest = std::max(widest, slab.stride);
  }
  std::vector<double> made(kept ? 0 : to_size(kBlock * widest), 0.0);
  MatrixXd out(terms.cols() * columns_, terms.cols() * columns_);
  for (Index first = 0; first < features_.rows(); first += kBlock) {
    const Index rows = std::min(kBlock, features_.rows() - first);
    const RowMajor own_terms = terms.middleRows(first, rows);
    fill_pairs(own_terms.data(), own_terms.cols(), rows, 0, terms.cols() - 1, terms.cols(),
               weights.data(), weights.cols());
    for (Index row = 0; row < rows; ++row)
      weights.row(row) *= curvature[first + row];
    for (std::size_t s = 0; s < slabs_.size(); ++s) {
      if (stop_.stop_requested())
        return MatrixXd::Zero(out.rows(), out.cols());
      const Slab& slab = slabs_[s];
      if (!kept)
        fill_pairs(features_.row(first).data(), features_.cols(), rows, slab.first, slab.last,
                   columns_, made.data(), slab.stride);
      const double* products = kept ? pairs_.row(first).data() : made.data();
      add(rows, {products, to_size(slab.pairs), to_size(slab.stride)}, weights, sums[s]);
    }
  }
  for (std::size_t s = 0; s < slabs_.size(); ++s)
    unpack(sums[s], slabs_[s].first, slabs_[s].last, columns_, terms.cols(), out);
  return out;
}

MatrixXd NormalMatrix::feature_sums(const MatrixXd& row_weights) const {
  RowMajor sums = RowMajor::Zero(row_weights.cols(), features_.cols());
  for (Index first = 0; first < features_.rows() && !stop_.stop_requested(); first += kBlock) {
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
