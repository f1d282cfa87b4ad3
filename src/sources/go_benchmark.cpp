#include <fmt/core.h>
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "sources/readers.hpp"
#include "sources/source.hpp"

// The text that `go test -bench` prints.
namespace perfmodel {
namespace {

constexpr std::string_view kPrefix = "Benchmark";
constexpr std::size_t kFirstLines = 100;

using RowCells = std::vector<NamedRows::Cell>;

/// "BenchmarkSub/n=100-4  20000000  78.8 ns/op  0 B/op".
struct GoResult {
  std::string name;          ///< without the prefix and the number of processors
  std::string processors{};  ///< empty if it is 1, which Go does not print
  RowCells measured{};
  std::string package{};
};

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// Adds a cell; a column whose name the row or the results have ends in '_'.
void add_cell(std::string column, const std::string& text, const RowCells& results, RowCells& row) {
  const auto has = [&](const RowCells& cells) {
    return std::ranges::find(cells, column, &NamedRows::Cell::first) != cells.end();
  };
  while (has(row) || has(results))
    column += '_';
  row.emplace_back(column, text);
}

/// "time" of "ns/op", "bytes_per_op" of "B/op", "mb_per_s" of "MB/s".
std::string column_of(const std::string& unit) {
  std::string name = unit == "ns/op"          ? "time"
                     : unit.starts_with("B/") ? "bytes" + unit.substr(1)
                                              : folded(unit);
  if (const std::size_t slash = name.find('/'); slash != std::string::npos)
    name.replace(slash, 1, "_per_");
  return name;
}

/// nullopt for all other lines, such as those of -v and of the program itself.
std::optional<GoResult> result_in(std::string_view line) {
  const std::vector<std::string> words = words_of_line(line);
  if (!line.starts_with(kPrefix) || words.size() < 4 || words.size() % 2 != 0 ||
      !is_whole_number(words[1]))
    return std::nullopt;
  GoResult out{.name = words[0].substr(kPrefix.size())};
  for (std::size_t i = 2; i < words.size(); i += 2) {
    const std::string& unit = words[i + 1];
    if (!parse_number(words[i]) || parse_number(unit))
      return std::nullopt;
    add_cell(column_of(unit), words[i] + (unit == "ns/op" ? "ns" : ""), {}, out.measured);
  }
  add_cell("iterations", words[1], {}, out.measured);
  if (const std::size_t dash = out.name.rfind('-');
      dash != std::string::npos && is_whole_number(out.name.substr(dash + 1))) {
    out.processors = out.name.substr(dash + 1);
    out.name.resize(dash);
  }
  return out;
}

/// The benchmark and the parts of its name: "n" of "n=100", "arg1" of "100", "case1" of others.
RowCells settings_of(const GoResult& result) {
  std::string_view rest = result.name;
  RowCells row{{"benchmark", std::string(rest.substr(0, rest.find('/')))}};
  std::size_t arguments = 0;
  std::size_t cases = 0;
  for (std::size_t slash = rest.find('/'); slash != rest.npos; slash = rest.find('/')) {
    rest.remove_prefix(slash + 1);
    const std::string part(rest.substr(0, rest.find('/')));
    const std::size_t equals = part.find('=');
    if (equals != part.npos && equals > 0)
      add_cell(part.substr(0, equals), part.substr(equals + 1), result.measured, row);
    else if (parse_number(part))
      add_cell(fmt::format("arg{}", ++arguments), part, result.measured, row);
    else
      add_cell(fmt::format("case{}", ++cases), part, result.measured, row);
  }
  return row;
}

}  // namespace

bool is_go_benchmark(std::string_view beginning) {
  for (std::size_t line = 0; line < kFirstLines && !beginning.empty(); ++line)
    if (result_in(take_line(beginning)))
      return true;
  return false;
}

NamedRows read_go_benchmark(std::string_view bytes) {
  std::vector<GoResult> results;
  std::string package;
  while (!bytes.empty()) {
    const std::string_view line = take_line(bytes);
    if (line.starts_with("pkg:"))
      package = trimmed(line.substr(4), " \t\r");
    if (auto result = result_in(line)) {
      result->package = package;
      results.push_back(*std::move(result));
    }
  }
  const bool has_packages = std::ranges::any_of(
      results, [&](const GoResult& result) { return result.package != results[0].package; });
  const bool has_processors = std::ranges::any_of(
      results, [](const GoResult& result) { return !result.processors.empty(); });
  NamedRows rows;
  for (const GoResult& result : results) {
    RowCells row = settings_of(result);
    if (has_packages)
      add_cell("package", result.package, result.measured, row);
    if (has_processors)
      add_cell("gomaxprocs", result.processors.empty() ? "1" : result.processors, result.measured,
               row);
    for (const auto& [column, text] : result.measured) {
      rows.add_result(column);
      row.emplace_back(column, text);
    }
    rows.add(row);
  }
  return rows;
}

}  // namespace perfmodel
