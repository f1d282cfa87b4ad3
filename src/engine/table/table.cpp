#include "table/table.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>
#include <map>
#include <numeric>

#include "base/random.hpp"
#include "base/text.hpp"

namespace perfmodel {

std::vector<double> level_numbers(const Column& column) {
  const auto number_of = [](const std::string& level) {
    return parse_number(level).value_or(std::numeric_limits<double>::quiet_NaN());
  };
  return mapped(column.levels, number_of);
}

std::vector<double> numbers_of(const Column& column) {
  if (column.is_numeric())
    return column.numbers;
  const std::vector<double> of_level = level_numbers(column);
  return mapped(column.codes, [&](std::uint32_t code) { return of_level[code]; });
}

Column as_numbers(const Column& column) {
  if (column.is_numeric())
    return column;
  Column out;
  out.name = column.name;
  out.numbers = numbers_of(column);
  for (std::size_t row = 0; row < out.numbers.size(); ++row)
    if (std::isnan(out.numbers[row]))
      out.bad_cells.push_back({row, column.text(row)});
  return out;
}

Metrics compute_metrics(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted) {
  if (measured.size() != predicted.size() || measured.size() == 0)
    throw std::invalid_argument("metrics need one prediction per measured time, and at least one");
  const auto n = static_cast<double>(measured.size());

  // Plain loops, not Eigen's reductions: those add in an order that depends on the vector width.
  double sum = 0;
  for (const double time : measured)
    sum += time;
  const double mean = sum / n;

  double absolute = 0;
  double relative = 0;
  double symmetric = 0;
  double residual_squares = 0;
  double total_squares = 0;
  bool all_equal = true;
  for (Eigen::Index i = 0; i < measured.size(); ++i) {
    const double t = measured[i];
    const double y = predicted[i];
    const double error = std::abs(t - y);
    absolute += error;
    relative += error / t;
    symmetric += 2 * error / (std::abs(t) + std::abs(y));
    residual_squares += error * error;
    total_squares += (t - mean) * (t - mean);
    all_equal = all_equal && t == measured[0];
  }

  Metrics metrics;
  metrics.rows = static_cast<std::size_t>(measured.size());
  metrics.mae = absolute / n;                   // Eq. (8)
  metrics.mape_percent = 100 * (relative / n);  // Eq. (12), in percent
  metrics.smape_percent = 100 * (symmetric / n);
  metrics.mse = residual_squares / n;
  metrics.rmse = std::sqrt(metrics.mse);
  metrics.r2 =
      all_equal ? std::numeric_limits<double>::quiet_NaN() : 1 - residual_squares / total_squares;
  return metrics;
}

namespace {

/// The numbers between the colons; nullopt if one of them is no number.
std::optional<std::vector<double>> numbers_of(std::string_view text) {
  std::vector<double> numbers;
  for (;;) {
    const std::size_t colon = text.find(':');
    const auto number = parse_number(text.substr(0, colon));
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
    if (colon == std::string_view::npos)
      return numbers;
    text.remove_prefix(colon + 1);
  }
}

bool valid(const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  return (shares.size() == 2 || shares.size() == 3) && shares[0] > 0 && std::isfinite(sum) &&
         std::ranges::all_of(shares, [](double share) { return share >= 0; });
}

std::string text_of(const SplitShares& shares) {
  return fmt::format("{}:{}{}", to_text(shares.train),
                     shares.validation == 0 ? "" : to_text(shares.validation) + ":",
                     to_text(shares.test));
}

/// Returns rows[i] for each `i` in `choice`, ascending.
std::vector<std::size_t> chosen(std::span<const std::size_t> rows,
                                std::span<const std::size_t> choice) {
  std::vector<std::size_t> result(choice.begin(), choice.end());
  std::ranges::sort(result);
  for (std::size_t& each : result)
    each = rows[each];
  return result;
}

/// One of each set of equal rows: repeated runs do not change the contents.
std::vector<std::size_t> distinct_rows(const std::vector<std::uint32_t>& ranks,
                                       const std::vector<std::vector<std::uint32_t>>& columns) {
  std::vector<std::size_t> rows = indices(ranks.size());
  const auto compared = [&](std::size_t a, std::size_t b) {
    auto order = ranks[a] <=> ranks[b];
    for (std::size_t c = 0; c < columns.size() && std::is_eq(order); ++c)
      order = columns[c][a] <=> columns[c][b];
    return order;
  };
  std::ranges::sort(
      rows, [&](std::size_t a, std::size_t b) { return std::is_lt(compared(a, b)); });
  const auto equal = [&](std::size_t a, std::size_t b) { return std::is_eq(compared(a, b)); };
  rows.erase(std::unique(rows.begin(), rows.end(), equal), rows.end());
  return rows;
}

}  // namespace

SplitShares parse_split(std::string_view text) {
  const auto shares = numbers_of(text);
  if (!shares || !valid(*shares))
    throw UsageError(fmt::format(
        "split \"{}\": expected train:validation:test or train:test, numbers >= 0 with the first > "
        "0, for example 60:20:20 or 80:20",
        text));
  if (shares->size() == 2)
    return {(*shares)[0], 0, (*shares)[1]};
  return {(*shares)[0], (*shares)[1], (*shares)[2]};
}

Split split_rows(std::span<const std::size_t> all_rows, const SplitShares& shares,
                 std::uint64_t seed) {
  const std::size_t rows = all_rows.size();
  const double total = shares.train + shares.validation + shares.test;
  const auto part = [&](double share) {
    return static_cast<std::size_t>(std::round(static_cast<double>(rows) * share / total));
  };
  // The last requested split gets the remaining rows, so that rounding neither loses nor adds a
  // row.
  const bool only_train = shares.validation == 0 && shares.test == 0;
  const std::size_t train = only_train ? rows : std::min(part(shares.train), rows);
  const std::size_t validation =
      shares.test == 0 ? rows - train : std::min(part(shares.validation), rows - train);
  const std::size_t test = rows - train - validation;

  const auto refuse_empty = [&](const char* name, double share, std::size_t size) {
    if (share > 0 && size == 0)
      throw UsageError(fmt::format(
          "split {} of {} leaves none for {}; give that part a larger share, or add runs",
          text_of(shares), counted_noun(rows, "row"), name));
  };
  refuse_empty("training", shares.train, train);
  refuse_empty("validation", shares.validation, validation);
  refuse_empty("test", shares.test, test);

  std::vector<std::size_t> order = indices(rows);
  RandomStream(seed, "split").shuffle(std::span(order));

  const std::span<const std::size_t> all(order);
  return {chosen(all_rows, all.first(train)), chosen(all_rows, all.subspan(train, validation)),
          chosen(all_rows, all.last(test))};
}

std::string Column::text(std::size_t row) const {
  if (!is_numeric())
    return levels[codes[row]];
  const auto bad = std::ranges::lower_bound(bad_cells, row, {}, &BadCell::row);
  if (bad != bad_cells.end() && bad->row == row)
    return bad->text;
  return to_text(numbers[row] + 0.0);  // -0 is written "0", as it is equal to it
}

const Column* Table::find(std::string_view name) const {
  const auto column = std::ranges::find(columns, name, &Column::name);
  return column == columns.end() ? nullptr : &*column;
}

const Column& Table::at(std::string_view name) const {
  if (const Column* column = find(name))
    return *column;
  throw InputError(no_column(name));
}

std::string Table::no_column(std::string_view name) const {
  const std::vector<std::string> known = names();
  return fmt::format("no column '{}' in {}{}", name, source, did_you_mean_one_of(name, known));
}

std::vector<std::string> Table::names() const {
  return mapped(columns, &Column::name);
}

std::string Table::where(std::size_t row) const {
  return fmt::format("{}:{}", file.empty() ? source : sources[file[row]], lines[row]);
}

std::vector<std::size_t> evenly_chosen(std::size_t rows, std::size_t count) {
  std::vector<std::size_t> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = i * rows / count;
  return out;
}

Column take_rows(const Column& column, std::span<const std::size_t> rows) {
  Column out;
  out.name = column.name;
  out.kind = column.kind;
  out.formula = column.formula;
  out.unit = column.unit;
  out.with_unit = column.with_unit;
  out.last_digit = column.last_digit;
  if (column.is_numeric()) {
    out.numbers.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out.numbers.push_back(column.numbers[rows[i]]);
      if (std::isnan(out.numbers.back()))
        out.bad_cells.push_back({i, column.text(rows[i])});
    }
    return out;
  }
  constexpr auto unseen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> code_of(column.levels.size(), unseen);
  out.codes.reserve(rows.size());
  for (const std::size_t row : rows) {
    std::uint32_t& code = code_of[column.codes[row]];
    if (code == unseen) {
      code = static_cast<std::uint32_t>(out.levels.size());
      out.levels.push_back(column.levels[column.codes[row]]);
    }
    out.codes.push_back(code);
  }
  return out;
}

