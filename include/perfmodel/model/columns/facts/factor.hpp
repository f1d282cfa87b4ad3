#pragma once

#include <string>

namespace perfmodel {

/// Of a product of powers with exponents 1 and -1.
struct Factor {
  std::string column;
  int power = 1;
};

}  // namespace perfmodel
