#pragma once

#include <string>

namespace perfmodel {

/// Whether a name speaks of all workers together: "global_batch", "total_tokens".
bool is_total_name(const std::string& name);

/// Whether a name speaks of one worker: "local_batch", "gpus_per_node", "samples_per_gpu".
bool is_per_something_name(const std::string& name);

/// Whether a name is that of a batch size.
bool is_batch_name(const std::string& name);

/// Whether a name counts workers that share the work: "gpus", "num_procs".
bool is_worker_count_name(const std::string& name);

/// Whether a name is that of the work of one worker: a batch ("local_batch"), or what is counted
/// per worker ("neurons_per_proc"), but for the machine itself ("gpus_per_node", "mem_per_core").
bool is_work_per_worker_name(const std::string& name);

/// Whether a rate is that of one worker: "tokens_per_s_per_gpu".
bool is_rate_of_one_worker_name(const std::string& name);

}  // namespace perfmodel
