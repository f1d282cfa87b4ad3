#include "support/sum_runs.hpp"

#include <array>
#include <cmath>
#include <memory>

#include "base/random.hpp"
#include "codegen/formula_code.hpp"
#include "forms/sum_form.hpp"
#include "perfmodel/export.hpp"
#include "support/csv_text.hpp"
#include "support/runs_text.hpp"

namespace perfmodel::test {

SumRuns sum_runs(std::size_t rows, double noise, std::uint64_t seed) {
  constexpr std::array filters = {4, 8, 16, 32, 64};
  constexpr std::array batches = {8, 16, 32, 64, 128};
  constexpr std::array gpus = {1, 2, 4, 8};
  RandomStream random(seed, "multi runs");
  std::string csv = "filters,activation,gpus,batch_size,time_s\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double f = filters[random.below(filters.size())];
    const double b = batches[random.below(batches.size())];
    const double n = gpus[random.below(gpus.size())];
    const bool tanh = random.below(2) == 1;
    const double computing = 2e-5 * std::pow(f, 1.5) * b / n * (tanh ? 1.5 : 1);
    const double communicating = n > 1 ? 0.01 * std::sqrt(f * n) : 0;
    const double time = (computing + communicating) * std::exp(noise * random.normal());
    csv += csv_row(f, tanh ? "tanh" : "relu", n, b, time);
  }
  PaperRuns runs = runs_of(table_of(csv));
  SumRuns out{runs.table, runs.spec, runs.design, {}};
  out.truth.spec = runs.spec;
  out.truth.form = std::make_shared<SumForm>(SumStructure{.terms = 2, .step_factors = {{0, 1}}});
  out.truth.typical = central_configuration(runs.spec, runs.design);
  // a | p[filters] | relu, tanh | q[gpus], q[batch_size] | gpus <= 1, gpus > 1
  out.truth.constants.resize(17);
  out.truth.constants << 2e-5, 1.5, 1, 1.5, -1, 1, 1, 1,  //
      0.01, 0.5, 1, 1, 0.5, 0, 0, 1,                      //
      0;
  return out;
}

FitOptions product_and_gp() {
  FitOptions options;
  options.form = SumOptions{1};
  options.residual = Residual::gp;
  return options;
}

std::string code_of(const SumRuns& runs, FormulaLanguage language) {
  return terms_code({runs.truth.spec, sum_form(runs.truth).structure}, runs.truth.constants,
                    language);
}

}  // namespace perfmodel::test