Table take_rows(const Table& table, std::span<const std::size_t> rows) {
  Table out;
  out.source = table.source;
  out.style = table.style;
  out.sources = table.sources;
  for (const std::size_t row : rows) {
    out.lines.push_back(table.lines[row]);
    if (!table.file.empty())
      out.file.push_back(table.file[row]);
    if (!table.limits.empty())
      out.limits.push_back(table.limits[row]);
  }
  for (const Column& column : table.columns)
    out.columns.push_back(take_rows(column, rows));
  return out;
}

std::vector<TableGroup> groups_of(const Table& table, std::span<const std::string> columns) {
  const auto keys = mapped(columns, [&](const std::string& name) { return &table.at(name); });
  std::vector<TableGroup> groups;
  std::map<std::vector<std::string>, std::size_t> number_of;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<std::string> key =
        mapped(keys, [&](const Column* column) { return column->text(row); });
    const auto [place, is_new] = number_of.try_emplace(std::move(key), groups.size());
    if (is_new)
      groups.push_back({place->first, {}});
    groups[place->second].rows.push_back(row);
  }
  return groups;
}

std::vector<std::uint32_t> ranks_of(const std::vector<double>& numbers) {
  std::vector<std::pair<double, std::size_t>> sorted;
  sorted.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    sorted.emplace_back(numbers[i], i);
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> ranks(numbers.size());
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    rank += i > 0 && sorted[i].first != sorted[i - 1].first ? 1U : 0U;
    ranks[sorted[i].second] = rank;
  }
  return ranks;
}

