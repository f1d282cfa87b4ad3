#include "ssgd/ssgd.hpp"

#include <string>

#include "perfmodel/error.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::ssgd;
using Catch::Approx;

namespace {

Network network_of(Aggregation aggregation) {
  Network network;
  network.aggregation = aggregation;
  network.link = {10, 0.5};
  network.gamma_us = 0.25;
  return network;
}

}  // namespace

TEST_CASE("every aggregation costs nothing for one worker and nothing for no bytes", "[ssgd]") {
  for (const auto& [aggregation, text] : texts_of(Aggregation{})) {
    CAPTURE(std::string(text));
    CHECK(aggregation_cost(network_of(aggregation), 1)(1e6) == 0);
    CHECK(aggregation_cost(network_of(aggregation), 8)(0) == 0);
  }
}

TEST_CASE("the formulas of eight workers are those of the literature", "[ssgd]") {
  const auto check = [](Aggregation aggregation, double start, double per_byte) {
    CAPTURE(std::string(to_text(aggregation)));
    const LinearCost cost = aggregation_cost(network_of(aggregation), 8);
    CHECK(cost.start_us == Approx(start));
    CHECK(cost.per_byte_us == Approx(per_byte));
  };
  const double ring_bytes = 2 * 7.0 / 8 * 0.5 + 7.0 / 8 * 0.25;
  check(Aggregation::ring, 140, ring_bytes);
  check(Aggregation::recursive_doubling, 30, 3 * 0.75);
  check(Aggregation::halving_doubling, 60, ring_bytes);
  check(Aggregation::tree, 60, 3 * 1.25);
  check(Aggregation::double_tree, 60, 0.75);
  check(Aggregation::parameter_server, 20, 8.0 * (2 * 0.5 + 0.25));
}

TEST_CASE("a logarithm that is not whole is rounded up", "[ssgd]") {
  const Network network = network_of(Aggregation::recursive_doubling);
  CHECK(aggregation_cost(network, 5).start_us == Approx(30));
  CHECK(aggregation_cost(network, 4).start_us == Approx(20));
  CHECK(aggregation_cost(network, 2).start_us == Approx(10));
}

TEST_CASE("as many servers as workers leave each link one share", "[ssgd]") {
  Network network = network_of(Aggregation::parameter_server);
  network.servers = 8;
  CHECK(aggregation_cost(network, 8).per_byte_us == Approx(2 * 0.5 + 0.25));
  network.servers = 16;
  CHECK(aggregation_cost(network, 8).per_byte_us == Approx(2 * 0.5 + 0.5 * 0.25));
}

TEST_CASE("a hierarchy of one level is a ring", "[ssgd]") {
  Network network = network_of(Aggregation::hierarchical);
  network.inside = {1, 0.125};
  network.workers_per_node = 1;
  Network ring = network_of(Aggregation::ring);
  CHECK(aggregation_cost(network, 8).start_us == aggregation_cost(ring, 8).start_us);
  CHECK(aggregation_cost(network, 8).per_byte_us == Approx(aggregation_cost(ring, 8).per_byte_us));
  network.workers_per_node = 8;
  ring.link = network.inside;
  CHECK(aggregation_cost(network, 8).start_us == Approx(aggregation_cost(ring, 8).start_us));
  CHECK(aggregation_cost(network, 8).per_byte_us == Approx(aggregation_cost(ring, 8).per_byte_us));
}

TEST_CASE("a hierarchy of two nodes of four adds up both levels", "[ssgd]") {
  Network network = network_of(Aggregation::hierarchical);
  network.inside = {1, 0.125};
  network.gamma_us = 0;
  network.workers_per_node = 4;
  CHECK(aggregation_cost(network, 8).start_us == Approx(2 * 3 * 1 + 2 * 1 * 10));
  CHECK(aggregation_cost(network, 8).per_byte_us == Approx(1.5 * 0.125 + 0.5));
  network.own_link_per_worker = true;
  CHECK(aggregation_cost(network, 8).per_byte_us == Approx(1.5 * 0.125 + 0.5 / 4));
  network.aggregation = Aggregation::hierarchical_leader;
  CHECK(aggregation_cost(network, 8).start_us == Approx(2 * 2 * 1 + 2 * 1 * 10));
  CHECK(aggregation_cost(network, 8).per_byte_us == Approx(2 * 2 * 0.125 + 0.5));
  network.workers_per_node = 3;
  CHECK_THROWS_WITH(aggregation_cost(network, 8), "8 workers cannot be divided into nodes of 3");
}

TEST_CASE("an ideal network only adds up", "[ssgd]") {
  const LinearCost cost = aggregation_cost(ideal(network_of(Aggregation::ring)), 4);
  CHECK(cost.start_us == 0);
  CHECK(cost.per_byte_us == Approx(0.75 * 0.25));
}

TEST_CASE("latencies on a line give it back, and the ring behind it", "[ssgd]") {
  std::vector<Latency> latencies = {{8, 1}, {16, 1}};  // another protocol below 1000 bytes
  for (double bytes = 1000; bytes <= 64000; bytes *= 2)
    latencies.push_back({bytes, 42 + 0.003 * bytes});
  const LatencyFit fit = fit_latencies(latencies, 1000);
  CHECK(fit.points == 7);
  CHECK(fit.cost.start_us == Approx(42));
  CHECK(fit.cost.per_byte_us == Approx(0.003));
  CHECK(fit.r2 == Approx(1));
  const Link link = as_ring(fit.cost, 4);
  CHECK(link.alpha_us == Approx(7));
  CHECK(link.beta_us == Approx(0.002));
  // Too few latencies, or of one size, make no line.
  CHECK_THROWS_WITH(fit_latencies({{1, 1}, {2, 2}, {3, 3}}, 2),
                    "only 2 latencies are of large enough messages; a line needs at least 3");
  CHECK_THROWS_WITH(fit_latencies({{1, 1}, {1, 2}, {1, 3}}, 0),
                    "all latencies are of messages of one size; a line needs at least 2 sizes");
}
