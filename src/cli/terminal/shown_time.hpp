#pragma once

#include <string>

namespace perfmodel::cli {

/// A unit in which times are numbers that people read: "16.6 ms", not "0.0166 s". The times' own
/// unit where they are from 0.1 to 10,000 of it, and where it is unknown.
class ShownTime {
 public:
  /// `typical`: the largest of the times, in `unit`.
  ShownTime(const std::string& unit, double typical);

  const std::string& unit() const { return unit_; }
  /// "MAE [ms]"; with a power of 2, "MSE [ms^2]".
  std::string heading(const std::string& name, int power = 1) const;
  /// Of a time in its own unit, or of its power.
  std::string number(double time, int power = 1) const;

 private:
  std::string unit_;
  double factor_ = 1;
};

}  // namespace perfmodel::cli
