#include "analysis/scaling.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace perfmodel::scaling {
namespace {

using Names = std::vector<std::string>;

struct Told {
  WorkColumns columns;
  Kind kind;
  std::string because;
  bool is_open = false;
};

TEST_CASE(
    "columns tell whether the work grows with the scale, and where none does, it is taken to be "
    "fixed, and the output says so",
    "[scaling]") {
  const Told told =
      GENERATE(Told{{"gpus", "time_s", {"depth", "local_batch"}, {}},
                    Kind::weak,
                    "'local_batch' is of one worker and stays the same"},
               Told{{"gpus", "time_s", {"batch_size_per_gpu"}, {}},
                    Kind::weak,
                    "'batch_size_per_gpu' is of one worker and stays the same"},
               Told{{"procs", "time_s", {"neurons_per_proc"}, {}},
                    Kind::weak,
                    "'neurons_per_proc' is of one worker and stays the same"},
               Told{{"gpus", "time_s", {"global_batch"}, {}},
                    Kind::strong,
                    "'global_batch' is of all workers and stays the same"},
               Told{{"gpus", "time_s", {"micro_batch", "total_batch_size"}, {}},  // accumulated
                    Kind::strong,
                    "'total_batch_size' is of all workers and stays the same"},
               Told{{"gpus", "time_s", {"accum"}, {{"batch", {{"accum", 1}, {"gpus", 1}}}}},
                    Kind::weak,
                    "'batch' grows with 'gpus'"},
               Told{{"num_gpus",
                     "time_s",
                     {"layers"},
                     {{"global_batch", {{"nodes", 1}}}, {"nodes", {{"num_gpus", 1}}}}},
                    Kind::weak,
                    "'global_batch' grows with 'num_gpus'"},
               Told{{"gpus", "time_s", {}, {{"local_batch", {{"gpus", -1}}}}},
                    Kind::strong,
                    "'local_batch' shrinks as 'gpus' grows"},
               Told{{"gpus", "epoch_time_s", {"local_batch"}, {}},
                    Kind::strong,
                    "'epoch_time_s' is of a whole epoch"},
               Told{{"gpus", "time_per_sample", {"local_batch"}, {}, "samples_per_s"},
                    Kind::strong,
                    "'samples_per_s' counts all work"},
               Told{{"gpus", "time_per_token", {"depth"}, {}, "tokens_per_s_per_gpu"},
                    Kind::weak,
                    "'tokens_per_s_per_gpu' is of one worker"},
               Told{{"gpus", "time_per_step", {"local_batch"}, {}, "steps_per_s"},
                    Kind::weak,
                    "'local_batch' is of one worker and stays the same"},
               Told{{"gpus", "ms_per_token", {"local_batch"}, {}},
                    Kind::strong,
                    "'ms_per_token' is of a fixed amount of work"},
               Told{{"batch_size", "time_s", {"gpus"}, {}},
                    Kind::weak,
                    "'batch_size' is the work of an iteration"},
               // A batch without a word; the machine's numbers; a batch that moves with another
               // column.
               Told{{"gpus", "time_s", {"depth", "batch_size"}, {}},
                    Kind::strong,
                    "'batch_size' may be of one worker or of all",
                    true},
               Told{{"num_tokens", "time_s", {"local_batch"}, {}},
                    Kind::strong,
                    "'num_tokens' counts no workers by its name",
                    true},
               Told{{"ranks", "time_s", {"ranks_per_node", "mem_per_core", "size"}, {}},
                    Kind::strong,
                    "no column shows whether the work grows with 'ranks'",
                    true},
               Told{{"gpus", "time_s", {"accum"}, {{"batch", {{"accum", 1}, {"depth", 1}}}}},
                    Kind::strong,
                    "no column shows whether the work grows with 'gpus'",
                    true},
               Told{{"gpus", "time_s", {}, {{"batch", {{"a", 1}, {"b", -1}}}, {"b", {{"a", 1}}}}},
                    Kind::strong,
                    "no column shows whether the work grows with 'gpus'",
                    true});
  const KindOfWork work = kind_of_work(told.columns);
  CHECK(work.because == told.because);
  CHECK(work.kind == told.kind);
  CHECK(work.is_open == told.is_open);
}

TEST_CASE("times that fall below half are not those of growing work", "[scaling]") {
  WorkColumns columns{"gpus", "training_hours", {"batch_per_gpu"}, {}};
  columns.least_share = 0.6;
  CHECK(kind_of_work(columns).kind == Kind::weak);
  columns.least_share = least_share({40, 20.8, 11, 11.5});
  const KindOfWork work = kind_of_work(columns);
  CHECK(work.kind == Kind::strong);
  CHECK(work.is_open);
  CHECK(work.because ==
        "'batch_per_gpu' is of one worker and stays the same, but the time falls as that of "
        "growing work does not");
}

TEST_CASE("efficiency is of scales that count workers", "[scaling]") {
  for (const char* scale : {"gpus", "num_procs", "nodes", "world_size", "tensor_parallel", "tp"})
    CHECK(counts_workers(scale));
  for (const char* scale : {"batch_size", "local_batch", "num_tokens", "n_head", "ranks_per_node"})
    CHECK_FALSE(counts_workers(scale));
}

}  // namespace
}  // namespace perfmodel::scaling
