#include "model/columns/facts/products.hpp"

#include <algorithm>

namespace perfmodel {
namespace {

int power_among(const std::vector<Factor>& factors, const std::string& column) {
  const auto found = std::find_if(factors.begin(), factors.end(),
                                  [&](const Factor& factor) { return factor.column == column; });
  return found == factors.end() ? 0 : found->power;
}

void multiply(std::vector<Factor>& product, const Factor& by) {
  const auto found = std::find_if(product.begin(), product.end(),
                                  [&](const Factor& factor) { return factor.column == by.column; });
  if (found == product.end())
    product.push_back(by);
  else if (found->power += by.power; found->power == 0)
    product.erase(found);
}

}  // namespace

MovingColumns::MovingColumns(const std::vector<ColumnProduct>& products) {
  for (auto product = products.rbegin(); product != products.rend(); ++product) {
    if (product->factors.empty())
      continue;
    std::vector<Factor> of;
    for (const Factor& factor : product->factors)
      for (const Factor& origin : origins(factor.column))
        multiply(of, {origin.column, factor.power * origin.power});
    origins_.emplace(product->column, std::move(of));
  }
}

std::vector<Factor> MovingColumns::origins(const std::string& column) const {
  const auto found = origins_.find(column);
  return found == origins_.end() ? std::vector<Factor>{{column, 1}} : found->second;
}

int MovingColumns::power(const std::string& column, const std::string& origin) const {
  return power_among(origins(column), origin);
}

}  // namespace perfmodel
