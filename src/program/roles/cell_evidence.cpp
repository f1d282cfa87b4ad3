#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "roles/cut_runs.hpp"
#include "roles/evidence.hpp"
#include "table/cells.hpp"

namespace perfmodel {
namespace {

double share_of(std::size_t count, std::size_t of) {
  return of == 0 ? 0 : static_cast<double>(count) / static_cast<double>(of);
}

template <class Values, class Holds>
double share_if(const Values& values, const Holds& holds) {
  return share_of(to_size(std::ranges::count_if(values, holds)), values.size());
}

/// What the binary digits of a value are compared with.
constexpr double kMostBits = 24;

/// The digits of a number, up to nine, without zeros at their ends: 15 of 0.0150 and 1500.
std::uint64_t significant_digits(double value) {
  std::string digits = fmt::format("{:.9g}", std::abs(value));
  digits.resize(std::min(digits.find('e'), digits.size()));
  std::erase(digits, '.');
  return static_cast<std::uint64_t>(parse_number(trimmed(digits, "0")).value_or(0));
}

bool is_whole_number(double value) {
  return value == std::round(value);
}

/// The binary digits that a number needs after the first: without its zeros at the end, decimal or
/// binary ones, whichever leaves fewer.
double bits_of(double value) {
  constexpr double largest = 1e15;
  const std::uint64_t digits = significant_digits(value);
  const bool is_whole = is_whole_number(value) && std::abs(value) < largest;
  const auto binary = is_whole ? static_cast<std::uint64_t>(std::abs(value)) : digits;
  if (digits == 0 || binary == 0)
    return 0;
  const std::uint64_t fewest = std::min(digits, binary >> std::countr_zero(binary));
  return std::min(static_cast<double>(std::bit_width(fewest) - 1), kMostBits);
}

/// Whether people choose such a number: a single digit and zeros, a dozen, tens.
bool is_round(double value) {
  constexpr double dozen = 12;
  return significant_digits(value) < 10 ||
         (is_whole_number(value) && (std::abs(value) <= dozen || std::fmod(value, 10) == 0));
}

bool is_power_of_two(double value) {
  return value > 0 && std::abs(std::log2(value) - std::round(std::log2(value))) < 1e-9;
}

/// Whether all values, ascending, are seconds or milliseconds since 1970 within some years.
bool are_points_in_time(const std::vector<double>& values) {
  const auto is_neither = [](double value) { return value >= 2.2e9 && value <= 1e12; };
  return values.front() > 1e9 && values.back() < 2e13 && values.back() < 1.2 * values.front() &&
         std::ranges::none_of(values, is_neither);
}

/// Whether the values, ascending, are nearly all the whole numbers from 0 or 1 to a small one.
bool count_up(const std::vector<double>& values) {
  constexpr std::size_t most = 12;
  const double dense = static_cast<double>(values.size()) / (values.back() - values.front() + 1);
  return std::ranges::all_of(values, is_whole_number) && dense > 0.9 && values.size() > 2 &&
         values.size() <= most && (values.front() == 0 || values.front() == 1);
}

/// Rises from 0 to 1 with the number of rows: how much shares of these say.
double sureness_of(std::size_t rows) {
  constexpr double few = 8;
  return static_cast<double>(rows) / (static_cast<double>(rows) + few);
}

void add_numbers(const SampledColumn& column, double single, Evidence& evidence) {
  std::vector<double> numbers = column.numbers;
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  const std::vector<double> values = sorted_unique(numbers);
  const std::vector<double> bits = mapped(values, bits_of);
  double mean_bits = 0;
  for (const double each : bits)
    mean_bits += each / kMostBits / static_cast<double>(bits.size());
  const auto share_above = [&](double limit) {
    return share_if(
        bits, [limit](double each) { return each > limit; });
  };
  const double zeros = share_if(numbers, [](double number) { return number == 0; });
  put("c number", 1, evidence);
  put("c fractions", 1 - share_if(numbers, is_whole_number), evidence);
  put("c bits", mean_bits, evidence);
  put("c bits > 8", share_above(8), evidence);
  put("c bits > 14", share_above(14), evidence);
  put("c zeros", values.size() > 2 ? zeros : 0, evidence);
  put("c round", share_if(values, is_round), evidence);
  put("c power of two", share_if(values, is_power_of_two), evidence);
  put("c mark", are_points_in_time(values), evidence);
  put("c counts up", count_up(values), evidence);
  put("c once x bits", single * mean_bits, evidence);
}

bool begins_with_status(std::string_view text) {
  return is_outcome(std::string(text.substr(0, text.find_first_of(" :;,.(-"))));
}

/// Whether a text is a path or an address: "/data/a", "https://...", "runs/a.log".
bool is_path(std::string_view text) {
  constexpr std::size_t longest_ending = 4;
  const std::size_t point = std::min(text.rfind('.'), text.size());
  const std::string_view ending = text.substr(std::min(point + 1, text.size()));
  const bool is_file = !ending.empty() && ending.size() <= longest_ending &&
                       std::isalpha(static_cast<unsigned char>(ending[0])) != 0;
  return text.starts_with('/') || text.starts_with('~') || text.find("://") != text.npos ||
         text.find(":\\") == 1 ||
         (is_file && text.find('/') < point && text.find(' ') == text.npos);
}

/// Whether a text is an identifier of hexadecimal digits, but no large number.
bool is_hexadecimal_id(std::string_view text) {
  return text.size() >= 6 && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef-") == text.npos &&
         text.find_first_of("0123456789") != text.npos && !parse_number(text);
}

void add_texts(const SampledColumn& column, Evidence& evidence) {
  std::set<std::string_view> texts;
  for (std::size_t row = 0; row < column.cells.size(); ++row)
    if (!column.missing[row])
      texts.insert(column.cells[row]);
  put("c text", 1, evidence);
  put("c mark", column.is_date ? 1 : share_if(texts, is_hexadecimal_id), evidence);
  put("c path", share_if(texts, is_path), evidence);
  put("c status words", share_if(texts, begins_with_status), evidence);
  put("x entity, text", evidence.contains("n any:entity"), evidence);
}

/// "r1", "r2", "r10".
bool differ_in_digits_alone(const std::vector<std::string>& cells) {
  std::set<std::string> rests;
  for (std::string cell : cells) {
    std::erase_if(cell, [](unsigned char c) { return std::isdigit(c) != 0; });
    rests.insert(std::move(cell));
  }
  return rests.size() == 1;
}

/// The share of three columns whose cells stand in those of this one: it is a name of them.
double made_of_others(const Sample& sample, const SampledColumn& column) {
  constexpr std::size_t most_counted = 3;
  const auto stands = [&](const SampledColumn& other) {
    for (std::size_t row = 0; row < sample.rows; ++row)
      if (other.cells[row].empty() || column.cells[row].find(other.cells[row]) == std::string::npos)
        return false;
    return &other != &column && other.distinct() > 1;
  };
  const auto count = to_size(std::ranges::count_if(sample.columns, stands));
  return share_of(std::min(count, most_counted), most_counted);
}

/// How uneven the values are: 0 if all are equally common.
double unevenness(const SampledColumn& column) {
  double entropy = 0;
  for (const std::size_t count : column.counts)
    entropy -=
        share_of(count, column.cells.size()) * std::log(share_of(count, column.cells.size()));
  return 1 - entropy / std::log(static_cast<double>(column.distinct()));
}

}  // namespace

void add_cell_evidence(const Sample& sample, std::size_t place, Evidence& evidence) {
  const SampledColumn& column = sample.columns[place];
  const double sure = sureness_of(sample.rows);
  const double single = share_of(column.alone, sample.rows) * sure;
  const bool has_two = column.distinct() == 2;
  put("c distinct share", share_of(column.distinct(), sample.rows) * sure, evidence);
  put("c log distinct", std::log2(static_cast<double>(column.distinct())) / 6, evidence);
  put("c values that stand once", single, evidence);
  put("c two values", has_two, evidence);
  put("c uneven", unevenness(column), evidence);
  put("c missing", share_if(column.missing, [](bool missing) { return missing; }), evidence);
  if (column.is_number)
    add_numbers(column, single, evidence);
  else
    add_texts(column, evidence);
  if (!column.is_number)
    put("c made of others", made_of_others(sample, column), evidence);
  if (column.column->unit == "s")
    evidence["n unit:timeunit"] = 1;
  const bool is_status = evidence.contains("n any:status") || evidence.contains("n any:outcome");
  const bool may_count = evidence.contains("c counts up") || (column.is_number && has_two) ||
                         (!column.is_number && differ_in_digits_alone(column.cells));
  put("x status word", is_status && (has_two || !column.is_number), evidence);
  const bool is_id = evidence.contains("n any:id") || evidence.contains("n any:note");
  put("x id, repeated", is_id && 3 * column.distinct() <= sample.rows, evidence);
  put("x repeat, counts up", evidence.contains("n any:repeat") && may_count, evidence);
}

}  // namespace perfmodel
