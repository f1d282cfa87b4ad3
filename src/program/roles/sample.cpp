#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/random.hpp"
#include "base/text.hpp"
#include "perfmodel/reading.hpp"
#include "roles/evidence.hpp"
#include "roles/vocabulary.hpp"
#include "table/cells.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostSampledRows = 256;

using Hashes = std::vector<std::uint64_t>;

/// FNV-1a, as the sample must be the same on all machines.
std::uint64_t hash_of_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

/// Hashes of the cells of a column, with its name.
Hashes hashes_of_cells(const Column& column) {
  const std::uint64_t of_name = splitmix64(hash_of_text(column.name));
  const auto of_text = [&](std::string_view text) {
    return splitmix64(of_name ^ hash_of_text(text));
  };
  if (!column.is_numeric()) {
    const Hashes of_level = mapped(column.levels, of_text);
    return mapped(column.codes, [&](std::uint32_t code) { return of_level[code]; });
  }
  Hashes hashes = mapped(column.numbers, [&](double number) {
    return splitmix64(of_name ^ std::bit_cast<std::uint64_t>(number + 0.0));  // -0 is 0
  });
  for (const BadCell& cell : column.bad_cells)
    hashes[cell.row] = of_text(cell.text);
  return hashes;
}

/// Rows that hashes of their cells choose.
std::vector<std::size_t> sampled_rows(const Table& table) {
  std::vector<std::size_t> rows = indices(table.rows());
  if (rows.size() <= kMostSampledRows)
    return rows;
  Hashes of_rows(table.rows());
  for (const Column& column : table.columns) {
    const Hashes of_cells = hashes_of_cells(column);
    std::ranges::transform(of_rows, of_cells, of_rows.begin(), std::plus());
  }
  std::ranges::nth_element(rows, rows.begin() + index(kMostSampledRows), {},
                           [&](std::size_t row) { return of_rows[row]; });
  rows.resize(kMostSampledRows);
  return rows;
}

/// How many of the sampled rows have a value that no other row of the table has.
std::size_t rows_alone(const Column& column, const std::vector<std::size_t>& rows) {
  const Hashes hashes = hashes_of_cells(column);
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (const std::size_t row : rows)
    counts[hashes[row]] = 0;
  for (const std::uint64_t hash : hashes)
    if (const auto at = counts.find(hash); at != counts.end())
      ++at->second;
  return to_size(
      std::ranges::count_if(rows, [&](std::size_t row) { return counts[hashes[row]] == 1; }));
}

/// Whether a text contains a date or a time of day: "2024-05-31", "31-Mar-2024", "10:00:59".
bool is_date(std::string_view cell) {
  std::string form(cell);
  for (char& c : form)
    c = std::isdigit(static_cast<unsigned char>(c)) != 0   ? '9'
        : std::isalpha(static_cast<unsigned char>(c)) != 0 ? 'a'
        : c == '.' || c == '/'                             ? '-'
                                                           : c;
  constexpr std::string_view forms[] = {"9999-99-99", "9-99-9999", "9-9-9999", "9-aaa-9999",
                                        "99:99:99"};
  return std::ranges::any_of(forms,
                             [&](std::string_view each) { return form.find(each) != form.npos; });
}

/// The number in a cell, in seconds, bytes or percent if it has such a unit, without what follows
/// it in "12.3 +- 0.4" and "334.67 Tokens/s"; NaN if there is none.
double number_in(std::string_view cell) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (const auto quantity = parse_quantity(cell))
    return quantity->value;
  return parse_number(cell.substr(0, cell.find(' '))).value_or(none);
}

SampledColumn sampled_column(const Column& column, const std::vector<std::size_t>& rows) {
  constexpr double least_share_of_numbers = 0.7;
  SampledColumn out;
  out.column = &column;
  out.alone = rows_alone(column, rows);
  out.cells = mapped(
      rows, [&](std::size_t row) { return column.text(row); });
  out.missing = mapped(out.cells, [](const std::string& cell) {
    return is_missing(cell) || folded(cell) == "none";
  });
  out.numbers = mapped(out.cells, number_in);
  // Failed runs have words for it where others have numbers.
  const auto full = static_cast<double>(std::ranges::count_if(
      out.cells, [](const auto& cell) { return !tells_failure(cell) && folded(cell) != "none"; }));
  const auto dates = static_cast<double>(std::ranges::count_if(out.cells, is_date));
  const auto none =
      std::ranges::count_if(out.numbers, [](double each) { return std::isnan(each); });
  const auto numbers = static_cast<double>(std::ssize(rows) - none);
  out.is_date = 2 * dates > full;
  out.is_number = full > 0 && !out.is_date && numbers >= least_share_of_numbers * full;
  if (!out.is_number)
    out.numbers.clear();
  std::map<std::string_view, std::size_t> counts;
  for (const std::string& cell : out.cells)
    ++counts[cell];
  for (const auto& [cell, count] : counts)
    out.counts.push_back(count);
  return out;
}

}  // namespace

Sample sample_of(const Table& table) {
  const std::vector<std::size_t> rows = sampled_rows(table);
  Sample sample;
  sample.rows = rows.size();
  sample.columns =
      mapped(table.columns, [&](const Column& column) { return sampled_column(column, rows); });
  for (std::size_t place = 0; place < sample.columns.size(); ++place) {
    const SampledColumn& column = sample.columns[place];
    Evidence& evidence = sample.first.emplace_back(name_evidence(column.name()));
    if (column.distinct() > 1)
      add_cell_evidence(sample, place, evidence);
  }
  return sample;
}

}  // namespace perfmodel
