#pragma once

#include <string_view>

namespace perfmodel {

/// Whether a column of this name usually holds what a run had as its result beside the time:
/// "throughput", "samples_per_s", "gpu_util", "mfu", "test_acc", "forward_ms", "latency".
/// People set such quantities, too ("requests_per_s" of a load): the values have to tell.
bool is_by_product_name(std::string_view name);

}  // namespace perfmodel
