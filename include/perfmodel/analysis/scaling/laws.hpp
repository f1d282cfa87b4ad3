#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace perfmodel::scaling {

/// One figure per scale (number of workers, say).
struct Point {
  double scale = 1;
  double value = 0;
};

/// t(G) = t1 (s + (1 - s) / G): time of a fixed amount of work; the speedup ends at 1 / s.
struct Amdahl {
  double serial_fraction = 0;
  double time_of_one = 0;
  double rmse = 0;

  double time(double scale) const {
    return time_of_one * (serial_fraction + (1 - serial_fraction) / scale);
  }
};

/// S = G - s' (G - 1): scaled speedup, the work grows with the workers; s' is the serial share of
/// the run on all workers.
struct Gustafson {
  double serial_fraction = 0;
  double rmse = 0;  ///< of the speedup

  double speedup(double scale) const { return scale - serial_fraction * (scale - 1); }
};

/// Universal scalability law (Gunther): X(N) = gamma N / (1 + sigma (N - 1) + kappa N (N - 1)).
struct Usl {
  double sigma = 0;  ///< contention
  double kappa = 0;  ///< coherency
  double gamma = 0;  ///< throughput of one worker
  bool gamma_is_measured = false;
  double rmse = 0;  ///< of the throughput

  double throughput(double scale) const {
    return gamma * scale / (1 + sigma * (scale - 1) + kappa * scale * (scale - 1));
  }
  /// sqrt((1 - sigma) / kappa): beyond it, throughput falls. Nothing where it never does.
  std::optional<double> peak() const;
};

/// Least squares of the times, 0 <= s <= 1; at least two scales.
Amdahl fit_amdahl(const std::vector<Point>& times);

/// Least squares of the speedups, 0 <= s' <= 1; at least one scale beyond 1.
Gustafson fit_gustafson(const std::vector<Point>& speedups);

/// Least squares of the throughputs with sigma, kappa >= 0. Four scales are needed for the three
/// parameters; with three, gamma is the measured throughput of scale 1. Nothing where there are
/// fewer, or where scale 1 is missing from three.
std::optional<Usl> fit_usl(const std::vector<Point>& throughputs);

/// Karp-Flatt: e = (1/S - 1/G) / (1 - 1/G), the serial fraction that one measured speedup amounts
/// to. `scale` > 1.
double karp_flatt(double speedup, double scale);

}  // namespace perfmodel::scaling
