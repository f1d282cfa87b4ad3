#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// The words of a column's name in lower case, whatever holds them together: "samples_per_s",
/// "Step Time (ms)", "gpuUtil"; a slash reads "per".
std::vector<std::string> name_words(std::string_view name);

/// The same without words of statistics and of percentages at either end: "loss" of "mean_loss",
/// "gpu util" of "gpu_util_p99".
std::vector<std::string> words_of_quantity(std::string_view name);

}  // namespace perfmodel
