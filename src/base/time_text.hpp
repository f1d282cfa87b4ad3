#pragma once

#include <string>

namespace perfmodel {

/// A unit that times are shown in; times in files and documents keep theirs.
struct TimeUnit {
  std::string name;
  double factor = 1;  ///< of a time in the unit of the data
};

/// Of s, ms, us and ns the largest in which this time is 1 or more; any other unit stays.
TimeUnit readable_unit(double time, const std::string& unit);

/// "1.57 ms" for 0.00157 in "s"; the number alone where the unit is not known.
std::string time_text(double time, const std::string& unit);

/// "1.2 .. 1.9 ms", both ends in the unit of the upper one.
std::string time_range_text(double low, double high, const std::string& unit);

}  // namespace perfmodel
