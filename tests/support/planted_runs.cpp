#include "support/planted_runs.hpp"

#include <cmath>

#include "base/random.hpp"

namespace perfmodel::test {

Table planted_table(const PlantedModel& model, std::size_t rows, double noise, std::uint64_t seed) {
  RandomStream random(seed, "planted runs");
  Table table;
  table.source = "planted.csv";
  for (const PlantedLevels& column : model.levels)
    table.columns.push_back({column.name, Column::Kind::text, {}, {}, column.levels, {}});
  for (const PlantedNumber& column : model.numbers)
    table.columns.push_back({column.name, Column::Kind::numeric, {}, {}, {}, {}});
  Column time{"time_s", Column::Kind::numeric, {}, {}, {}, {}};
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    double scale = 1;
    for (std::size_t c = 0; c < model.levels.size(); ++c) {
      const std::size_t level = random.below(model.levels[c].levels.size());
      table.columns[c].codes.push_back(static_cast<std::uint32_t>(level));
      sum += model.levels[c].coefficients[level];
    }
    for (std::size_t i = 0; i < model.numbers.size(); ++i) {
      const PlantedNumber& column = model.numbers[i];
      const double value = column.values[random.below(column.values.size())];
      table.columns[model.levels.size() + i].numbers.push_back(value);
      if (column.coefficient == 0)
        scale *= std::pow(value, column.power);
      else
        sum += column.coefficient * std::pow(value, column.power);
    }
    time.numbers.push_back((sum * scale + model.intercept) * std::exp(noise * random.normal()));
    table.lines.push_back(static_cast<std::uint32_t>(row + 2));
  }
  table.columns.push_back(time);
  return table;
}

}  // namespace perfmodel::test
