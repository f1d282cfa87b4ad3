#include "fit/residual/process_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/text.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using process::CoordinateForm;

constexpr std::array<std::pair<CoordinateForm, const char*>, 3> kFormNames = {
    {{CoordinateForm::log, "log"},
     {CoordinateForm::log_one_plus, "log_one_plus"},
     {CoordinateForm::ring, "ring"}}};

Json numbers(const VectorXd& values) {
  Json out = Json::array();
  for (const double value : values)
    out.push_back(number(value));
  return out;
}

CoordinateForm read_coordinate_form(const JsonCursor& node) {
  const std::string text = node.text();
  std::vector<std::string> names;
  for (const auto& [form, name] : kFormNames) {
    if (text == name)
      return form;
    names.emplace_back(name);
  }
  node.fail("'" + text + "' is not one of " + quoted_list(names));
}

double read_positive(const JsonCursor& node) {
  const double value = node.number();
  if (!(value > 0))
    node.fail("expected a number > 0");
  return value;
}

VectorXd read_numbers(const JsonCursor& node, std::optional<Index> rows) {
  const std::vector<JsonCursor> items = node.items();
  if (rows && index(items.size()) != *rows)
    node.fail("expected " + std::to_string(*rows) + " numbers, one per row of the process");
  VectorXd out(index(items.size()));
  for (std::size_t i = 0; i < items.size(); ++i)
    out[index(i)] = items[i].number();
  return out;
}

std::vector<std::size_t> read_codes(const JsonCursor& node, Index rows, std::size_t end) {
  const std::vector<JsonCursor> items = node.items();
  if (index(items.size()) != rows)
    node.fail("expected " + std::to_string(rows) + " positions, one per row of the process");
  std::vector<std::size_t> out;
  for (const JsonCursor& item : items) {
    out.push_back(item.count());
    if (out.back() >= end)
      item.fail("there are only " + std::to_string(end) + " values");
  }
  return out;
}

template <class Input>
std::optional<std::size_t> json_place_of(const std::vector<Input>& inputs,
                                         const std::string& column) {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const Input& input) { return input.column == column; });
  return found == inputs.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - inputs.begin()));
}

bool is_each_once(std::vector<std::size_t> places, std::size_t count) {
  std::sort(places.begin(), places.end());
  return places.size() == count && std::adjacent_find(places.begin(), places.end()) == places.end();
}

void read_number(const JsonCursor& node, std::size_t j, const ModelSpec& spec, ReadProcess& out) {
  const JsonCursor column = node.member("column");
  if (const auto place = json_place_of(spec.intrinsic, column.text())) {
    if (!out.columns.extrinsic.empty())
      column.fail("intrinsic columns stand before extrinsic ones");
    out.columns.intrinsic.push_back(*place);
  } else if (const auto scale = json_place_of(spec.extrinsic, column.text())) {
    out.columns.extrinsic.push_back(*scale);
  } else {
    column.fail("'" + column.text() + "' is no numeric input of the model");
  }
  process::ResidualProcess& process = out.process;
  const std::optional<JsonCursor> most = node.optional_member("most");
  process.coordinates.push_back(
      {.form = read_coordinate_form(node.member("form")),
       .unit = read_positive(node.member("unit")),
       .centre = node.member("centre").number(),
       .scale = read_positive(node.member("scale")),
       .most = most ? read_positive(*most) : std::numeric_limits<double>::infinity()});
  process.kernel.inverse_lengths[index(j)] = read_positive(node.member("inverse_length"));
  const JsonCursor share = node.member("share");
  process.kernel.shares[index(j)] = share.number();
  if (!(share.number() >= 0 && share.number() <= 1))
    share.fail("expected a number from 0 to 1");
  const VectorXd values = read_numbers(node.member("values"), {});
  const std::vector<std::size_t> codes = read_codes(node.member("codes"), process.runs.size(),
                                                    static_cast<std::size_t>(values.size()));
  for (std::size_t row = 0; row < codes.size(); ++row)
    process.inputs.numbers(index(row), index(j)) = values[index(codes[row])];
}