ContentColours content_colours(const std::vector<double>& measured,
                               const std::vector<std::vector<std::uint32_t>>& columns) {
  const std::vector<std::uint32_t> ranks = ranks_of(measured);
  const std::vector<std::size_t> distinct = distinct_rows(ranks, columns);
  ContentColours out{.columns = {}, .values = {}, .rows = {ranks.begin(), ranks.end()}};
  for (int round = 0; round < 3; ++round) {  // time, values, rows that share values
    for (std::uint64_t& row : out.rows)
      row = splitmix64(row);
    std::vector<std::uint64_t> next = out.rows;
    out.columns.clear();
    out.values.clear();
    for (const std::vector<std::uint32_t>& codes : columns) {  // sums do not depend on the order
      std::vector<std::uint64_t>& values = out.values.emplace_back();
      std::uint64_t& own = out.columns.emplace_back(0);
      for (const std::uint32_t code : codes)
        values.resize(std::max<std::size_t>(values.size(), code + std::size_t{1}), 0);
      for (const std::size_t row : distinct)
        values[codes[row]] += out.rows[row];
      for (const std::size_t row : distinct)
        own += splitmix64(out.rows[row] ^ splitmix64(values[codes[row]]));
      for (std::size_t row = 0; row < codes.size(); ++row)
        next[row] += splitmix64(own ^ values[codes[row]]);
    }
    out.rows = std::move(next);
  }
  return out;
}

namespace {

/// A number per row, in the order of the cells of the column.
std::vector<double> sort_keys(const Column& column) {
  if (!column.is_numeric()) {
    std::vector<std::uint32_t> order(column.levels.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return column.levels[a] < column.levels[b];
    });
    std::vector<double> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      rank[order[i]] = static_cast<double>(i);
    return mapped(column.codes,
                  [&](std::uint32_t code) { return static_cast<double>(rank[code]); });
  }
  std::vector<double> keys = column.numbers;
  for (double& key : keys)
    if (key != key)  // a bad cell
      key = std::numeric_limits<double>::infinity();
  return keys;
}

