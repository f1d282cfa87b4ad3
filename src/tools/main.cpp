#include "cli/app.hpp"
#include "list.hpp"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

/// Makes the allocator keep freed memory: a fit allocates and frees matrices of some MiB thousands
/// of times, and the system would clear each page anew, which takes a tenth of the time.
void keep_freed_memory() {
#if defined(__GLIBC__)
  constexpr int largest_kept = 32 << 20;
  constexpr int most_kept = 256 << 20;
  ::mallopt(M_MMAP_THRESHOLD, largest_kept);
  ::mallopt(M_TRIM_THRESHOLD, most_kept);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  perfmodel::add_tools();
  return perfmodel::cli::run_app(argc, argv);
}