void read_levels(const JsonCursor& node, std::size_t j, const ModelSpec& spec, ReadProcess& out) {
  const JsonCursor column = node.member("column");
  const auto place = json_place_of(spec.categorical, column.text());
  if (!place)
    column.fail("'" + column.text() + "' is no categorical input of the model");
  out.columns.categorical.push_back(*place);
  out.process.kernel.rates[index(j)] = read_positive(node.member("rate"));
  const std::vector<std::size_t> codes = read_codes(node.member("codes"), out.process.runs.size(),
                                                    spec.categorical[*place].levels.size());
  for (std::size_t row = 0; row < codes.size(); ++row)
    out.process.inputs.levels(index(row), index(j)) = static_cast<std::uint32_t>(codes[row]);
}

}  // namespace

Json process_to_json(const KnownProcess& known, const ProcessColumns& columns,
                     const ModelSpec& spec) {
  const process::ResidualProcess& process = known.process;
  const process::CodedInputs coded(process.inputs);
  const process::Kernel& kernel = process.kernel;
  Json numeric = Json::array();
  for (std::size_t j = 0; j < coded.numbers.size(); ++j) {
    const process::Coordinate& coordinate = process.coordinates[j];
    const auto* const form = std::find_if(kFormNames.begin(), kFormNames.end(), [&](const auto& f) {
      return f.first == coordinate.form;
    });
    Json node = {{"column", columns.number(spec, j).column},
                 {"form", form->second},
                 {"unit", number(coordinate.unit)},
                 {"centre", number(coordinate.centre)},
                 {"scale", number(coordinate.scale)},
                 {"inverse_length", number(kernel.inverse_lengths[index(j)])},
                 {"share", number(kernel.shares[index(j)])},
                 {"values", numbers(coded.numbers[j].values)},
                 {"codes", coded.numbers[j].codes}};
    if (std::isfinite(coordinate.most))
      node["most"] = number(coordinate.most);
    numeric.push_back(std::move(node));
  }
  Json levels = Json::array();
  for (Index j = 0; j < process.inputs.levels.cols(); ++j) {
    Json codes = Json::array();
    for (Index row = 0; row < process.inputs.rows(); ++row)
      codes.push_back(process.inputs.levels(row, j));
    const auto column = static_cast<std::size_t>(j);
    levels.push_back({{"column", spec.categorical[columns.categorical[column]].column},
                      {"rate", number(kernel.rates[j])},
                      {"codes", std::move(codes)}});
  }
  Json out = {{"variance", number(kernel.variance)},
              {"noise", number(kernel.noise)},
              {"near_variance", number(known.near_variance)},
              {"centre", number(known.centre)},
              {"neighbours", process.neighbours},
              {"numbers", std::move(numeric)},
              {"levels", std::move(levels)},
              {"runs", numbers(process.runs)},
              {"residual", numbers(process.residual)}};
  if (process.neighbours == 0)
    out["weights"] = numbers(process.weights);
  return out;
}

ReadProcess read_process(const JsonCursor& node, const ModelSpec& spec) {
  ReadProcess out;
  process::ResidualProcess& process = out.process;
  process.kernel.variance = read_positive(node.member("variance"));
  process.kernel.noise = read_positive(node.member("noise"));
  if (const auto near = node.optional_member("near_variance"))
    process.near_variance = read_positive(*near);
  process.neighbours = index(node.member("neighbours").count());
  process.runs = read_numbers(node.member("runs"), {});
  const Index rows = process.runs.size();
  if (rows == 0 || !(process.runs.array() > 0).all())
    node.member("runs").fail("expected numbers of runs, above 0 each");
  process.residual = read_numbers(node.member("residual"), rows);
  if (process.neighbours == 0)
    process.weights = read_numbers(node.member("weights"), rows);
  const std::vector<JsonCursor> numeric = node.member("numbers").items();
  process.inputs.numbers.resize(rows, index(numeric.size()));
  process.kernel.inverse_lengths.resize(index(numeric.size()));
  process.kernel.shares.resize(index(numeric.size()));
  for (std::size_t j = 0; j < numeric.size(); ++j)
    read_number(numeric[j], j, spec, out);
  const std::vector<JsonCursor> levels = node.member("levels").items();
  process.inputs.levels.resize(rows, index(levels.size()));
  process.kernel.rates.resize(index(levels.size()));
  for (std::size_t j = 0; j < levels.size(); ++j)
    read_levels(levels[j], j, spec, out);
  if (!is_each_once(out.columns.intrinsic, spec.intrinsic.size()) ||
      !is_each_once(out.columns.extrinsic, spec.extrinsic.size()) ||
      !is_each_once(out.columns.categorical, spec.categorical.size()))
    node.fail("expected every input of the model once");
  return out;
}

}  // namespace perfmodel
