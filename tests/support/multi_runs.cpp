#include "support/multi_runs.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <sstream>

#include "base/random.hpp"
#include "base/text.hpp"
#include "forms/sum_form.hpp"
#include "support/csv_text.hpp"

namespace perfmodel::test {

MultiRuns multi_runs(std::size_t rows, double noise, std::uint64_t seed) {
  constexpr std::array filters = {4, 8, 16, 32, 64};
  constexpr std::array batches = {8, 16, 32, 64, 128};
  constexpr std::array gpus = {1, 2, 4, 8};
  RandomStream random(seed, "multi runs");
  std::ostringstream csv;
  csv << "filters,activation,gpus,batch_size,time_s\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double f = filters[random.below(filters.size())];
    const double b = batches[random.below(batches.size())];
    const double n = gpus[random.below(gpus.size())];
    const bool tanh = random.below(2) == 1;
    const double computing = 2e-5 * std::pow(f, 1.5) * b / n * (tanh ? 1.5 : 1);
    const double communicating = n > 1 ? 0.01 * std::sqrt(f * n) : 0;
    const double time = (computing + communicating) * std::exp(noise * random.normal());
    csv << to_text(f) << (tanh ? ",tanh," : ",relu,") << to_text(n) << ',' << to_text(b) << ','
        << to_text(time) << '\n';
  }
  PaperRuns runs = runs_of(table_of(csv.str()));
  MultiRuns out{runs.table, runs.spec, runs.design, {}};
  out.truth.spec = runs.spec;
  out.truth.form = std::make_shared<SumForm>(
      MultiStructure{.terms = 2, .regimes = {{0, 1}}, .log_powers = {{0, 0}, {0, 0}}});
  out.truth.typical = central_configuration(runs.spec, runs.design);
  // a | p[filters] | relu, tanh | q[gpus], q[batch_size] | gpus <= 1, gpus > 1
  out.truth.constants.resize(17);
  out.truth.constants << 2e-5, 1.5, 1, 1.5, -1, 1, 1, 1,  //
      0.01, 0.5, 1, 1, 0.5, 0, 0, 1,                      //
      0;
  return out;
}

MultiRuns two_jobs(std::size_t rows, double noise, std::uint64_t seed) {
  constexpr std::array widths = {16, 32, 64, 128, 256};
  constexpr std::array batches = {8, 16, 32, 64, 128};
  constexpr std::array gpus = {1, 2, 4, 8};
  RandomStream random(seed, "two jobs");
  std::ostringstream csv;
  csv << "job,width,gpus,batch_size,time_s\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double w = widths[random.below(widths.size())];
    const double b = batches[random.below(batches.size())];
    const double n = gpus[random.below(gpus.size())];
    const bool dense = random.below(2) == 1;
    const double time = dense ? 3e-6 * w * w * b / n + 0.004
                              : 0.0005 * std::pow(w, 0.3) * std::sqrt(b) * std::pow(n, 0.2);
    csv << (dense ? "dense," : "lookup,") << to_text(w) << ',' << to_text(n) << ',' << to_text(b)
        << ',' << to_text(time * std::exp(noise * random.normal())) << '\n';
  }
  PaperRuns runs = runs_of(table_of(csv.str()));
  MultiRuns out{runs.table, runs.spec, runs.design, {}};
  out.truth.spec = runs.spec;
  out.truth.form = std::make_shared<SumForm>(
      MultiStructure{.terms = 3, .regimes = {}, .log_powers = {{0, 0}, {0, 0}, {0, 0}}});
  out.truth.typical = central_configuration(runs.spec, runs.design);
  // a | p[width] | dense, lookup | q[gpus], q[batch_size]
  out.truth.constants.resize(19);
  out.truth.constants << 3e-6, 2, 1, 0, -1, 1,  //
      0.004, 0, 1, 0, 0, 0,                     //
      0.0005, 0.3, 0, 1, 0.2, 0.5,              //
      0;
  return out;
}

PaperRuns four_jobs(const std::string& header, std::uint64_t seed) {
  constexpr std::array widths = {16, 32, 64, 128, 256};
  constexpr std::array batches = {8, 16, 32, 64, 128};
  RandomStream random(seed, "four jobs");
  std::ostringstream csv;
  csv << header << '\n';
  for (std::size_t row = 0; row < 280; ++row) {
    const double w = widths[random.below(widths.size())];
    const double b = batches[random.below(batches.size())];
    const std::size_t job = random.below(4);
    const std::array times = {
        2e-6 * w * w * b + 0.004, 5e-4 * std::pow(w, 0.3) * std::sqrt(b),
        1e-3 * std::pow(w, -0.2) * std::pow(b, 0.9) + 3e-7 * std::pow(w, 2.5),
        0.02 * std::pow(w, 0.1) * std::pow(b, -0.3) + 1e-5 * std::sqrt(w) * std::pow(b, 1.2)};
    const std::string name = "job" + std::to_string(job);
    const std::string host = job % 2 == 0 ? "east" : "west";
    const bool host_first = header.starts_with("host");
    csv << (host_first ? host : name) << ',' << (host_first ? name : host) << ',' << to_text(w)
        << ',' << to_text(b) << ',' << to_text(times[job] * std::exp(0.03 * random.normal()))
        << '\n';
  }
  return runs_of(table_of(csv.str()));
}

}  // namespace perfmodel::test
