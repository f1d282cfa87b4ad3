#include <algorithm>
#include <map>

#include "analysis/ssgd/layers.hpp"
#include "base/text.hpp"
#include "model/columns/cell_problems.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::ssgd {
namespace {

using perfmodel::to_text;

constexpr double kMostLayers = 1e6;

/// A column of numbers >= 0 (> 0 where zero makes no sense), as the problems of its cells allow.
class NumberReader {
 public:
  explicit NumberReader(const Table& table) : table_(table), problems_(table) {}

  enum class Zero { allowed, refused };

  std::vector<double> required(const std::string& name, Zero zero = Zero::allowed) {
    return read(table_.at(name), zero);
  }

  std::optional<std::vector<double>> optional(const std::string& name, Zero zero = Zero::allowed) {
    const Column* column = table_.find(name);
    return column == nullptr ? std::nullopt : std::optional(read(*column, zero));
  }

  void finish() const {
    if (!problems_.empty())
      throw InputError(problems_.text());
  }

 private:
  const Table& table_;
  CellProblems problems_;

  std::vector<double> read(const Column& column, Zero zero) {
    std::vector<double> values(table_.rows());
    for (std::size_t row = 0; row < values.size(); ++row) {
      const auto number =
          column.is_numeric() ? std::optional(column.numbers[row]) : parse_number(column.text(row));
      if (!number || *number != *number)
        problems_.add_not_a_number(row, column);
      else if (*number < 0)
        problems_.add(row, column, [&] { return column.text(row) + " is negative"; });
      else if (*number == 0 && zero == Zero::refused)
        problems_.add_too_small(row, column, false);
      else
        values[row] = *number;
    }
    return values;
  }
};

/// Row of each layer and worker: rows[layer][worker].
using RowsByLayer = std::vector<std::vector<std::size_t>>;

/// Worker -> its rows in the order of the file; one worker "" where the file has no such column.
std::map<std::string, std::vector<std::size_t>> rows_by_worker(const Table& table) {
  const Column* worker = table.find("worker");
  std::map<std::string, std::vector<std::size_t>> rows;
  for (std::size_t row = 0; row < table.rows(); ++row)
    rows[worker == nullptr ? "" : worker->text(row)].push_back(row);
  return rows;
}

RowsByLayer order_rows(const Table& table, const std::vector<double>& layer_numbers) {
  const double largest = *std::max_element(layer_numbers.begin(), layer_numbers.end());
  if (largest > kMostLayers) {
    throw InputError(table.source + ": column 'layer': " + to_text(largest) +
                     " is no number of a layer; they run from 1 in forward order");
  }
  const auto layers = static_cast<std::size_t>(largest);
  RowsByLayer ordered(layers);
  for (const auto& [worker, rows] : rows_by_worker(table)) {
    const std::string of_worker = worker.empty() ? "" : " of worker '" + worker + "'";
    std::vector<std::optional<std::size_t>> row_of(layers);
    for (const std::size_t row : rows) {
      const double number = layer_numbers[row];
      const auto index = static_cast<std::size_t>(number) - 1;
      if (number != static_cast<double>(index + 1)) {
        throw InputError(table.where(row) + ": column 'layer': " + to_text(number) +
                         " is not a whole number; layers are numbered from 1 in forward order");
      }
      if (row_of[index]) {
        throw InputError(table.where(row) + ": layer " + to_text(number) + of_worker +
                         " stands twice, first in line " +
                         std::to_string(table.lines[*row_of[index]]));
      }
      row_of[index] = row;
    }
    for (std::size_t l = 0; l < layers; ++l) {
      if (!row_of[l]) {
        throw InputError(table.source + ": layer " + std::to_string(l + 1) + of_worker +
                         " is missing; layers are numbered from 1 in forward order");
      }
      ordered[l].push_back(*row_of[l]);
    }
  }
  return ordered;
}

/// Measured once per layer, or by every worker: all wait for the slowest.
double slowest(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
  double largest = 0;
  for (const std::size_t row : rows)
    largest = std::max(largest, values[row]);
  return largest;
}

std::vector<double> gradient_bytes(const Table& table, NumberReader& numbers,
                                   const ProfileOptions& options) {
  if (auto bytes = numbers.optional("grad_bytes"))
    return *bytes;
  auto bytes = numbers.optional("grad_elems");
  if (!bytes) {
    throw InputError(table.source +
                     ": neither a column 'grad_bytes' nor 'grad_elems' says how large the "
                     "gradients are");
  }
  for (double& value : *bytes)
    value *= options.bytes_per_element;
  return *bytes;
}

std::vector<double> forward_times(const Table& table, NumberReader& numbers,
                                  const std::vector<double>& backward,
                                  const ProfileOptions& options) {
  auto forward = numbers.optional("t_f_us");
  if (forward && options.forward_share) {
    throw UsageError(Field{"forward_share"} + " has no use: " + table.source +
                     " has a column 't_f_us'");
  }
  if (forward)
    return *forward;
  if (!options.forward_share) {
    throw InputError(table.source +
                     ": no column 't_f_us'; where forward times were not measured, " +
                     Field{"forward_share", {"0.5"}} +
                     " takes half of the backward time, as the authors of the model did");
  }
  std::vector<double> assumed = backward;
  for (double& value : assumed)
    value *= *options.forward_share;
  return assumed;
}

}  // namespace

Profile profile_of(const Table& table, const ProfileOptions& options) {
  using Zero = NumberReader::Zero;
  NumberReader numbers(table);
  const auto layer_numbers = numbers.required("layer", Zero::refused);
  const auto backward = numbers.required("t_b_us");
  const auto bytes = gradient_bytes(table, numbers, options);
  const auto forward = forward_times(table, numbers, backward, options);
  const auto communication = numbers.optional("t_c_us");
  const auto update = numbers.optional("t_u_us");
  numbers.finish();

  Profile profile;
  profile.has_communication = communication.has_value();
  if (update)
    profile.update_us = 0;
  const Column* name = table.find("name");
  for (const auto& rows : order_rows(table, layer_numbers)) {
    Layer layer;
    const std::size_t first = rows.front();
    layer.name = name == nullptr ? "layer " + to_text(layer_numbers[first]) : name->text(first);
    layer.gradient_bytes = bytes[first];
    for (const std::size_t row : rows) {
      if (bytes[row] != bytes[first]) {
        throw InputError(table.where(row) + ": the gradient of layer " +
                         to_text(layer_numbers[row]) + " has another size than in line " +
                         std::to_string(table.lines[first]));
      }
      layer.times.push_back({forward[row], backward[row]});
    }
    if (communication)
      layer.communication_us = slowest(*communication, rows);
    if (update)
      *profile.update_us += slowest(*update, rows);
    profile.workers_measured = rows.size();
    profile.layers.push_back(std::move(layer));
  }
  if (profile.layers.empty() || balanced_compute(profile).backward_us() <= 0)
    throw InputError(table.source + ": all backward times are 0; there is nothing to model");
  return profile;
}

std::vector<Latency> latencies_of(const Table& table) {
  using Zero = NumberReader::Zero;
  NumberReader numbers(table);
  const auto bytes = numbers.required("bytes", Zero::refused);
  const auto latency = numbers.required("latency_us", Zero::refused);
  numbers.finish();
  std::vector<Latency> latencies;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    latencies.push_back({bytes[i], latency[i]});
  return latencies;
}

}  // namespace perfmodel::ssgd
