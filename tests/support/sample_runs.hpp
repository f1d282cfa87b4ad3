#pragma once

#include <string>

namespace perfmodel::test {

/// 48 runs without noise: time_s = (0.01 * filters^1.5 + a_activation) * workers^-0.5 + 0.2, with
/// a_activation 0.1 for relu and 0.4 for tanh. Columns filters, activation, workers, time_s.
std::string sample_runs();

/// A model of such runs that was not searched for but written down, as model.json.
std::string sample_model();

}  // namespace perfmodel::test
