#include "optimise/bordered_basis.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "base/text.hpp"

namespace perfmodel::optimise {

namespace {

/// Entries below this share of the largest of their row are rounding errors of a cancellation.
constexpr double kCancelled = 1e-14;
/// Smallest pivot as a share of the largest entry of its row, if it causes less fill.
constexpr double kPivotThreshold = 0.05;
/// A row whose pivot is below this share of the largest cannot replace a coordinate.
constexpr double kWorthlessPivot = 1e-8;
/// An active row below this share depends on the others, except for rounding.
constexpr double kDependent = 1e-13;

}  // namespace

DividedColumns::DividedColumns(const RowMatrix& matrix) : rows_(&matrix.dense) {
  if (!matrix.is_sparse()) {
    columns_ = matrix.dense;
    return;
  }
  levels_ = LevelColumns::of(*matrix.sparse);
  std::vector<Eigen::Triplet<double>> others;
  for (Index row = 0; row < matrix.rows(); ++row)
    for (SparseRows::InnerIterator entry(*matrix.sparse, row); entry; ++entry)
      if (!levels_.holds(entry.col()) && entry.value() != 0)
        others.emplace_back(static_cast<int>(row), static_cast<int>(levels_.other(entry.col())),
                            entry.value());
  sparse_.resize(matrix.rows(), matrix.cols() - levels_.count);
  sparse_.setFromTriplets(others.begin(), others.end());
}

/// Columns whose coordinate is 0 cost nothing.
VectorXd DividedColumns::operator*(const VectorXd& x) const {
  if (is_sparse())
    return sparse_ * x;
  std::vector<Index> moved;
  for (Index j = 0; j < x.size(); ++j)
    if (x[j] != 0)
      moved.push_back(j);
  const auto part = [&](std::size_t k) { return x[moved[k]] * columns_.col(moved[k]); };
  VectorXd out = VectorXd::Zero(columns_.rows());
  std::size_t k = 0;
  for (; k + 4 <= moved.size(); k += 4)  // four at once, since memory is the limit
    out += part(k) + part(k + 1) + part(k + 2) + part(k + 3);
  for (; k < moved.size(); ++k)
    out += part(k);
  return out;
}

double DividedColumns::along(Index row, const VectorXd& x) const {
  return is_sparse() ? sparse_.row(row).dot(x) : rows_->row(row).dot(x);
}

void DividedColumns::add_row(Index row, double times, VectorXd& to) const {
  if (!is_sparse()) {
    to += times * rows_->row(row).transpose();
    return;
  }
  for (SparseRows::InnerIterator entry(sparse_, row); entry; ++entry)
    to[entry.col()] += times * entry.value();
}

void DividedColumns::append_row(Index row, double times, SparseRow& to) const {
  if (is_sparse()) {
    for (SparseRows::InnerIterator entry(sparse_, row); entry; ++entry)
      to.emplace_back(entry.col(), times * entry.value());
    return;
  }
  to.reserve(static_cast<std::size_t>(rows_->cols()));
  for (Index j = 0; j < rows_->cols(); ++j)
    if ((*rows_)(row, j) != 0)
      to.emplace_back(j, times * (*rows_)(row, j));
}

void ChangingMatrix::start(Index size, const std::vector<SparseRow>& rows, bool is_sparse) {
  is_sparse_ = is_sparse;
  rows_ = 0;
  pivots_.clear();
  updates_.clear();
  step_of_.assign(static_cast<std::size_t>(size), none);
  count_.assign(static_cast<std::size_t>(size), 0);
  touched_.assign(static_cast<std::size_t>(size), 0);
  scale_ = VectorXd::Zero(size);
  work_ = VectorXd::Zero(size);
  for (const SparseRow& row : rows) {
    for (const auto& [column, entry] : row) {
      ++count_[static_cast<std::size_t>(column)];
      scale_[column] = std::max(scale_[column], std::abs(entry));
    }
  }
  scale_ = (scale_.array() > 0).select(scale_, 1);
  if (!is_sparse)
    inverse_ = RowMajorMatrix::Identity(size, size);
}

/// Each row takes the place of the row of the unit matrix that it determines best.
bool ChangingMatrix::update(const SparseRow& row, double least) {
  double largest = 0;  // in units of the columns
  for (const auto& [column, entry] : row)
    largest = std::max(largest, std::abs(entry) / scale_[column]);
  const VectorXd along = along_inverse(row);
  Index chosen = none;
  double best = least * largest;
  for (Index j = 0; j < along.size(); ++j) {
    if (has_pivot(j) || !(std::abs(along[j]) / scale_[j] > best))
      continue;
    best = std::abs(along[j]) / scale_[j];
    chosen = j;
  }
  if (chosen == none)
    return false;
  update_inverse(chosen, along);
  step_of_[static_cast<std::size_t>(chosen)] = rows_++;
  if (rows_ < inverse_.rows())
    return true;
  const RowMajorMatrix by_column = std::move(inverse_);
  inverse_.resize(rows_, rows_);
  for (Index j = 0; j < rows_; ++j)
    inverse_.col(step_of_[static_cast<std::size_t>(j)]) = by_column.col(j);
  return true;
}

/// The product of a row and the inverse, whose rows without a pivot are still those of the unit
/// matrix.
VectorXd ChangingMatrix::along_inverse(const SparseRow& row) const {
  VectorXd out = VectorXd::Zero(inverse_.cols());
  for (const auto& [column, entry] : row)
    if (has_pivot(column))
      out += entry * inverse_.row(column).transpose();
    else
      out[column] += entry;
  return out;
}

/// `along`: the product of the row that replaces this one and the inverse.
void ChangingMatrix::update_inverse(Index row, const VectorXd& along) {
  for (Index i = 0; i < inverse_.rows(); ++i) {
    const double pivot = inverse_(i, row) / along[row];
    if (pivot == 0)
      continue;
    inverse_.row(i) -= pivot * along.transpose();
    inverse_(i, row) = pivot;
  }
}

bool ChangingMatrix::eliminate(const SparseRow& row, double least) {
  std::vector<Index> columns;
  std::priority_queue<Index, std::vector<Index>, std::greater<>> steps;
  double largest = 0;  // in units of the columns
  const auto put = [&](Index column, double change) {
    char& touched = touched_[static_cast<std::size_t>(column)];
    if (!touched) {
      touched = 1;
      columns.push_back(column);
      if (has_pivot(column))
        steps.push(step_of_[static_cast<std::size_t>(column)]);
    }
    work_[column] += change;
    largest = std::max(largest, std::abs(work_[column]) / scale_[column]);
  };
  for (const auto& [column, entry] : row)
    put(column, entry);
  Pivot pivot;
  for (; !steps.empty(); steps.pop()) {
    const Pivot& before = pivots_[static_cast<std::size_t>(steps.top())];
    if (std::abs(work_[before.column]) <= kCancelled * largest * scale_[before.column])
      continue;
    const double times = work_[before.column] / before.value;
    pivot.lower.emplace_back(steps.top(), times);
    for (const auto& [column, entry] : before.upper)
      put(column, -times * entry);
  }
  const auto size_of = [&](Index column) { return std::abs(work_[column]) / scale_[column]; };
  double best = 0;
  for (const Index column : columns)
    if (!has_pivot(column))
      best = std::max(best, size_of(column));
  const bool independent = best > least * largest;
  Index chosen = none;
  for (const Index column : columns) {
    if (has_pivot(column) || size_of(column) < kPivotThreshold * best)
      continue;
    const auto count = [&](Index j) { return count_[static_cast<std::size_t>(j)]; };
    if (chosen == none || count(column) < count(chosen) ||
        (count(column) == count(chosen) && size_of(column) > size_of(chosen)))
      chosen = column;
  }
  for (const Index column : columns) {
    if (independent && !has_pivot(column) && column != chosen &&
        size_of(column) > kCancelled * largest)
      pivot.upper.emplace_back(column, work_[column]);
    touched_[static_cast<std::size_t>(column)] = 0;
  }
  if (independent) {
    pivot.column = chosen;
    pivot.value = work_[chosen];
    step_of_[static_cast<std::size_t>(chosen)] = index(pivots_.size());
    pivots_.push_back(std::move(pivot));
  }
  for (const Index column : columns)
    work_[column] = 0;
  return independent;
}

void ChangingMatrix::replace_row(Index row, const SparseRow& entries) {
  if (!is_sparse_) {
    update_inverse(row, along_inverse(entries));
    return;
  }
  VectorXd dense = VectorXd::Zero(scale_.size());
  for (const auto& [column, entry] : entries)
    dense[column] += entry;
  const VectorXd along = solve_transposed(std::move(dense));
  Update update{.at = row, .pivot = along[row], .is_row = true, .others = {}};
  for (Index i = 0; i < along.size(); ++i)
    if (i != row && along[i] != 0)
      update.others.emplace_back(i, along[i]);
  updates_.push_back(std::move(update));
}

void ChangingMatrix::spread_row(Index row, double pivot, SparseRow others) {
  updates_.push_back({.at = row, .pivot = pivot, .is_row = false, .others = std::move(others)});
}

VectorXd ChangingMatrix::solve(VectorXd right) const {
  if (!is_sparse_)
    return inverse_ * right;
  for (auto update = updates_.rbegin(); update != updates_.rend(); ++update)
    update->apply(update->is_row, right);
  for (std::size_t k = 0; k < pivots_.size(); ++k)
    for (const auto& [step, times] : pivots_[k].lower)
      right[index(k)] -= times * right[step];
  VectorXd out(right.size());
  for (std::size_t k = pivots_.size(); k-- > 0;) {
    double rest = right[index(k)];
    for (const auto& [column, entry] : pivots_[k].upper)
      rest -= entry * out[column];
    out[pivots_[k].column] = rest / pivots_[k].value;
  }
  return out;
}

VectorXd ChangingMatrix::solve_transposed(VectorXd right) const {
  if (!is_sparse_)
    return inverse_.transpose() * right;
  VectorXd out(right.size());
  for (std::size_t k = 0; k < pivots_.size(); ++k) {
    const double value = right[pivots_[k].column] / pivots_[k].value;
    out[index(k)] = value;
    if (value != 0)
      for (const auto& [column, entry] : pivots_[k].upper)
        right[column] -= entry * value;
  }
  for (std::size_t k = pivots_.size(); k-- > 0;)
    for (const auto& [step, times] : pivots_[k].lower)
      out[step] -= times * out[index(k)];
  for (const Update& update : updates_)
    update.apply(!update.is_row, out);
  return out;
}

/// Solves with a unit matrix in which the update replaces one row (`gathers`) or one column.
void ChangingMatrix::Update::apply(bool gathers, VectorXd& x) const {
  if (gathers) {
    for (const auto& [i, entry] : others)
      x[at] -= entry * x[i];
    x[at] /= pivot;
    return;
  }
  x[at] /= pivot;
  for (const auto& [i, entry] : others)
    x[i] -= entry * x[at];
}

BorderedBasis::BorderedBasis(const Bounds& bounds, std::shared_ptr<const DividedColumns> rows,
                             Index row_count, const VectorXd& start)
    : rows_(std::move(rows)),
      first_(rows_->levels().first),
      levels_(rows_->levels().count),
      border_(rows_->others()),
      constraints_(static_cast<std::size_t>(levels_ + border_)),
      holds_row_(static_cast<std::size_t>(row_count), 0),
      diagonal_(levels_),
      border_level_(static_cast<std::size_t>(border_), LevelColumns::none),
      border_entry_(VectorXd::Zero(border_)),
      touching_(Eigen::VectorXi::Zero(levels_)) {
  for (Index j = 0; j < levels_ + border_; ++j) {
    Hold hold = Hold::parked;
    if (start[j] <= bounds.lower[j])
      hold = Hold::lower;
    if (start[j] >= bounds.upper[j])
      hold = Hold::upper;
    if (j >= first_ && j < first_ + levels_)
      set_own(j - first_, {hold, j});
    else
      set_border(j < first_ ? j : j - levels_, {hold, j});
  }
  factorise();
}

/// Appends the entries of a constraint in other columns than levels, times a number.
void BorderedBasis::append_others(const ActiveConstraint& constraint, double times,
                                  SparseRow& to) const {
  if (constraint.hold == Hold::row) {
    rows_->append_row(constraint.index, times, to);
  } else if (level_of(constraint) == LevelColumns::none) {
    to.emplace_back(constraint.index < first_ ? constraint.index : constraint.index - levels_,
                    times);
  }
}

Index BorderedBasis::level_of(const ActiveConstraint& constraint) const {
  if (constraint.hold == Hold::row)
    return rows_->levels().level_of(constraint.index);
  const Index level = constraint.index - first_;
  return level >= 0 && level < levels_ ? level : LevelColumns::none;
}

double BorderedBasis::level_entry_of(const ActiveConstraint& constraint) const {
  return constraint.hold == Hold::row ? rows_->levels().value[constraint.index] : 1;
}

void BorderedBasis::mark(const ActiveConstraint& constraint, char held) {
  if (constraint.hold == Hold::row)
    holds_row_[static_cast<std::size_t>(constraint.index)] = held;
}

void BorderedBasis::set_own(Index level, ActiveConstraint constraint) {
  constraints_[static_cast<std::size_t>(level)] = constraint;
  diagonal_[level] = level_entry_of(constraint);
}

void BorderedBasis::set_border(Index place, ActiveConstraint constraint) {
  constraints_[static_cast<std::size_t>(levels_ + place)] = constraint;
  Index& level = border_level_[static_cast<std::size_t>(place)];
  if (level != LevelColumns::none)
    --touching_[level];
  level = level_of(constraint);
  border_entry_[place] = 0;
  if (level != LevelColumns::none) {
    ++touching_[level];
    border_entry_[place] = level_entry_of(constraint);
  }
}

/// The row of S for a constraint of the border.
SparseRow BorderedBasis::complement_row(const ActiveConstraint& constraint) const {
  SparseRow out;
  append_others(constraint, 1, out);
  const Index level = level_of(constraint);
  if (level != LevelColumns::none)
    append_others((*this)[level], -level_entry_of(constraint) / diagonal_[level], out);
  return out;
}

void BorderedBasis::factorise() {
  rebuild({constraints_.begin() + levels_, constraints_.end()}, kDependent);
}

void BorderedBasis::hold(const std::vector<Index>& rows) {
  std::vector<ActiveConstraint> wanted;
  for (Index b = 0; b < border_; ++b)
    if ((*this)[levels_ + b].hold != Hold::parked)
      wanted.push_back((*this)[levels_ + b]);
  for (const Index row : rows) {
    const ActiveConstraint entering{Hold::row, row};
    const Index level = level_of(entering);
    if (level == LevelColumns::none || (*this)[level].hold != Hold::parked) {
      wanted.push_back(entering);
      continue;
    }
    set_own(level, entering);
    mark(entering, 1);
  }
  rebuild(std::move(wanted), kWorthlessPivot);
}

void BorderedBasis::rebuild(std::vector<ActiveConstraint> wanted, double least) {
  std::vector<SparseRow> rows;
  std::vector<std::size_t> order;
  for (const ActiveConstraint& constraint : wanted) {
    order.push_back(rows.size());
    rows.push_back(complement_row(constraint));
  }
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return rows[a].size() < rows[b].size(); });
  for (Index b = 0; b < border_; ++b)
    mark((*this)[levels_ + b], 0);
  std::ranges::fill(border_level_, LevelColumns::none);
  touching_.setZero();
  complement_.start(border_, rows, rows_->is_sparse());
  Index place = 0;
  for (const std::size_t k : order) {
    if (place == border_)
      break;
    if (!complement_.add(rows[k], least))
      continue;
    set_border(place++, wanted[k]);
    mark(wanted[k], 1);
  }
  for (Index j = 0; j < border_; ++j) {
    if (complement_.has_pivot(j))
      continue;
    complement_.add({{j, 1.0}}, 0);
    set_border(place++, {Hold::parked, j < first_ ? j : j + levels_});
  }
}

