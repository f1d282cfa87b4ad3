#include <Eigen/Cholesky>
#include <memory>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "cli/console.hpp"
#include "cli/fit_summary.hpp"
#include "effects/constants.hpp"
#include "fit/canonical_order.hpp"
#include "fit/fit.hpp"
#include "forms/form.hpp"
#include "page/page.hpp"
#include "page/page_content.hpp"
#include "perfmodel/export.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "report/model_json.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/runs_text.hpp"
#include "trust/resampling.hpp"

using namespace perfmodel;
using Eigen::VectorXd;

// Another kind of form, in this one file: all that the program does with models works with it.

namespace {

/// Amdahl's law along the first scale: t = a / E + C. The other inputs do not matter.
class ToyForm final : public Form {
 public:
  std::string_view name() const override { return "toy"; }
  FormWords words() const override {
    return {.noun = "law of Amdahl",
            .title = "The law of Amdahl",
            .share_caption = "What is shared out and what is not.",
            .scaled_part = "the time that is shared out",
            .level_letter = 'a',
            .lists_terms = true};
  }
  std::vector<ConstantInfo> constants(const ModelSpec&) const override {
    return {{"a", ConstantRole::coefficient, ConstantRange::not_negative, 0},
            {"C", ConstantRole::intercept, ConstantRange::not_negative, 1}};
  }
  std::vector<std::string> groups(const ModelSpec&) const override {
    return {"parallel part", "serial part"};
  }
  VectorXd predict(const ModelSpec&, const VectorXd& constants,
                   const Design& design) const override {
    VectorXd time(static_cast<Eigen::Index>(design.rows));
    for (Eigen::Index row = 0; row < time.size(); ++row) {
      time[row] =
          constants[0] / design.extrinsic[0].value(static_cast<std::size_t>(row)) + constants[1];
    }
    return time;
  }
  Eigen::MatrixXd log_slopes(const ModelSpec& spec, const VectorXd& constants,
                             const Design& design) const override {
    const VectorXd serial = constants[1] / predict(spec, constants, design).array();
    Eigen::MatrixXd out(serial.size(), 2);
    out << 1 - serial.array(), serial;
    return out;
  }
  std::vector<TimePart> parts(const ModelSpec& spec, const VectorXd& constants,
                              const std::function<std::string(std::size_t)>&) const override {
    return {{"parallel", std::to_string(constants[0]) + " / " + spec.extrinsic[0].column},
            {"C", std::to_string(constants[1])}};
  }
  std::vector<double> shares(const ModelSpec& spec, const VectorXd& constants,
                             const Design& design) const override {
    const double serial = 100 * constants[1] * static_cast<double>(design.rows) /
                          predict(spec, constants, design).sum();
    return {100 - serial, serial};
  }
  std::vector<double> scaling_powers(const ModelSpec& spec, const VectorXd& constants,
                                     const Configuration* at) const override {
    const double shared = constants[0] / at->extrinsic[0];
    std::vector<double> out(spec.extrinsic.size(), 0);
    out[0] = -shared / (shared + constants[1]);
    return out;
  }
  std::string formula(const ModelSpec& spec, const VectorXd&) const override {
    return "t = a/" + spec.extrinsic[0].column + " + C";
  }
  std::shared_ptr<const Form> reordered(const ColumnOrder&) const override {
    return std::make_shared<ToyForm>();
  }
  const Fitter* fitter() const override;
  void describe_constants(Fields& f, FittedModel& model) const override { read(f, model); }

