#include <string>

#include "sources/readers.hpp"
#include "support/catch.hpp"

namespace perfmodel {

TEST_CASE("lines that go test prints are runs with the parts of their names", "[go]") {
  const std::string text =
      "goos: linux\npkg: example.com/x\nBenchmarkSort\n"
      "BenchmarkSort/n=100/fast/8-4 \t 20000000\t        78.8 ns/op\t 64 B/op\t 1 allocs/op\n"
      "BenchmarkSort/n=100/fast/8-4 \t 20000000\t        79.8 ns/op\t 64 B/op\t 1 allocs/op\r\n"
      "BenchmarkSort/n=100/fast/8 \t 10\t 1e3 ns/op\t 7.5 MB/s\n"
      "BenchmarkSort/n=1 logs 5 lines\nPASS\nok  \texample.com/x\t1.2s\n";
  CHECK(is_go_benchmark(text));
  const NamedRows rows = read_go_benchmark(text);
  CHECK(rows.csv() ==
        "benchmark,n,case1,arg1,gomaxprocs,time,bytes_per_op,allocs_per_op,iterations,mb_per_s\n"
        "Sort,100,fast,8,4,78.8ns,64,1,20000000,\n"
        "Sort,100,fast,8,4,79.8ns,64,1,20000000,\n"
        "Sort,100,fast,8,1,1e3ns,,,10,7.5\n");
  CHECK(rows.results() == std::vector<std::string>{"time", "bytes_per_op", "allocs_per_op",
                                                   "iterations", "mb_per_s"});
}

TEST_CASE("packages and arguments of Go's benchmarks keep columns of their own", "[go]") {
  const std::string text =
      "pkg: a\nBenchmarkX/time=3 5 2 ns/op\npkg: b\nBenchmarkX/time=4 5 3 ns/op\n";
  CHECK(read_go_benchmark(text).csv() ==
        "benchmark,time_,package,time,iterations\nX,3,a,2ns,5\nX,4,b,3ns,5\n");
  CHECK_FALSE(is_go_benchmark("Benchmark,t\nBenchmarkX,5\n"));
  CHECK_FALSE(is_go_benchmark("BenchmarkX  5  fast  2  ns/op\n"));
}

}  // namespace perfmodel