/// Swaps the own constraint of a level and the last constraint of the border in that level.
Index BorderedBasis::swap_with_border(Index level) {
  std::vector<Index> touching;
  for (Index b = 0; b < border_; ++b)
    if (border_level_[static_cast<std::size_t>(b)] == level)
      touching.push_back(b);
  const Index place = touching.back();
  const double entry = border_entry_[place];
  SparseRow others;
  for (const Index b : touching)
    if (b != place)
      others.emplace_back(b, -border_entry_[b] / entry);
  complement_.spread_row(place, -diagonal_[level] / entry, std::move(others));
  const ActiveConstraint own = (*this)[level];
  set_own(level, (*this)[levels_ + place]);
  set_border(place, own);
  return place;
}

void BorderedBasis::exchange(Index k, ActiveConstraint entering) {
  mark((*this)[k], 0);
  mark(entering, 1);
  if (k < levels_ && moves_alone(k)) {
    set_own(k, entering);
    return;
  }
  const Index place = k < levels_ ? swap_with_border(k) : k - levels_;
  set_border(place, entering);
  complement_.replace_row(place, complement_row(entering));
}

BorderedVector BorderedBasis::edge(Index k) const {
  if (k < levels_ && moves_alone(k)) {
    BorderedVector out{VectorXd::Zero(levels_), VectorXd::Zero(border_)};
    out.levels[k] = 1 / diagonal_[k];
    return out;
  }
  if (levels_ == 0)
    return {VectorXd(0), complement_.inverse().col(k)};
  return solve(VectorXd::Unit(size(), k));
}