  static void read(Fields& f, FittedModel& model) {
    f.list("extrinsic", model.spec.extrinsic, "scales",
           [](Fields& item, NumericInput& input, std::size_t) {
             item("column", input.column, "its name");
             describe_range(item, input, false);
           });
    model.constants.conservativeResize(2);
    f("a", model.constants[0], "of the part that is shared out");
    f("C", model.constants[1], "the other part");
    if (!f.writes())
      model.form = std::make_shared<ToyForm>();
  }
};

/// Least squares.
VectorXd line_through(const Design& runs) {
  Eigen::MatrixXd features = Eigen::MatrixXd::Ones(static_cast<Eigen::Index>(runs.rows), 2);
  for (Eigen::Index row = 0; row < features.rows(); ++row)
    features(row, 0) = 1 / runs.extrinsic[0].value(static_cast<std::size_t>(row));
  return (features.transpose() * features).ldlt().solve(features.transpose() * runs.time);
}

class ToyRefit final : public Refit {
 public:
  Refitted operator()(const Design& runs) const override {
    return {std::make_shared<ToyForm>(), line_through(runs)};
  }
  std::size_t free_constants() const override { return 2; }
};

const Fitter* ToyForm::fitter() const {
  static constexpr Fitter fitter = {
      [](const FittedModel&) { return std::size_t{2}; },
      [](const FittedModel&, const Design&, const FitOptions&) -> std::unique_ptr<Refit> {
        return std::make_unique<ToyRefit>();
      }};
  return &fitter;
}

FittedModel fit_toy(const ModelSpec& spec, const Design& training, const FitOptions&) {
  FittedModel model;
  model.spec = spec;
  model.form = std::make_shared<ToyForm>();
  model.constants = line_through(training);
  model.typical = central_configuration(spec, training);
  model.known.metrics.train = compute_metrics(training.time, predict(model, training));
  return model;
}

std::vector<FormKind> kinds_with_toy() {
  std::vector<FormKind> kinds = form_kinds();
  kinds.push_back({"toy", fit_toy, ToyForm::read});
  return kinds;
}

struct ToyRuns {
  Table table;
  ModelSpec spec;
  Design design;
  FittedModel model;
};

/// t = 8 / workers + 0.5, with an error of a few percent.
ToyRuns toy_runs() {
  std::string csv = "workers,time_s\n";
  for (int row = 0; row < 50; ++row) {
    const int workers = 1 << (row % 5);
    csv += test::csv_row(workers,
                         std::to_string((8.0 / workers + 0.5) * (1 + 0.03 * ((row / 5) % 5 - 2))));
  }
  ToyRuns out;
  out.table = test::table_of(csv);
  out.spec.target = "time_s";
  out.spec.unit = "s";
  out.spec.extrinsic = {{"workers", 1, 16}};
  out.design = make_design(out.table, out.spec, Target::required);
  out.model = kinds_with_toy().back().fit(out.spec, out.design, {});
  return out;
}

}  // namespace

TEST_CASE("a model of a new form is stored and read by its registration alone", "[form]") {
  const ToyRuns toy = toy_runs();
  const test::CsvFile file(to_json(toy.model));
  const FittedModel back = read_model(file.path(), kinds_with_toy());
  CHECK(back.form->name() == "toy");
  CHECK(predict(back, toy.design) == predict(toy.model, toy.design));
  CHECK(to_json(back) == to_json(toy.model));
  CHECK_THROWS_WITH(read_model(file.path()), Catch::Contains("'toy' is not one of 'generic'"));
}

TEST_CASE("tables, summary and report of a new form speak of its constants and parts", "[form]") {
  ToyRuns toy = toy_runs();
  const BootstrapSamples samples = bootstrap(toy.model, toy.design, {}, 50);
  toy.model.known.uncertainty = percentile_intervals(toy.model, toy.design, samples, 0.95);

  const std::vector<ConstantRow> table = constant_table(toy.model);
  REQUIRE(table.size() == 2);
  CHECK(table[0].name == "a");
  REQUIRE(table[0].interval);
  CHECK(table[0].interval->low < 8);
  CHECK(table[0].interval->high > 8);
  REQUIRE(scaling_power_table(toy.model).size() == 1);
  const double at = toy.model.typical->extrinsic[0];
  CHECK(scaling_power_table(toy.model)[0].power ==
        Catch::Approx(-8 / at / (8 / at + 0.5)).margin(0.03));

  const cli::Console console({.quiet = true, .color = cli::ColorChoice::never});
  const std::string summary =
      cli::fit_summary({toy.model, time_shares(toy.model, toy.design)}, console);
  CHECK_THAT(summary, Catch::Contains(" / workers"));
  CHECK_THAT(summary, Catch::Contains("local power of workers"));

  const VectorXd predicted = predict(toy.model, toy.design);
  const page::Content content = page::content_of({toy.model,
                                                  "perfmodel",
                                                  "model.json",
                                                  {"runs.csv", toy.design.rows, "abc"},
                                                  toy.table.lines,
                                                  toy.design,
                                                  predicted,
                                                  toy.model.known.metrics.train,
                                                  {}});
  const std::string page = report_html(content, "");
  CHECK_THAT(page, Catch::Contains("The law of Amdahl"));
  CHECK_THAT(page, Catch::Contains("Constants of parallel part"));
  CHECK_THAT(page, Catch::Contains("t = a/workers + C"));
}

TEST_CASE("a model of a new form comes back from the canonical order of columns", "[form]") {
  const ToyRuns toy = toy_runs();
  const CanonicalRuns runs = canonical(toy.spec, toy.design);
  const FittedModel sorted = fit_toy(runs.spec, runs.training, {});
  const FittedModel model = restored(sorted, runs);
  CHECK(model.constants == sorted.constants);
  CHECK(model.typical->extrinsic == toy.model.typical->extrinsic);
}
