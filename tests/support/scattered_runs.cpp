#include "support/scattered_runs.hpp"
#include "support/runs_text.hpp"

#include <cmath>

#include "base/random.hpp"
#include "base/text.hpp"

namespace perfmodel::test {

std::string scattered_runs(int repetitions) {
  RandomStream random(1, "scattered runs", 0);
  std::string out = "net,layers,gpus,host,time_s\n";
  for (int i = 0; i < repetitions; ++i)
    for (const int net : {0, 1, 2})
      for (const int layers : {10, 20, 40})
        for (const int gpus : {1, 2, 4, 8}) {
          const double time =
              (0.01 * std::pow(layers, 1.2) + 0.1 * net) * std::pow(gpus, -0.6) + 0.2;
          const double measured = time * std::exp(0.05 * random.normal());
          out += csv_row("n" + std::to_string(net), layers, gpus, "host" + std::to_string(i),
                         std::round(1000 * measured) / 1000);
        }
  return out;
}

FitRequest fit_of_scattered(Loss loss) {
  FitRequest request;
  request.roles.ignore = {"host"};
  request.options.loss = loss;
  return request;
}

}  // namespace perfmodel::test
