#include "data/table_groups.hpp"

#include <map>
#include <utility>

namespace perfmodel {

std::vector<TableGroup> groups_of(const Table& table, std::span<const std::string> columns) {
  std::vector<const Column*> keys;
  for (const std::string& name : columns)
    keys.push_back(&table.at(name));
  std::vector<TableGroup> groups;
  std::map<std::vector<std::string>, std::size_t> number_of;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<std::string> key;
    key.reserve(keys.size());
    for (const Column* column : keys)
      key.push_back(column->text(row));
    const auto [place, is_new] = number_of.try_emplace(std::move(key), groups.size());
    if (is_new)
      groups.push_back({place->first, {}});
    groups[place->second].rows.push_back(row);
  }
  return groups;
}

}  // namespace perfmodel
