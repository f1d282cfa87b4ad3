#include "table/expressions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/runs_text.hpp"

namespace perfmodel {
namespace {

using Catch::Approx;
using test::table_of;
using Texts = std::vector<std::string>;

/// Two numeric inputs, two categorical ones of 2 and 3 levels, two scales.
ModelSpec full_spec() {
  ModelSpec spec;
  spec.target = "time_s";
  spec.unit = "s";
  spec.intrinsic = {{"filters", 4, 64}, {"kernel", 2, 5}};
  spec.categorical = {{"padding", {"same", "valid"}}, {"activation", {"relu", "sigmoid", "tanh"}}};
  spec.extrinsic = {{"workers", 1, 4}, {"batch", 8, 64}};
  return spec;
}

constexpr std::string_view kConfigurations =
    "filters,kernel,padding,activation,workers,batch\n"
    "4,3,same,relu,1,16\n"
    "16,2,valid,tanh,4,64\n"
    "4,2,valid,sigmoid,2,8\n"
    "64,5,same,relu,4,16\n";

Eigen::VectorXd full_constants() {
  // a_filters, a_kernel | same, valid | relu, sigmoid, tanh | p_filters, p_kernel | q_workers,
  // q_batch | C
  Eigen::VectorXd constants(12);
  constants << 2, 3, 10, 20, 100, 200, 300, 0.5, 2, -1, 0.5, 7;
  return constants;
}

TEST_CASE("constants stand as coefficients, levels, powers, scaling powers, C", "[generic]") {
  const Eq4Layout layout(full_spec());
  Texts names;
  for (std::size_t i = 0; i < layout.size(); ++i)
    names.push_back(layout.name(i));
  CHECK(names == Texts{"a[filters]", "a[kernel]", "a[padding=same]", "a[padding=valid]",
                       "a[activation=relu]", "a[activation=sigmoid]", "a[activation=tanh]",
                       "p[filters]", "p[kernel]", "q[workers]", "q[batch]", "C"});
  // Every index has the kind and the name of its constant.
  CHECK(layout.name(layout.coefficient(1)) == "a[kernel]");
  CHECK(layout.name(layout.level(0, 1)) == "a[padding=valid]");
  CHECK(layout.name(layout.level(1, 2)) == "a[activation=tanh]");
  CHECK(layout.name(layout.intrinsic_power(1)) == "p[kernel]");
  CHECK(layout.name(layout.extrinsic_power(0)) == "q[workers]");
  CHECK(layout.name(layout.intercept()) == "C");

  CHECK(layout.is_of_power(layout.coefficient(1)));
  for (const std::size_t level : {layout.level(0, 0), layout.level(1, 2)}) {
    CHECK(layout.is_coefficient(level));
    CHECK_FALSE(layout.is_of_power(level));
  }
  for (const std::size_t power : {layout.intrinsic_power(0), layout.extrinsic_power(1)}) {
    CHECK(layout.is_power(power));
    CHECK_FALSE(layout.is_coefficient(power));
  }
  CHECK_FALSE(layout.is_power(layout.intercept()));
  CHECK_FALSE(layout.is_coefficient(layout.intercept()));
}

TEST_CASE("the paper's 6 numeric, 4 categorical and 2 extrinsic inputs have 25 constants",
          "[generic]") {
  ModelSpec spec;
  spec.intrinsic = {{"filters", 4, 64},      {"kernel_size", 2, 5}, {"pool_size", 2, 5},
                    {"learning_rate", 0, 1}, {"stride", 1, 3},      {"dropout", 0.2, 0.8}};
  spec.categorical = {{"padding", {"same", "valid"}},
                      {"activation", {"relu", "sigmoid", "tanh"}},
                      {"dataset", {"cifar10", "fashion_mnist", "mnist"}},
                      {"optimizer", {"adam", "sgd"}}};
  spec.extrinsic = {{"batch_size", 8, 64}, {"workers", 1, 3}};
  CHECK(Eq4Layout(spec).size() == 25);
}

TEST_CASE("Eq. (4) agrees with a calculation by hand", "[generic]") {
  const Design design = make_design(table_of(kConfigurations), full_spec(), Target::absent);
  const Eigen::VectorXd time = predict_terms(full_spec(), full_constants(), design);
  REQUIRE(time.size() == 4);
  // (2 * 4^0.5 + 3 * 3^2 + same 10 + relu 100) * 1^-1 * 16^0.5 + 7
  CHECK(time[0] == (4 + 27 + 10 + 100) * 1.0 * 4 + 7);
  // (2 * 16^0.5 + 3 * 2^2 + valid 20 + tanh 300) * 4^-1 * 64^0.5 + 7
  CHECK(time[1] == (8 + 12 + 20 + 300) * 0.25 * 8 + 7);
  CHECK(time[2] == Approx((4 + 12 + 20 + 200) * 0.5 * std::sqrt(8.0) + 7));
  CHECK(time[3] == (16 + 75 + 10 + 100) * 0.25 * 4 + 7);
}

TEST_CASE("a row's time does not depend on the rows around it", "[generic]") {
  const Table table = table_of(kConfigurations);
  const Design design = make_design(table, full_spec(), Target::absent);
  const Eigen::VectorXd time = predict_terms(full_spec(), full_constants(), design);
  const std::vector<std::size_t> mixed{3, 1, 1, 0, 2, 3};
  const Eigen::VectorXd mixed_time = predict_terms(
      full_spec(), full_constants(), make_design(table, full_spec(), Target::absent, mixed));
  for (std::size_t i = 0; i < mixed.size(); ++i)
    CHECK(mixed_time[static_cast<Eigen::Index>(i)] == time[static_cast<Eigen::Index>(mixed[i])]);
}

TEST_CASE("coded and plain columns give the same bits", "[generic]") {
  ModelSpec spec;
  spec.intrinsic = {{"x", 1, 5000}};
  spec.extrinsic = {{"gpus", 1, 5000}};
  std::string csv = "x,gpus\n";
  for (int i = 1; i <= 5000; ++i)
    csv += test::csv_row(i, 5001 - i);
  const Table table = table_of(csv);
  Eigen::VectorXd constants(4);
  constants << 0.3, 1.37, -0.41, 0.01;
  const Design plain = make_design(table, spec, Target::absent);
  const std::vector<std::size_t> first{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Design coded = make_design(table, spec, Target::absent, first);
  REQUIRE_FALSE(plain.intrinsic[0].coded());
  REQUIRE(coded.intrinsic[0].coded());
  CHECK(predict_terms(spec, constants, coded) == predict_terms(spec, constants, plain).head(10));
}

TEST_CASE("without scales or without inputs the missing part drops out", "[generic]") {
  ModelSpec spec;
  spec.categorical = {{"padding", {"same", "valid"}}};
  Eigen::VectorXd constants(3);
  constants << 1, 2, 0.5;
  const Design design = make_design(table_of("padding\nvalid\nsame\n"), spec, Target::absent);
  CHECK(predict_terms(spec, constants, design) == Eigen::Vector2d(2.5, 1.5));
}

TEST_CASE("the formula names every column, and without scales has no product", "[generic]") {
  CHECK(eq4_formula(full_spec()) ==
        "t = (a_filters*filters^p_filters + a_kernel*kernel^p_kernel + a_padding + a_activation) * "
        "workers^q_workers * batch^q_batch + C");
  ModelSpec spec;
  spec.intrinsic = {{"x", 1, 2}};
  CHECK(eq4_formula(spec) == "t = (a_x*x^p_x) + C");
}

}  // namespace
}  // namespace perfmodel
