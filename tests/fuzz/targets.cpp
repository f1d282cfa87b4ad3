#include "fuzz/targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/random.hpp"
#include "fit/fit.hpp"
#include "fuzz/command_lines.hpp"
#include "fuzz/generated_code.hpp"
#include "fuzz/kernels.hpp"
#include "fuzz/slow_readers.hpp"
#include "import/readers.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/export.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "report/model_json.hpp"
#include "report/model_set.hpp"
#include "sources/source.hpp"
#include "ssgd/ssgd.hpp"
#include "suggest/plan.hpp"
#include "suggest/suggest_documents.hpp"
#include "table/formula.hpp"

namespace perfmodel::fuzz {

void require(bool holds, const std::string& property) {
  if (!holds)
    throw std::logic_error(property);
}

namespace {

/// The cell with a decimal point in place of a decimal comma, if it is a number with one.
std::string with_decimal_point(const std::string& cell) {
  std::string out = cell;
  const std::size_t comma = out.find(',');
  if (comma == std::string::npos || out.find('.') != std::string::npos)
    return cell;
  out[comma] = '.';
  char* end = nullptr;
  std::strtod(out.c_str(), &end);
  return end == out.c_str() + out.size() ? out : cell;
}

/// Every cell of the table is what the slow reader finds in the file.
void read_runs_file(std::string_view bytes) {
  const Table table = parse_csv(bytes, "runs.csv");
  SlowTable slow = read_slowly(bytes, table.style.separator);
  if (!slow.header.empty() && slow.header.front().empty())  // the unnamed index of a data frame
    slow.header.front() = table.columns.front().name;
  require(table.names() == slow.header, "names of columns");
  require(table.rows() == slow.rows.size(), "number of rows");
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    for (std::size_t row = 0; row < table.rows(); ++row) {
      std::string cell = slow.rows[row][c];
      if (!table.style.decimal_comma.empty())
        cell = with_decimal_point(cell);
      require(table.lines[row] == slow.lines[row], "line of a row");
      if (!column.unit.empty()) {
        const auto quantity = quantity_slowly(cell);
        if (quantity && quantity->second == column.unit)
          require(
              std::abs(quantity->first - column.numbers[row]) <= 1e-12 * std::abs(quantity->first),
              "a quantity");
      } else if (!column.is_numeric()) {
        require(column.levels[column.codes[row]] == cell, "a text");
      } else if (!std::isnan(column.numbers[row])) {  // else a bad cell
        require(std::strtod(cell.c_str(), nullptr) == column.numbers[row], "a number");
      }
    }
  }
}

/// What was joined is a table, and joining changes it no more. Of a table that is not one of jobs,
/// only the separators at the ends of lines are removed, and then there is nothing to join.
void read_job_table(std::string_view bytes) {
  const auto joined = joined_job_table(bytes, "jobs.txt");
  if (!joined)
    throw InputError("no table of jobs");
  const std::string_view header = bytes.substr(0, bytes.find('\n'));
  const bool had_separators = header.ends_with('|') || header.ends_with("|\r");
  const auto again = joined_job_table(*joined, "jobs.txt");
  require(again == *joined || (had_separators && !again), "a table of jobs that is joined again");
  parse_csv(*joined, "jobs.txt");
}

/// Runs in JSON become a CSV with a line per run, unless the CSV is refused for its names or texts.
void read_json_runs(std::string_view bytes) {
  const NamedRows rows = read_json(bytes, "runs.json", {});
  if (rows.empty())
    return;
  const std::string csv = rows.csv();
  const Table table = parse_csv(csv, "runs.csv", {}, ',');
  const auto lines = static_cast<std::size_t>(std::ranges::count(csv, '\n'));
  require(table.rows() < lines, "rows of runs");
  require(table.columns.size() == 1 || table.rows() + 1 == lines, "a row per run");
}

/// A model that can be read is written so that it is read as the same.
void read_model_file(std::string_view bytes) {
  const auto read = [](std::string_view text) {
    return read_model(JsonCursor::parse("model.json", text), form_kinds());
  };
  const std::string written = to_json(read(bytes));
  require(to_json(read(written)) == written, "a model that is written and read");
}

/// What was read is a CSV file.
void use_rows(const NamedRows& rows) {
  if (!rows.empty())
    parse_csv(rows.csv(), "runs");
}

void read_extrap_runs(std::string_view bytes) {
  if (is_extrap_text(bytes))
    return use_rows(read_extrap_text(bytes, "runs"));
  const JsonCursor document = JsonCursor::parse("runs", bytes);
  if (const auto rows = extrap_rows({&document, 1}))
    use_rows(*rows);
}

/// The first byte is not the database's: it chooses between the schemas and a query.
void read_sqlite_runs(std::string_view bytes) {
  InputOptions options;
  if (bytes.starts_with('q'))
    options.sql = "select * from studies";
  if (!bytes.empty())
    use_rows(read_sqlite(bytes.substr(1), "runs", options));
}

void read_set_file(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos)
    return;
  const ModelSetHeader header = parse_set_header("all.jsonl:1", bytes.substr(0, end));
  const auto line = parse_set_line("all.jsonl:2", bytes.substr(end + 1), header);
  if (!line)
    return;
  const std::string written = to_line(*line, header);
  const auto again = parse_set_line("all.jsonl:2", written, header);
  require(again && to_line(*again, header) == written, "a line that is written and read");
}

