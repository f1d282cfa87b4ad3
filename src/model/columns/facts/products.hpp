#pragma once

#include <map>
#include <string>
#include <vector>

#include "perfmodel/model/columns/facts/factor.hpp"

namespace perfmodel {

/// A column that is a product of powers of others, times a number.
struct ColumnProduct {
  std::string column;
  std::vector<Factor> factors;
};

/// By which power of the others' values each column moves: a column of a product follows all the
/// way down to columns that follow from none. A product is of columns that later ones give or none:
/// as identities are found.
class MovingColumns {
 public:
  explicit MovingColumns(const std::vector<ColumnProduct>& products);

  /// What a column is of, none of which follows from others; itself where it follows from none.
  std::vector<Factor> origins(const std::string& column) const;

  /// By which power of `origin` the column moves where the other origins stay; 0 where it stays.
  int power(const std::string& column, const std::string& origin) const;

 private:
  std::map<std::string, std::vector<Factor>> origins_;
};

}  // namespace perfmodel
