#pragma once

#include <string>

#include "perfmodel/fit.hpp"

namespace perfmodel::test {

/// time = (0.01 layers^1.2 + a_net) gpus^-0.6 + 0.2 with a scatter of 5 %, in three digits, for the
/// 36 configurations of three columns, each so often.
std::string scattered_runs(int repetitions);

/// A fit of them: hosts play no part.
FitRequest fit_of_scattered(Loss loss);

}  // namespace perfmodel::test
