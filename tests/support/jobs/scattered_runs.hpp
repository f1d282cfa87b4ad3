#pragma once

#include <string>

namespace perfmodel::test {

/// time = (0.01 layers^1.2 + a_net) gpus^-0.6 + 0.2 with a scatter of 5 %, in three digits, for the
/// 36 configurations of three columns, each so often.
std::string scattered_runs(int repetitions);

}  // namespace perfmodel::test
