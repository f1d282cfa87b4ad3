#include <string>
#include <vector>

#include "import/readers.hpp"
#include "support/catch.hpp"
#include "support/message_of.hpp"

namespace perfmodel {

TEST_CASE("lines that go test prints are runs with the parts of their names", "[go]") {
  const std::string text =
      "goos: linux\npkg: example.com/x\nBenchmarkSort\n"
      "BenchmarkSort/n=100/fast/8-4 \t 20000000\t        78.8 ns/op\t 64 B/op\t 1 allocs/op\n"
      "BenchmarkSort/n=100/fast/8-4 \t 20000000\t        79.8 ns/op\t 64 B/op\t 1 allocs/op\r\n"
      "BenchmarkSort/n=100/fast/8 \t 10\t 1e3 ns/op\t 7.5 MB/s\n"
      "BenchmarkSort/n=1 logs 5 lines\nPASS\nok  \texample.com/x\t1.2s\n";
  CHECK(is_go_benchmark(text));
  const NamedRows rows = read_go_benchmark(text, "go.txt");
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
  CHECK(read_go_benchmark(text, "go.txt").csv() ==
        "benchmark,time_,package,time,iterations\nX,3,a,2ns,5\nX,4,b,3ns,5\n");
  CHECK_FALSE(is_go_benchmark("Benchmark,t\nBenchmarkX,5\n"));
  CHECK_FALSE(is_go_benchmark("BenchmarkX  5  fast  2  ns/op\n"));
}

TEST_CASE("what a program prints within results of Go's benchmarks hides none of them", "[go]") {
  const std::string text =
      "BenchmarkX/n=1-8 \t loading 3 files\nread 5 files\n 100\t 7 ns/op\n"
      "BenchmarkX/n=2-8 \t took 3 tries 100\t 8 ns/op\t 4 B/op PASS\n"
      "BenchmarkX/n=3-8 \t 100\t 9 ns/op\t NaN hits/op\n"
      "BenchmarkX/n=4-8 \t 100\t NaN ns/op\n"
      "BenchmarkX/n=5-8 \t 100\t 2.5 hits/op\n";
  REQUIRE(is_go_benchmark(text));
  const NamedRows rows = read_go_benchmark(text, "go.txt");
  CHECK(rows.csv() ==
        "benchmark,n,gomaxprocs,time,iterations,bytes_per_op,hits_per_op\n"
        "X,1,8,7ns,100,,\nX,2,8,8ns,100,4,\nX,3,8,9ns,100,,\nX,4,8,,100,,\nX,5,8,,100,,2.5\n");
  REQUIRE(rows.notices().size() == 1);
  CHECK(rows.notices()[0] == "go.txt: what the program printed within 2 results is not read.");
}

TEST_CASE("lines with times that are no results of Go's benchmarks are refused", "[go]") {
  const std::string whole = "BenchmarkX-8 100 7 ns/op\n";
  for (const std::string line : {"BenchmarkX/n=2-8 done100 7 ns/op", "  100 7 ns/op",
                                 "BenchmarkX/n=2-8 100 7 ns/op BenchmarkX/n=3-8 100 7 ns/op"}) {
    INFO(line);
    const std::string refusal =
        test::message_of<InputError>([&] { read_go_benchmark(whole + line + "\n", "go.txt"); });
    CHECK(refusal.find("go.txt:2: \"") == 0);
    CHECK(refusal.find(" has a time, but not as Go's benchmarks print it") != std::string::npos);
  }
}

TEST_CASE("a number behind a dash is the processors only where the names tell so", "[go]") {
  const auto csv_of_names = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names)
      text += "Benchmark" + name + " 100 7 ns/op\n";
    return read_go_benchmark(text, "go.txt").csv();
  };
  CHECK(csv_of_names({"X/n-1000", "X/n-2000"}) ==
        "benchmark,case1,time,iterations\nX,n-1000,7ns,100\nX,n-2000,7ns,100\n");
  CHECK(csv_of_names({"Y", "X/n-1000"}).find("gomaxprocs") == std::string::npos);
  const std::string with_two = "benchmark,case1,gomaxprocs,time,iterations\n";
  CHECK(csv_of_names({"X/n-1000-8", "X/n-2000-8"}) ==
        with_two + "X,n-1000,8,7ns,100\nX,n-2000,8,7ns,100\n");
  CHECK(csv_of_names({"X/a-8", "X/b-8"}) == with_two + "X,a,8,7ns,100\nX,b,8,7ns,100\n");
  CHECK(csv_of_names({"X/a", "X/a-2"}) == with_two + "X,a,1,7ns,100\nX,a,2,7ns,100\n");
  CHECK(csv_of_names({"X-2", "X-4"}) ==
        "benchmark,gomaxprocs,time,iterations\nX,2,7ns,100\nX,4,7ns,100\n");
}

}  // namespace perfmodel
