#include <fmt/core.h>
#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "import/readers.hpp"
#include "perfmodel/error.hpp"

// The text that `go test -bench` prints.
namespace perfmodel {
namespace {

constexpr std::string_view kPrefix = "Benchmark";
constexpr std::size_t kFirstLines = 100;

/// "BenchmarkSub/n=100-4  20000000  78.8 ns/op  0 B/op".
struct GoResult {
  std::string name;          ///< without the prefix and the number of processors
  std::string processors{};  ///< empty if it is 1, which Go does not print
  RowCells measured{};
  std::string package{};
  bool has_remark = false;  ///< other words on its lines
};

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

constexpr std::string_view kTime = "ns/op";

/// Also a metric without a value.
bool is_go_number(const std::string& word) {
  return parse_number(word) || word == "NaN" || word.ends_with("Inf");
}

bool is_go_unit(const std::string& word) {
  return !is_go_number(word) && word.find_first_not_of("0123456789.+-") != word.npos;
}

bool is_go_name(std::string_view word) {
  return word.starts_with(kPrefix) && word.size() > kPrefix.size() &&
         !(word[kPrefix.size()] >= 'a' && word[kPrefix.size()] <= 'z');
}

/// The words of results: the iterations, and pairs of a number and its unit, of which the time is
/// the first. The program may have printed others around them.
struct GoWords {
  std::size_t begin;
  std::size_t end;
};

std::vector<GoWords> results_in(const std::vector<std::string>& words, std::size_t first) {
  std::vector<GoWords> out;
  for (std::size_t i = first; i + 2 < words.size(); ++i) {
    if (!is_whole_number(words[i]) || !is_go_number(words[i + 1]) ||
        (words[i + 2] != kTime && i > first))
      continue;
    std::size_t end = i + 1;
    while (end + 1 < words.size() && is_go_number(words[end]) && is_go_unit(words[end + 1]))
      end += 2;
    if (end > i + 1 && (words[i + 2] == kTime || end == words.size()))
      out.push_back({i, end});
  }
  return out;
}

/// Whether a time stands in a line.
bool has_time(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i] == kTime && is_go_number(words[i - 1]))
      return true;
  return false;
}

/// The result of a line that has one; metrics without a value are left out.
GoResult result_of(const std::string& name, const std::vector<std::string>& words,
                   const GoWords& at) {
  GoResult out{.name = name.substr(kPrefix.size())};
  for (std::size_t i = at.begin + 1; i < at.end; i += 2)
    if (parse_number(words[i]))
      add_cell(column_of(words[i + 1]), words[i] + (words[i + 1] == kTime ? "ns" : ""), {},
               out.measured);
  add_cell("iterations", words[at.begin], {}, out.measured);
  return out;
}

/// The results of a file, also of lines on which the program printed something.
class GoReader {
 public:
  explicit GoReader(const std::string& source) : source_(source) {}

  void read_line(std::string_view line);
  std::vector<GoResult> take() && { return std::move(results_); }

 private:
  const std::string& source_;
  std::string package_;
  std::string name_;  ///< of the benchmark whose results are still to come
  std::size_t line_ = 0;
  std::vector<GoResult> results_;
};

void GoReader::read_line(std::string_view line) {
  ++line_;
  if (line.starts_with("pkg:"))
    package_ = trimmed(line.substr(4), " \t\r");
  const std::vector<std::string> words = words_of_line(line);
  if (words.empty())
    return;
  const bool has_name = line.starts_with(kPrefix) && is_go_name(words[0]);
  if (has_name)
    name_ = words[0];
  const std::size_t first = has_name ? 1 : 0;
  const auto found =
      has_name || has_time(words) ? results_in(words, first) : std::vector<GoWords>();
  if (found.empty() && !has_time(words))
    return;
  if (found.size() != 1 || name_.empty())
    throw InputError(
        fmt::format("{}:{}: {} has a time, but not as Go's benchmarks print it: a name, the "
                    "iterations, numbers "
                    "with their units; remove what the program printed there, or the line",
                    source_, line_, quoted_cell(trimmed(line, " \t\r"))));
  results_.push_back(result_of(std::exchange(name_, ""), words, found[0]));
  results_.back().package = package_;
  results_.back().has_remark = found[0].begin > first || found[0].end < words.size() || !has_name;
}

/// Splits "Sort/n=100-4", where that is the number of processors: Go appends it to all names unless
/// it is 1. In "Sort/n-1000" it may be a part of the name; names that cannot have such a part tell
/// which, or else that all numbers are alike.
void split_processors(std::vector<GoResult>& results) {
  const auto dash_in = [](const std::string& name) {
    const std::size_t dash = name.rfind('-');
    return dash != name.npos && is_whole_number(name.substr(dash + 1)) ? dash : name.npos;
  };
  std::set<std::string> suffixes;
  std::set<std::string> bare;
  bool is_certain = false;
  bool has_none = false;
  for (const GoResult& result : results) {
    const std::size_t dash = dash_in(result.name);
    const std::size_t slash = result.name.rfind('/');
    const std::string before = result.name.substr(0, dash);
    const std::string part = slash == before.npos ? "" : before.substr(slash + 1);
    if (dash == result.name.npos) {
      has_none = true;
      bare.insert(result.name);
      continue;
    }
    suffixes.insert(result.name.substr(dash + 1));
    is_certain |= slash == before.npos || parse_number(part) || contains(part, '=') ||
                  dash_in(before) != before.npos;
  }
  const bool are_alike = suffixes.size() == 1 && !has_none;
  for (GoResult& result : results) {
    const std::size_t dash = dash_in(result.name);
    if (dash == result.name.npos ||
        !(is_certain || are_alike || bare.contains(result.name.substr(0, dash))))
      continue;
    result.processors = result.name.substr(dash + 1);
    result.name.resize(dash);
  }
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
  for (std::size_t line = 0; line < kFirstLines && !beginning.empty(); ++line) {
    const std::string_view text = take_line(beginning);
    const std::vector<std::string> words = words_of_line(text);
    if (text.starts_with(kPrefix) && is_go_name(words[0]) && !results_in(words, 1).empty())
      return true;
  }
  return false;
}

NamedRows read_go_benchmark(std::string_view bytes, const std::string& source,
                            const InputOptions&) {
  GoReader reader(source);
  while (!bytes.empty())
    reader.read_line(take_line(bytes));
  std::vector<GoResult> results = std::move(reader).take();
  split_processors(results);
  const auto has = [&](const auto& seen) { return std::ranges::any_of(results, seen); };
  const bool has_packages =
      has([&](const GoResult& result) { return result.package != results[0].package; });
  const bool has_processors =
      has([](const GoResult& result) { return !result.processors.empty(); });
  NamedRows rows;
  if (const auto remarks = to_size(std::ranges::count(results, true, &GoResult::has_remark));
      remarks > 0)
    rows.add_notice(fmt::format("{}: what the program printed within {} is not read.", source,
                                counted_noun(remarks, "result")));
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
