#include "fit/multi/normal_matrix.hpp"

#include <algorithm>
#include <cstddef>

#include "fit/multi/weighted_products.hpp"

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

products::Add function_for(InstructionSet instructions) {
  switch (instructions) {
    case InstructionSet::avx512:
      return products::add_avx512;
    case InstructionSet::avx2:
      return products::add_avx2;
    case InstructionSet::baseline:
      break;
  }
  return products::add_baseline;
}

Index pairs(Index count) {
  return count * (count + 1) / 2;
}

/// x_i x_j of all i <= j in each row.
void fill_pairs(const RowMajor& values, RowMajor& out) {
  for (Index row = 0; row < values.rows(); ++row) {
    const double* x = values.data() + row * values.cols();
    double* next = out.data() + row * out.cols();
    for (Index i = 0; i < values.cols(); ++i) {
      for (Index j = i; j < values.cols(); ++j)
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
    : features_(features), instructions_(instructions) {
  const auto multiple = static_cast<Index>(products::kColumnMultiple);
  columns_ = (pairs(features_.cols()) + multiple - 1) / multiple * multiple;
  if (features_.rows() * columns_ <= kMostKept) {
    pairs_ = RowMajor::Zero(features_.rows(), columns_);
    fill_pairs(features_, pairs_);
  }
}

MatrixXd NormalMatrix::operator()(const MatrixXd& terms, const ArrayXd& curvature) const {
  const products::Add add = function_for(instructions_);
  const bool kept = pairs_.size() > 0;
  RowMajor made = RowMajor::Zero(kept ? 0 : kBlock, columns_);
  RowMajor weights(kBlock, pairs(terms.cols()));
  RowMajor sums = RowMajor::Zero(weights.cols(), columns_);
  for (Index first = 0; first < features_.rows(); first += kBlock) {
    const Index rows = std::min(kBlock, features_.rows() - first);
    if (!kept)
      fill_pairs(features_.middleRows(first, rows), made);
    fill_pairs(terms.middleRows(first, rows), weights);
    for (Index row = 0; row < rows; ++row)
      weights.row(row) *= curvature[first + row];
    add(static_cast<std::size_t>(rows), kept ? pairs_.data() + first * columns_ : made.data(),
        static_cast<std::size_t>(columns_), weights.data(),
        static_cast<std::size_t>(weights.cols()), sums.data());
  }
  return unpacked(sums, features_.cols(), terms.cols());
}

}  // namespace perfmodel
