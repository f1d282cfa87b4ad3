#include "sums/normal_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "base/parallel.hpp"
#include "base/text.hpp"

namespace perfmodel::row_kernel {

const Functions& functions_for(InstructionSet instructions) {
  return one_for(instructions, baseline, avx2, avx512);
}

}  // namespace perfmodel::row_kernel

namespace perfmodel {
namespace {

/// Rows per block, whose products and weights stay in the cache.
constexpr Index kBlock = 64;
/// Most products of features that are stored, 16 MiB; more are recomputed each time.
constexpr Index kMostKept = Index{1} << 21;
/// Products per slab, so that a block of rows stays in the cache.
constexpr Index kMostAtOnce = Index{1} << 11;
/// Contrasts from which summing per level pays.
constexpr Index kManyContrasts = 8;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Index pairs(Index count) {
  return count * (count + 1) / 2;
}

/// The number of columns padded to the stride of the kernel.
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

/// f(k, l, pair) for the pairs k <= l of the terms in their order.
template <typename F>
void for_pairs(Index terms, F&& f) {
  Index pair = 0;
  for (Index k = 0; k < terms; ++k)
    for (Index l = k; l < terms; ++l)
      f(k, l, pair++);
}

/// Writes the sums over pairs of terms and pairs of features from `first` to `last` to their
/// places. `columns`: index of each feature among all.
void unpack(const RowMajor& sums, Index first, Index last, const std::vector<Index>& columns,
            Index all, Index terms, MatrixXd& out) {
  const Index features = static_cast<Index>(columns.size());
  for_pairs(terms, [&](Index k, Index l, Index pair) {
    Index product = 0;
    for (Index i = first; i <= last; ++i) {
      const Index a = columns[to_size(i)];
      for (Index j = i; j < features; ++j, ++product) {
        const Index b = columns[to_size(j)];
        const double sum = sums(pair, product);
        out(k * all + a, l * all + b) = sum;
        out(k * all + b, l * all + a) = sum;
        out(l * all + a, k * all + b) = sum;
        out(l * all + b, k * all + a) = sum;
      }
    }
  });
}

/// Entry of levels 0 .. m - 1 in contrast m - 1; level m has -m times it.
double scale_of(Index m) {
  return 1 / std::sqrt(static_cast<double>(m) * static_cast<double>(m + 1));
}

}  // namespace

LevelColumn::LevelColumn(Index first, const Eigen::Ref<const MatrixXd>& contrasts,
                         const RowMajor& others)
    : first_(first),
      levels_(contrasts.cols() + 1),
      order_(to_size(contrasts.rows())),
      begin_(to_size(levels_ + 1), 0) {
  for (Index row = 0; row < contrasts.rows(); ++row) {
    level_.push_back(level_of(contrasts.row(row)));
    ++begin_[to_size(level_.back() + 1)];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::iota(order_.begin(), order_.end(), Index{0});
  std::ranges::stable_sort(
      order_, [&](Index a, Index b) { return level_[to_size(a)] < level_[to_size(b)]; });
  others_ = others(order_, Eigen::all);
}

MatrixXd LevelColumn::sums(const RowMajor& row_weights) const {
  RowMajor out = RowMajor::Zero(levels_, row_weights.cols());
  for (Index row = 0; row < row_weights.rows(); ++row)
    out.row(level_[to_size(row)]) += row_weights.row(row);
  return out;
}

LevelColumn::RowMajor LevelColumn::sums_with_others(const row_kernel::Functions& kernel,
                                                    const RowMajor& row_weights) const {
  const RowMajor weights = row_weights(order_, Eigen::all);
  const Index columns = weights.cols();
  const std::size_t stride = to_size(others_.cols());
  RowMajor out = RowMajor::Zero(levels_ * columns, others_.cols());
  for (Index level = 0; level < levels_; ++level) {
    const Index begin = begin_[to_size(level)];
    const Index rows = begin_[to_size(level + 1)] - begin;
    if (rows > 0)
      kernel.add_products(to_size(rows), {others_.row(begin).data(), stride, stride},
                          {weights.row(begin).data(), to_size(columns), to_size(columns)},
                          out.row(level * columns).data());
  }
  return out;
}

LevelColumn::RowMajor LevelColumn::sums_with(const LevelColumn& other,
                                             const RowMajor& row_weights) const {
  RowMajor out = RowMajor::Zero(levels_ * other.levels_, row_weights.cols());
  for (Index row = 0; row < row_weights.rows(); ++row)
    out.row(level_[to_size(row)] * other.levels_ + other.level_[to_size(row)]) +=
        row_weights.row(row);
  return out;
}

MatrixXd contrasts(std::size_t levels) {
  const Index n = static_cast<Index>(levels);
  MatrixXd out = MatrixXd::Zero(n, n - 1);
  for (Index m = 1; m < n; ++m) {
    const double scale = scale_of(m);
    out.col(m - 1).head(m).setConstant(scale);
    out(m, m - 1) = -scale * static_cast<double>(m);
  }
  return out;
}

Index level_of(const Eigen::Ref<const RowVectorXd>& row) {
  Index first = 0;
  while (first + 1 < row.size() && row[first] == 0)
    ++first;
  return row[first] > 0 ? 0 : first + 1;
}

MatrixXd contrast_sums(const Eigen::Ref<const MatrixXd>& of_levels) {
  MatrixXd out(of_levels.rows() - 1, of_levels.cols());
  RowVectorXd before = of_levels.row(0);
  for (Index m = 1; m < of_levels.rows(); ++m) {
    out.row(m - 1) = scale_of(m) * (before - static_cast<double>(m) * of_levels.row(m));
    before += of_levels.row(m);
  }
  return out;
}

MatrixXd contrast_products(const Eigen::Ref<const VectorXd>& weights) {
  const Index size = weights.size() - 1;
  const VectorXd sums = contrast_sums(weights);
  MatrixXd out(size, size);
  double before = weights[0];
  for (Index m = 1; m <= size; ++m) {
    const double scale = scale_of(m);
    const double squared = static_cast<double>(m) * static_cast<double>(m);
    out(m - 1, m - 1) = scale * scale * (before + squared * weights[m]);
    // A later contrast has the same entry for all levels 0 .. m.
    for (Index later = m + 1; later <= size; ++later)
      out(later - 1, m - 1) = out(m - 1, later - 1) = scale_of(later) * sums[m - 1];
    before += weights[m];
  }
  return out;
}

/// Divides the triangle of pairs into slabs of whole rows with at most `most_pairs` pairs each.
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
                           std::stop_token stop, const std::vector<Levels>& levels)
    : kernel_(row_kernel::functions_for(instructions)),
      stop_(std::move(stop)),
      all_(features.cols()) {
  std::vector<Levels> many;
  std::copy_if(levels.begin(), levels.end(), std::back_inserter(many),
               [](const Levels& own) { return own.second >= kManyContrasts; });
  for (Index j = 0; j < all_; ++j)
    if (std::ranges::none_of(
            many, [&](const Levels& own) { return own.first <= j && j < own.first + own.second; }))
      columns_.push_back(j);
  const Index columns = static_cast<Index>(columns_.size());
  features_ = RowMajor::Zero(features.rows(), stride(columns));
  features_.leftCols(columns) = features(Eigen::all, columns_);
  for (const auto& [first, count] : many)
    levels_.emplace_back(first, features.middleCols(first, count), features_);

  const bool keep = features_.rows() * stride(pairs(columns)) <= kMostKept;
  slabs_ = slabs_of(columns, keep ? pairs(columns) : kMostAtOnce);
  if (keep) {
    pairs_ = RowMajor::Zero(features_.rows(), stride(pairs(columns)));
    fill_pairs(features_.data(), features_.cols(), features_.rows(), 0, columns - 1, columns,
               pairs_.data(), pairs_.cols());
  }
}

MatrixXd NormalMatrix::operator()(const MatrixXd& terms, const ArrayXd& curvature,
                                  const MatrixXd& bend) const {
  const bool kept = pairs_.size() > 0;
  const Index columns = static_cast<Index>(columns_.size());
  const Index block = std::min(kBlock, features_.rows());
  RowMajor weights(block, pairs(terms.cols()));
  RowMajor own_terms(block, terms.cols());
  RowMajor all_weights(levels_.empty() ? 0 : features_.rows(), weights.cols());
  std::vector<RowMajor> sums;
  Index widest = 0;
  for (const Slab& slab : slabs_) {
    sums.push_back(RowMajor::Zero(weights.cols(), slab.stride));
    widest = std::max(widest, slab.stride);
  }
  std::vector<double> made(kept ? 0 : to_size(block * widest), 0.0);
  MatrixXd out(terms.cols() * all_, terms.cols() * all_);
  for (Index first = 0; first < features_.rows(); first += kBlock) {
    const Index rows = std::min(kBlock, features_.rows() - first);
    own_terms.topRows(rows) = terms.middleRows(first, rows);
    fill_pairs(own_terms.data(), own_terms.cols(), rows, 0, terms.cols() - 1, terms.cols(),
               weights.data(), weights.cols());
    for (Index row = 0; row < rows; ++row)
      weights.row(row) *= curvature[first + row];
    for_pairs(bend.cols(), [&](Index k, Index l, Index pair) {
      if (k == l)
        weights.col(pair).head(rows) += bend.col(k).segment(first, rows);
    });
    if (!levels_.empty())
      all_weights.middleRows(first, rows) = weights.topRows(rows);
    for (std::size_t s = 0; s < slabs_.size(); ++s) {
      if (stop_.stop_requested())
        return MatrixXd::Zero(out.rows(), out.cols());
      const Slab& slab = slabs_[s];
      if (!kept)
        fill_pairs(features_.row(first).data(), features_.cols(), rows, slab.first, slab.last,
                   columns, made.data(), slab.stride);
      const double* products = kept ? pairs_.row(first).data() : made.data();
      add(rows, {products, to_size(slab.pairs), to_size(slab.stride)}, weights, sums[s]);
    }
  }
  for (std::size_t s = 0; s < slabs_.size(); ++s)
    unpack(sums[s], slabs_[s].first, slabs_[s].last, columns_, all_, terms.cols(), out);
  add_levels(all_weights, terms.cols(), out);
  return out;
}

void NormalMatrix::add_levels(const RowMajor& weights, Index terms, MatrixXd& out) const {
  const Index columns = static_cast<Index>(columns_.size());
  // Writes a block for the features from i and from j on; (k, l) and (l, k) are equal.
  const auto put = [&](Index k, Index l, Index i, Index j, const MatrixXd& block) {
    for (const auto& [a, b] : {std::pair(k, l), std::pair(l, k)}) {
      out.block(a * all_ + i, b * all_ + j, block.rows(), block.cols()) = block;
      out.block(a * all_ + j, b * all_ + i, block.cols(), block.rows()) = block.transpose();
    }
  };
  for (std::size_t g = 0; g < levels_.size() && !stop_.stop_requested(); ++g) {
    const LevelColumn& own = levels_[g];
    const MatrixXd alone = own.sums(weights);
    const RowMajor with_others = own.sums_with_others(kernel_, weights);
    for_pairs(terms, [&](Index k, Index l, Index pair) {
      put(k, l, own.first(), own.first(), contrast_products(alone.col(pair)));
      const MatrixXd mixed = contrast_sums(
          with_others(Eigen::seqN(pair, own.levels(), weights.cols()), Eigen::seqN(0, columns)));
      for (Index j = 0; j < columns; ++j)
        put(k, l, own.first(), columns_[to_size(j)], mixed.col(j));
    });
    for (std::size_t h = 0; h < g; ++h) {
      const LevelColumn& other = levels_[h];
      const RowMajor together = own.sums_with(other, weights);
      for_pairs(terms, [&](Index k, Index l, Index pair) {
        const MatrixXd of_levels =
            together.col(pair).reshaped<Eigen::RowMajor>(own.levels(), other.levels());
        put(k, l, own.first(), other.first(),
            contrast_sums(contrast_sums(of_levels).transpose()).transpose());
      });
    }
  }
}

MatrixXd NormalMatrix::feature_sums(const MatrixXd& row_weights) const {
  RowMajor sums = RowMajor::Zero(row_weights.cols(), features_.cols());
  RowMajor weights(std::min(kBlock, features_.rows()), row_weights.cols());
  for (Index first = 0; first < features_.rows() && !stop_.stop_requested(); first += kBlock) {
    const Index rows = std::min(kBlock, features_.rows() - first);
    weights.topRows(rows) = row_weights.middleRows(first, rows);
    add(rows, {features_.row(first).data(), columns_.size(), to_size(features_.cols())}, weights,
        sums);
  }
  MatrixXd out(all_, row_weights.cols());
  out(columns_, Eigen::all) = sums.leftCols(static_cast<Index>(columns_.size())).transpose();
  for (const LevelColumn& own : levels_)
    out.middleRows(own.first(), own.features()) = contrast_sums(own.sums(row_weights));
  return out;
}

void NormalMatrix::add(Index rows, const row_kernel::Rows& products, const RowMajor& weights,
                       RowMajor& sums) const {
  kernel_.add_products(to_size(rows), products,
                       {weights.data(), to_size(weights.cols()), to_size(weights.cols())},
                       sums.data());
}

}  // namespace perfmodel
