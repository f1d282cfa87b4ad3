#include "cli/commands/selftest_command.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "analysis/selftest.hpp"
#include "base/text.hpp"
#include "cli/options/option_set.hpp"
#include "cli/terminal/text_table.hpp"
#include "io/documents/selftest_json.hpp"
#include "io/file/output_file.hpp"

namespace perfmodel::cli {
namespace {

using SelftestFigures = std::vector<SelftestFigure>;

/// Eleven significant digits, as NIST prints them.
std::string certified_number(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.11g", value);
  return text.data();
}

std::string digits_text(double digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f", digits);
  return text.data();
}

TextTable figures_table(const SelftestFigures& figures) {
  using enum Align;
  TextTable table({left, right, right, right, right, left});
  const std::string* problem = nullptr;
  for (const auto& figure : figures) {
    if (!problem || *problem != figure.problem) {
      if (problem)
        table.add({""});
      table.add({figure.problem, "certified", "computed", "digits", "promised"});
      problem = &figure.problem;
    }
    table.add({"  " + figure.quantity, certified_number(figure.certified),
               certified_number(figure.computed), digits_text(figure.digits),
               short_number(figure.promised), figure.passed() ? "" : "FAILED"});
  }
  return table;
}

TextTable exact_figures(const SelftestFigures& figures) {
  TextTable table(std::vector<Align>(7, Align::right));
  table.add({"problem", "quantity", "certified", "computed", "digits", "promised", "passed"});
  for (const auto& figure : figures) {
    table.add({figure.problem, figure.quantity, to_text(figure.certified), to_text(figure.computed),
               to_text(figure.digits), to_text(figure.promised),
               figure.passed() ? "true" : "false"});
  }
  return table;
}

std::string formatted(const SelftestFigures& figures, OutputFormat format) {
  OutputTables out(exact_figures(figures), [&] { return selftest_to_json(figures); });
  out.add(figures_table(figures));
  return out.in(format);
}

}  // namespace

void setup_selftest(OptionSet& command, SelftestArguments& arguments) {
  add_format(command, arguments.format, "of the figures");
  command.footer(
      "Recomputes problems with known answers on this machine and prints how many digits match: a "
      "NIST\n"
      "reference problem, least absolute deviations with an answer in fractions, constants planted "
      "in\n"
      "simulated runs, and the kernel for every instruction set of this processor. Exit code 1 "
      "where\n"
      "fewer digits match than are promised.\n"
      "\n"
      "Examples:\n"
      "  perfmodel selftest\n"
      "  perfmodel selftest --format json > selftest.json");
}

int run_selftest_command(const SelftestArguments& arguments, Console& console) {
  OutputFile output("-");
  const SelftestFigures figures = run_selftest();
  output.write(formatted(figures, arguments.format));
  output.commit();
  std::size_t failed = 0;
  for (const auto& figure : figures)
    failed += figure.passed() ? 0U : 1U;
  if (failed > 0) {
    console.error(std::to_string(failed) + " of " + std::to_string(figures.size()) +
                  " figures have fewer matching digits than promised: do not trust this build on "
                  "this machine, and please report it");
    return 1;
  }
  console.notice("all " + std::to_string(figures.size()) + " figures have the promised digits");
  return 0;
}

}  // namespace perfmodel::cli
