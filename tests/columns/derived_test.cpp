#include "perfmodel/columns.hpp"
#include "perfmodel/design.hpp"
#include "perfmodel/table.hpp"

#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"

namespace perfmodel {
namespace {

using test::message_of;
using test::table_of;
using Texts = std::vector<std::string>;

constexpr std::string_view kDerivable =
    "filters,kernel_size,activation,workers,time_s\n"
    "4,3,relu,1,0.1\n"
    "8,5,tanh,2,0.2\n"
    "16,2,relu,2,0.3\n";

std::string parse_error(const std::string& text) {
  return message_of<UsageError>([&] { parse_derived(text); });
}

std::string request_error(const Texts& texts) {
  return message_of<UsageError>([&] {
    std::vector<DerivedColumn> derived;
    for (const auto& text : texts)
      derived.push_back(parse_derived(text));
    derive_as_requested(table_of(kDerivable), derived);
  });
}

std::string data_error(std::string_view csv, const std::string& text) {
  return message_of<InputError>([&] { derive_as_requested(table_of(csv), {parse_derived(text)}); });
}

TEST_CASE("a derived column has the value of its formula in each row", "[derived]") {
  const Table table =
      with_derived_columns(table_of(kDerivable), {parse_derived("flops=filters * kernel_size^2"),
                                                  parse_derived(" per_worker = flops/workers ")});
  CHECK(table.at("flops").numbers == std::vector<double>{36, 200, 64});
  CHECK(table.at("per_worker").numbers == std::vector<double>{36, 100, 32});
  CHECK(table.names().back() == "per_worker");
  CHECK(with_derived_columns(table, {parse_derived("flops = filters * kernel_size^2")})
            .columns.size() == table.columns.size());
}

TEST_CASE("a text that defines no column is refused with the place in it", "[derived]") {
  for (const std::string text : {"flops", "flops ="})
    CHECK(parse_error(text) == "--derive '" + text +
                                   "': expected NAME=FORMULA, such as 'flops = filters * "
                                   "kernel_size^2'");
  CHECK(parse_error("2x = filters") ==
        "--derive '2x = filters': the name of a derived column is made of letters, digits and "
        "'_'");
  CHECK(parse_error("x = filters *") ==
        "--derive 'x = filters *': Unexpected end of expression at position 10 of "
        "'filters *'");
  CHECK(parse_error("x = x + filters") ==
        "--derive 'x = x + filters': 'x' cannot be computed from itself");
  CHECK(parse_error("x = 2 * 3") == "--derive 'x = 2 * 3': the formula uses no column");
  CHECK(parse_error("x = padding == 'same'") ==
        "--derive 'x = padding == 'same'': texts cannot be used, only columns of numbers; a "
        "name that is no word stands in backquotes: `Memory (GiB)`");
}

TEST_CASE("an unknown column and a name that is taken are refused", "[derived]") {
  CHECK(request_error({"x = filterz * 2"}) ==
        "--derive 'x = filterz * 2': no column 'filterz' in runs.csv; did you mean 'filters'?");
  CHECK(request_error({"workers = filters * 2"}) ==
        "--derive 'workers = filters * 2': runs.csv already has a column 'workers'; choose "
        "another name");
  CHECK(request_error({"x = filters", "x = workers"}) ==
        "--derive 'x = workers': runs.csv already has a column 'x'; choose another name");
  CHECK(request_error({"y = x * 2", "x = filters"}) ==
        "--derive 'y = x * 2': no column 'x' in runs.csv; there are 'filters', 'kernel_size', "
        "'activation', "
        "'workers' and 'time_s'");
}

TEST_CASE("cells and values that are no numbers are named with their line", "[derived]") {
  CHECK(data_error(kDerivable, "x = activation * 2") ==
        "runs.csv: column 'activation' holds texts, and 'x = activation * 2' needs numbers");
  CHECK(data_error("a,b\n1,2\n2,-3\n3,oops\n", "x = a * b") ==
        "runs.csv:4: column 'b': \"oops\" is not a number");
  CHECK(data_error("a,b\n1,2\n2,-3\n3,0\n", "x = log(b)") ==
        "runs.csv: column 'x': 2 cells: log(b) is no number (line 3), log(b) is infinite (line 4)");
}

template <class Refusal>
std::string role_error_of(const std::string& text, std::optional<std::string> target = {}) {
  RoleRequest request;
  request.target = std::move(target);
  request.derived = {parse_derived(text)};
  const Table table = derive_as_requested(table_of(kDerivable), request.derived);
  return message_of<Refusal>([&] { resolve_roles(table, request); });
}

TEST_CASE("a derived column is not negative, and neither is nor uses the measured time",
          "[derived]") {
  CHECK(role_error_of<InputError>("x = filters - 8") ==
        "runs.csv:2: column 'x': -4 is not >= 0; needed are numbers >= 0: correct this, or pass "
        "--categorical x or --ignore x");
  CHECK(role_error_of<UsageError>("x = time_s / workers") ==
        "--derive 'x = time_s / workers': 'time_s' is the measured time, which is unknown for "
        "configurations to be predicted");
  CHECK(role_error_of<UsageError>("x = filters / workers", "x") ==
        "--derive 'x = filters / workers': the measured time cannot be derived");
}

TEST_CASE("a spec keeps the derived columns that its inputs need", "[derived]") {
  RoleRequest request;
  request.derived = {parse_derived("area = kernel_size^2"), parse_derived("flops = filters*area"),
                     parse_derived("unused = filters + 1")};
  request.ignore = {"filters", "kernel_size", "area", "unused"};
  const Table table = derive_as_requested(table_of(kDerivable), request.derived);
  const Roles roles = resolve_roles(table, request);
  const std::vector<std::size_t> rows = {0, 1, 2};
  const ModelSpec spec = make_spec(table, roles, rows);
  REQUIRE(spec.derived.size() == 2);
  CHECK(spec.derived[0].column == "area");
  CHECK(spec.derived[1].column == "flops");
  CHECK(required_columns(spec) == Texts{"activation", "workers", "kernel_size", "filters"});
  CHECK(spec.is_derived("flops"));
  CHECK(spec.is_derived_from("filters"));
  CHECK_FALSE(spec.is_derived_from("workers"));

  const Design design = make_design(
      table_of("filters,kernel_size,activation,workers\n3,2,tanh,1\n"), spec, Target::absent);
  CHECK(design.intrinsic[0].value(0) == 12);
  CHECK(message_of<InputError>([&] {
          make_design(table_of("kernel_size,activation,workers\n2,tanh,1\n"), spec, Target::absent);
        }) ==
        "no column 'filters' in runs.csv; there are 'kernel_size', 'activation', 'workers' and "
        "'area'");
  CHECK(message_of<InputError>([&] {
          make_design(table_of("filters,kernel_size,activation,workers,flops\n3,2,tanh,1,5\n"),
                      spec, Target::absent);
        }) ==
        "runs.csv has a column 'flops', which the model computes: flops = filters*area; rename or "
        "remove it");
}

}  // namespace
}  // namespace perfmodel
