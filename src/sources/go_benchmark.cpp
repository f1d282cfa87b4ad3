#include <fmt/core.h>
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "sources/readers.hpp"
#include "sources/source.hpp"

// The text that `go test -bench` prints.
namespace perfmodel {
namespace {

constexpr std::string_view kPrefix = "Benchmark";
constexpr std::size_t kFirstLines = 100;

/// "BenchmarkSub/n=100-4  20000000  78.8 ns/op  0 B/op".
struct GoResult {
  std::string name;  ///< without the prefix and the number of processors
  std::string processors{};
  std::string iterations{};
  std::vector<std::pair<std::string, std::string>> values{};  ///< unit, number
  std::string package{};
};

std::vector<std::string> words_of_line(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string> words;
  for (line = trimmed(line, blanks); !line.empty(); line = trimmed(line, blanks)) {
    words.emplace_back(line.substr(0, line.find_first_of(blanks)));
    line.remove_prefix(words.back().size());
  }
  return words;
}

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// nullopt for all other lines, such as those of -v and of the program itself.
std::optional<GoResult> result_in(std::string_view line) {
  if (!line.starts_with(kPrefix))
    return std::nullopt;
  std::vector<std::string> words = words_of_line(line);
  if (words.size() < 4 || words.size() % 2 != 0 || !is_whole_number(words[1]))
    return std::nullopt;
  GoResult out{.name = words[0].substr(kPrefix.size()), .iterations = words[1]};
  for (std::size_t i = 2; i < words.size(); i += 2) {
    if (!parse_number(words[i]) || parse_number(words[i + 1]))
      return std::nullopt;
    out.values.emplace_back(words[i + 1], words[i]);
  }
  if (const std::size_t dash = out.name.rfind('-');
      dash != std::string::npos && is_whole_number(out.name.substr(dash + 1))) {
    out.processors = out.name.substr(dash + 1);
    out.name.resize(dash);
  }
  return out;
}

/// "bytes_per_op" of "B/op", "mb_per_s" of "MB/s".
std::string column_of(const std::string& unit) {
  std::string name = folded(unit.starts_with("B/") ? "bytes" + unit.substr(1) : unit);
  if (const std::size_t slash = name.find('/'); slash != std::string::npos)
    name.replace(slash, 1, "_per_");
  return name;
}

/// Adds a cell; a column whose name another one has ends in '_'.
void add_cell(std::string column, const std::string& text, std::vector<NamedRows::Cell>& row) {
  while (std::ranges::find(row, column, &NamedRows::Cell::first) != row.end())
    column += '_';
  row.emplace_back(column, text);
}

/// The benchmark and the parts of its name: "n" of "n=100", "arg1" of "100", "case1" of others.
void add_name(std::string_view name, std::vector<NamedRows::Cell>& row) {
  row.emplace_back("benchmark", name.substr(0, name.find('/')));
  std::size_t arguments = 0;
  std::size_t cases = 0;
  for (std::size_t slash = name.find('/'); slash != name.npos; slash = name.find('/')) {
    name.remove_prefix(slash + 1);
    const std::string part(name.substr(0, name.find('/')));
    const std::size_t equals = part.find('=');
    if (equals != part.npos && equals > 0)
      add_cell(part.substr(0, equals), part.substr(equals + 1), row);
    else if (parse_number(part))
      add_cell(fmt::format("arg{}", ++arguments), part, row);
    else
      add_cell(fmt::format("case{}", ++cases), part, row);
  }
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
  std::set<std::string> packages;
  while (!bytes.empty()) {
    const std::string_view line = trimmed(take_line(bytes), "\r");
    if (line.starts_with("pkg:"))
      package = trimmed(line.substr(4), " \t");
    if (auto result = result_in(line)) {
      result->package = package;
      packages.insert(package);
      results.push_back(*std::move(result));
    }
  }
  const bool has_processors = std::ranges::any_of(
      results, [](const GoResult& result) { return !result.processors.empty(); });
  NamedRows rows;
  for (const GoResult& result : results) {
    std::vector<NamedRows::Cell> row;
    add_name(result.name, row);
    if (packages.size() > 1)
      add_cell("package", result.package, row);
    if (has_processors)  // Go does not print a single one
      add_cell("gomaxprocs", result.processors.empty() ? "1" : result.processors, row);
    std::vector<NamedRows::Cell> measured;
    for (const auto& [unit, number] : result.values)
      add_cell(unit == "ns/op" ? "time" : column_of(unit), unit == "ns/op" ? number + "ns" : number,
               measured);
    add_cell("iterations", result.iterations, measured);
    for (const auto& [column, text] : measured) {
      rows.add_result(column);
      // An argument may have the name of a result.
      const auto same = std::ranges::find(row, column, &NamedRows::Cell::first);
      if (same != row.end())
        same->first += '_';
      row.emplace_back(column, text);
    }
    rows.add(row);
  }
  return rows;
}

}  // namespace perfmodel