void read_space_file(std::string_view bytes) {
  parse_space("space.json", bytes);
}

void read_layers_file(std::string_view bytes) {
  const Table table = parse_csv(bytes, "layers.csv");
  require(ssgd::profile_of(table, {}).gradient_bytes() >= 0, "bytes of gradients");
}

/// Values agree with those of a recursive evaluator that shares no code.
void read_formula(std::string_view bytes) {
  const std::map<std::string, double> values = {
      {"a", 3}, {"b", 0.25}, {"workers", 16}, {"Memory (GiB)", 80}, {"config.gpus", 8}};
  std::vector<std::string> names;
  std::vector<double> numbers;
  for (const auto& [name, number] : values) {
    names.push_back(name);
    numbers.push_back(number);
  }
  TextCodes codes;
  const std::string text(bytes);
  const Formula formula(text, names, codes, "--derive");
  const double value = formula(numbers);
  const std::optional<double> expected = evaluate_slowly(text, values);
  if (!expected || (std::isnan(value) && std::isnan(*expected)))
    return;
  require(value == *expected || std::abs(value - *expected) <= 1e-12 * std::abs(*expected),
          "the value of " + text);
}

/// Models in a file of code: a compiler starts once for them.
constexpr std::size_t kModelsOfFile = 400;

/// The code of models that the bytes choose gives their predictions, in all languages that run.
void read_seed_of_model(std::string_view bytes) {
  static std::vector<GeneratedModel> models;
  std::uint64_t seed = bytes.size();
  for (const char c : bytes)
    seed = splitmix64(seed ^ static_cast<std::uint8_t>(c));
  RandomStream random(seed, "code");
  if (auto model = generated_model(random))
    models.push_back(std::move(*model));
  if (models.size() < kModelsOfFile)
    return;
  for (const FormulaLanguage language :
       {FormulaLanguage::c, FormulaLanguage::python, FormulaLanguage::javascript})
    check_code(models, language);
  models.clear();
}

constexpr Target kTargets[] = {
    {"csv", read_runs_file},
    {"model", read_model_file},
    {"set", read_set_file},
    {"space", read_space_file},
    {"layers", read_layers_file},
    {"formula", read_formula},
    {"kernels", read_kernel_inputs},
    {"code", read_seed_of_model},
    {"command_lines", read_command_line},
    {"jobs", read_job_table},
    {"json_runs", read_json_runs},
    {"extrap_runs", read_extrap_runs},
    {"sqlite_runs", read_sqlite_runs},
};

}  // namespace

std::span<const Target> targets() {
  return kTargets;
}

}  // namespace perfmodel::fuzz