/// The order of rows: by the first column, then by the colours of the rows, since names must not
/// decide the order of equal times, then by the other columns, then that of the file.
class ContentOrder {
 public:
  explicit ContentOrder(std::vector<const Column*> columns)
      : columns_(std::move(columns)), keys_(columns_.size() + 1) {}

  const std::vector<double>& first_keys() { return keys(0); }

  /// Whether a row goes before another one of the same first key.
  bool is_before(std::size_t a, std::size_t b) {
    for (std::size_t place = 1; place < keys_.size(); ++place)
      if (keys(place)[a] != keys(place)[b])
        return keys(place)[a] < keys(place)[b];
    return a < b;
  }

 private:
  std::vector<const Column*> columns_;
  /// Of the first column, the colours and the other columns; computed when first needed, since few
  /// measured times are equal.
  std::vector<std::vector<double>> keys_;

  const std::vector<double>& keys(std::size_t place) {
    if (keys_[place].empty())
      keys_[place] = place == 1 ? colours() : sort_keys(*columns_[place == 0 ? 0 : place - 1]);
    return keys_[place];
  }

  std::vector<double> colours() {
    std::vector<std::vector<std::uint32_t>> codes;
    for (const Column* column : columns_)
      codes.push_back(column->is_numeric() ? ranks_of(sort_keys(*column)) : column->codes);
    const std::vector<std::uint64_t> rows = content_colours(keys(0), codes).rows;
    return {rows.begin(), rows.end()};
  }
};

/// The row of each text of a column of facts. Throws InputError if a text occurs twice.
std::map<std::string, std::size_t> rows_of_texts(const Table& facts, const Column& column) {
  std::map<std::string, std::size_t> out;
  for (std::size_t row = 0; row < facts.rows(); ++row)
    if (!out.emplace(column.text(row), row).second)
      throw InputError(facts.where(row) + ": '" + column.text(row) +
                       "' has facts already, in line " +
                       std::to_string(facts.lines[out.at(column.text(row))]));
  return out;
}

/// The row of facts of each run.
std::vector<std::size_t> rows_of_facts(const Table& runs, const Column& column,
                                       const Table& facts) {
  const auto row_of = rows_of_texts(facts, facts.at(column.name));
  std::vector<std::size_t> out;
  for (std::size_t row = 0; row < runs.rows(); ++row) {
    const auto found = row_of.find(column.text(row));
    if (found == row_of.end()) {
      const auto known = mapped(row_of, [](const auto& entry) { return entry.first; });
      throw InputError(runs.where(row) + ": " + facts.source + " has no facts about " +
                       quoted_cell(column.text(row)) + "; it has " + quoted_list(known) +
                       did_you_mean(column.text(row), known));
    }
    out.push_back(found->second);
  }
  return out;
}

}  // namespace

std::vector<std::size_t> rows_by_content(const Table& table, std::string_view first) {
  std::vector<const Column*> columns = mapped(
      table.columns, [](const Column& column) { return &column; });
  std::ranges::sort(columns, [&](const Column* a, const Column* b) {
    return std::pair(a->name != first, std::string_view(a->name)) <
           std::pair(b->name != first, std::string_view(b->name));
  });
  ContentOrder order(std::move(columns));
  std::vector<std::pair<double, std::size_t>> keyed;
  for (std::size_t row = 0; row < table.rows(); ++row)
    keyed.emplace_back(order.first_keys()[row], row);
  const auto is_before = [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : order.is_before(a.second, b.second);
  };
  std::ranges::sort(keyed, is_before);
  return mapped(keyed, [](const auto& entry) { return entry.second; });
}

Table with_facts(Table runs, const std::string& column, const Table& facts) {
  const std::vector<std::size_t> rows = rows_of_facts(runs, runs.at(column), facts);
  for (const Column& fact : facts.columns) {
    if (fact.name == column)
      continue;
    if (runs.find(fact.name) != nullptr)
      throw InputError(runs.source + " and " + facts.source + " both have a column '" + fact.name +
                       "'; rename one of them");
    runs.columns.push_back(take_rows(fact, rows));
  }
  return runs;
}

}  // namespace perfmodel