VectorXd BorderedBasis::lengths(const BorderedVector& weights) const {
  if (levels_ > 0)
    return {};
  VectorXd out = VectorXd::Zero(border_);
  for (Index i = 0; i < border_; ++i)
    out += weights.others[i] * complement_.inverse().row(i).transpose().cwiseAbs();
  return out;
}

BorderedVector BorderedBasis::solve(const VectorXd& raises) const {
  BorderedVector out{raises.head(levels_).cwiseQuotient(diagonal_), raises.tail(border_)};
  for (Index b = 0; b < border_; ++b) {
    const Index level = border_level_[static_cast<std::size_t>(b)];
    if (level != LevelColumns::none)
      out.others[b] -= border_entry_[b] * out.levels[level];
  }
  out.others = complement_.solve(std::move(out.others));
  for (Index l = 0; l < levels_; ++l) {
    const ActiveConstraint& own = (*this)[l];
    if (own.hold != Hold::row)
      continue;
    out.levels[l] -= rows_->along(own.index, out.others) / diagonal_[l];
  }
  return out;
}

VectorXd BorderedBasis::slopes(const BorderedVector& gradient) const {
  VectorXd out(levels_ + border_);
  out.head(levels_) = gradient.levels.cwiseQuotient(diagonal_);
  VectorXd rest = gradient.others;
  for (Index l = 0; l < levels_; ++l)
    if ((*this)[l].hold == Hold::row && out[l] != 0)
      rows_->add_row((*this)[l].index, -out[l], rest);
  out.tail(border_) = complement_.solve_transposed(std::move(rest));
  for (Index b = 0; b < border_; ++b) {
    const Index level = border_level_[static_cast<std::size_t>(b)];
    if (level != LevelColumns::none)
      out[level] -= border_entry_[b] * out[levels_ + b] / diagonal_[level];
  }
  return out;
}

}  // namespace perfmodel::optimise
