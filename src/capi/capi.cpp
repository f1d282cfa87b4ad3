#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/app.hpp"
#include "cli/certainty.hpp"
#include "fit/fit.hpp"
#include "list.hpp"
#include "perfmodel.h"
#include "perfmodel/fit.hpp"
#include "report/model_json.hpp"
#include "sources/csv.hpp"

struct perfmodel_table {
  perfmodel::Table table;
};

struct perfmodel_model {
  perfmodel::FittedModel model;
  std::string warnings{};  ///< of the fit about the runs, a sentence per line
};

namespace {

using namespace perfmodel;

thread_local std::string last_error;
thread_local int last_status = PERFMODEL_DONE;

int failed(int status, const char* message) {
  last_status = status;
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();
  }
  return status;
}

/// Calls a function that may throw; returns the status, with the message of an error stored.
template <class Function>
int guarded(const Function& function) noexcept {
  last_error.clear();
  last_status = PERFMODEL_DONE;
  try {
    add_tools();
    function();
    return PERFMODEL_DONE;
  } catch (const UsageError& error) {
    return failed(PERFMODEL_WRONG_USAGE, error.what());
  } catch (const InputError& error) {
    return failed(PERFMODEL_BAD_INPUT, error.what());
  } catch (const Interrupted& error) {
    return failed(PERFMODEL_CANCELLED, error.what());
  } catch (const std::bad_alloc&) {
    return failed(PERFMODEL_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return failed(PERFMODEL_INTERNAL_ERROR, error.what());
  } catch (...) {
    return failed(PERFMODEL_INTERNAL_ERROR, "unknown error");
  }
}

const char* required(const void* pointer, const char* name) {
  if (pointer == nullptr)
    throw UsageError(std::string(name) + " is NULL");
  return name;
}

/// The name of a new column, which is appended when it is complete.
std::string new_name(const perfmodel_table* table, const char* name, const void* values) {
  required(table, "table");
  required(name, "name");
  required(values, "the column");
  if (*name == '\0')
    throw UsageError("the name of a column is empty");
  if (table->table.find(name) != nullptr)
    throw UsageError("two columns are called '" + std::string(name) + "'");
  return name;
}

/// Whether all texts of a column are numbers, by which its owner means levels.
bool holds_written_levels(const Column& column) {
  return std::ranges::all_of(
      column.levels,
      [](const std::string& text) { return text.empty() || parse_number(text).has_value(); });
}

/// The table as a CSV file; blank cells are quoted, so that no line is blank.
std::string csv_of(const Table& table) {
  std::string out = csv_line(table.names());
  for (std::size_t row = 0; row < table.rows(); ++row)
    for (const Column& column : table.columns) {
      std::string cell = column.text(row);
      std::ranges::replace_if(
          cell, [](char c) { return c == '\n' || c == '\r'; }, ' ');
      out += cell.empty() ? "\"\"" : csv_field(cell);
      out += &column == &table.columns.back() ? '\n' : ',';
    }
  return out;
}

/// Calls a function with the table as a CSV file of its cells would be read, `texts` being levels;
/// copies the table only if that differs. `used`: by names of columns, whether they matter.
template <class Function>
void with_cells_read(const Table& given, std::set<std::string> texts,
                     const std::function<bool(const std::string& column)>& used,
                     const Function& function) {
  bool has_levels = false;
  bool has_cells = false;
  for (const Column& column : given.columns) {
    has_levels |= column.is_numeric() && texts.contains(column.name);
    if (column.is_numeric() || texts.contains(column.name))
      continue;
    if (holds_written_levels(column))
      texts.insert(column.name);
    else
      has_cells |= used(column.name);
  }
  if (has_cells || has_levels)
    function(parse_csv(csv_of(given), given.source, texts, ','));
  else
    function(given);
}

std::string word_of(const std::string& name, const nlohmann::json& value) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_number_integer())
    return value.dump();
  if (value.is_number())
    return to_text(value.get<double>());
  throw UsageError("option '" + name + "': expected a text, a number, true, false or a list");
}

void add_list(const std::string& name, const std::string& flag, const nlohmann::json& list,
              std::vector<std::string>& words) {
  const std::vector<std::string> values =
      mapped(list, [&](const auto& value) { return word_of(name, value); });
  if (name == "derive" || name == "bounds" || name == "per") {
    for (const std::string& value : values)
      words.push_back(flag + "=" + value);
    return;
  }
  const bool may_be_none = name == "extrinsic" || name == "intrinsic";
  if (!values.empty() || may_be_none)
    words.push_back(flag + "=" + (values.empty() ? "none" : joined(values, ",")));
}

/// Takes the tables about texts out of the options: {"facts": {"device": "device,bandwidth\n..."}}.
std::vector<FactsFile> take_facts(nlohmann::json& options) {
  std::vector<FactsFile> out;
  const auto facts = options.find("facts");
  if (facts == options.end())
    return out;
  if (!facts->is_object())
    throw UsageError("option 'facts': expected an object of tables as CSV");
  for (const auto& [column, table] : facts->items())
    out.push_back({column, "the facts of '" + column + "'", word_of("facts", table)});
  options.erase(facts);
  return out;
}

/// The words of the command line that set the fields of a JSON object: {"l2": 0.1, "folds": "all"}
/// gives "--l2=0.1" and "--folds=all". True sets a flag; false and null set nothing. Lists are
/// joined by commas, or repeat an option that may be repeated.
///
/// Throws UsageError for values of other types.
std::vector<std::string> words_of_options(const nlohmann::json& options) {
  std::vector<std::string> words;
  for (const auto& [name, value] : options.items()) {
    std::string flag = name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    flag.insert(0, "--");
    if (value.is_array())
      add_list(name, flag, value, words);
    else if (value.is_boolean() && value.get<bool>())
      words.push_back(flag);
    else if (!value.is_boolean() && !value.is_null())
      words.push_back(flag + "=" + word_of(name, value));
  }
  return words;
}

/// What the threads of a fit report and the caller is told.
struct Reported {
  std::mutex mutex;
  const char* stage = to_text(FitStage::fits).data();
  std::size_t done = 0;
  std::size_t all = 0;
};

/// Fits in a thread of its own, while this one asks the caller whether to go on.
FitOutcome watched_fit(RunsFile runs, FitRequest request, perfmodel_progress progress, void* user) {
  Reported reported;
  std::stop_source stop;
  request.options.stop = stop.get_token();
  request.progress = [&](FitStage stage, std::size_t done, std::size_t all) {
    const std::lock_guard lock(reported.mutex);
    reported.stage = to_text(stage).data();
    reported.done = done;
    reported.all = all;
  };
  auto result = std::async(std::launch::async, [&] { return fit_runs(std::move(runs), request); });
  constexpr auto pause = std::chrono::milliseconds(50);
  while (progress != nullptr && result.wait_for(pause) != std::future_status::ready) {
    std::unique_lock lock(reported.mutex);
    const auto [stage, done, all] = std::tuple(reported.stage, reported.done, reported.all);
    lock.unlock();
    if (progress(user, stage, done, all) != 0)
      stop.request_stop();
  }
  FitOutcome outcome = result.get();
  if (outcome.interrupted)
    throw Interrupted();
  return outcome;
}

/// The rows as runs, with the facts that are given and those of the model that reads them.
RunsFile with_facts_of(Table rows, std::vector<FactsFile> facts, const FittedModel* model,
                       const std::set<std::string>& texts) {
  RunsFile out{.path = rows.source, .bytes = {}, .table = std::move(rows)};
  out.reading.input.facts = std::move(facts);
  if (model != nullptr)
    out.reading.input.of_fit =
        std::make_shared<const InputOptions>(model->provenance.reading.input);
  append_facts(texts, out);
  return out;
}

/// Writes the times and, if asked for, the ends of their intervals.
void predict_rows(const FittedModel& fitted, const Table& rows, double coverage, double* times,
                  double* lower, double* upper) {
  const Design design = make_design(rows, fitted.spec, Target::absent);
  const Eigen::VectorXd values = predict(fitted, design);
  Eigen::VectorXd::Map(times, values.size()) = values;
  if (lower == nullptr && upper == nullptr)
    return;
  required(lower, "lower");
  required(upper, "upper");
  const auto certainty = cli::certainty_of(
      fitted, coverage > 0 ? std::optional(coverage) : std::nullopt, "model", design);
  if (!certainty.intervals)
    throw InputError("the model holds no prediction intervals");
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const Interval ends = (*certainty.intervals)[row].around(times[row]);
    lower[row] = ends.low;
    upper[row] = ends.high;
  }
}

}  // namespace

const char* perfmodel_version(void) {
  const char* out = "";
  guarded([&] {
    static const std::string version = cli::version_json();
    out = version.c_str();
  });
  return out;
}

const char* perfmodel_last_error(void) {
  return last_error.c_str();
}

int perfmodel_last_status(void) {
  return last_status;
}

perfmodel_table* perfmodel_table_new(size_t rows) {
  std::unique_ptr<perfmodel_table> out;
  guarded([&] {
    if (rows > std::numeric_limits<std::uint32_t>::max())
      throw UsageError("a table has at most 4294967295 rows");
    out = std::make_unique<perfmodel_table>();
    out->table.source = "table";
    out->table.lines.resize(rows);
    std::iota(out->table.lines.begin(), out->table.lines.end(), 2U);  // as in a file with a header
  });
  return out.release();
}

int perfmodel_table_add_numbers(perfmodel_table* table, const char* name, const double* numbers) {
  return guarded([&] {
    Column column;
    column.name = new_name(table, name, numbers);
    column.numbers.assign(numbers, numbers + table->table.rows());
    for (std::size_t row = 0; row < column.numbers.size(); ++row)
      if (!std::isfinite(column.numbers[row])) {
        column.bad_cells.push_back({row, std::isnan(column.numbers[row]) ? "" : "inf"});
        column.numbers[row] = std::nan("");
      }
    table->table.columns.push_back(std::move(column));
  });
}

int perfmodel_table_add_texts(perfmodel_table* table, const char* name, const uint32_t* codes,
                              const char* const* levels, size_t level_count) {
  return guarded([&] {
    required(levels, "levels");
    for (std::size_t i = 0; i < level_count; ++i)
      required(levels[i], "a level");
    ColumnBuilder column(new_name(table, name, codes), ColumnBuilder::Kind::text);
    for (std::size_t row = 0; row < table->table.rows(); ++row) {
      if (codes[row] >= level_count)
        throw UsageError("column '" + column.name() +
                         "': a code is not below the number of levels");
      column.add(levels[codes[row]]);
    }
    table->table.columns.push_back(std::move(column).take());
  });
}

void perfmodel_table_free(perfmodel_table* table) {
  delete table;
}

perfmodel_model* perfmodel_fit(const perfmodel_table* table, const char* options,
                               perfmodel_progress progress, void* user) {
  std::unique_ptr<perfmodel_model> out;
  guarded([&] {
    required(table, "table");
    if (table->table.rows() == 0)
      throw InputError("the table has no rows");
    auto asked = nlohmann::json::parse(options == nullptr ? "{}" : options, nullptr, false);
    if (!asked.is_object())
      throw UsageError("the options are no JSON object");
    const std::vector<FactsFile> facts = take_facts(asked);
    const FitRequest request = cli::fit_request(words_of_options(asked));
    const auto& names = request.roles.categorical;
    const FittedModel* const earlier = request.options.earlier();
    std::set<std::string> texts(names.begin(), names.end());
    if (earlier != nullptr)
      texts.merge(categorical_columns(earlier->spec));
    const auto all = [](const std::string&) { return true; };
    with_cells_read(table->table, texts, all, [&](const Table& rows) {
      FitOutcome outcome =
          watched_fit(with_facts_of(rows, facts, earlier, texts), request, progress, user);
      out = std::make_unique<perfmodel_model>(
          perfmodel_model{std::move(outcome.model), joined(outcome.warnings, "\n")});
    });
  });
  return out.release();
}

perfmodel_model* perfmodel_model_from_json(const char* text) {
  std::unique_ptr<perfmodel_model> out;
  guarded([&] {
    required(text, "text");
    out = std::make_unique<perfmodel_model>(
        perfmodel_model{read_model(JsonCursor::parse("model", text), form_kinds())});
  });
  return out.release();
}

char* perfmodel_model_to_json(const perfmodel_model* model) {
  std::unique_ptr<char[]> out;
  guarded([&] {
    required(model, "model");
    const std::string text = to_json(model->model);
    out = std::make_unique<char[]>(text.size() + 1);
    std::memcpy(out.get(), text.c_str(), text.size() + 1);
  });
  return out.release();
}

const char* perfmodel_model_warnings(const perfmodel_model* model) {
  return model == nullptr ? "" : model->warnings.c_str();
}

void perfmodel_model_free(perfmodel_model* model) {
  delete model;
}

void perfmodel_text_free(char* text) {
  delete[] text;
}

int perfmodel_predict(const perfmodel_model* model, const perfmodel_table* table, double coverage,
                      double* times, double* lower, double* upper) {
  return guarded([&] {
    required(model, "model");
    required(table, "table");
    required(times, "times");
    const FittedModel& fitted = model->model;
    if (!(coverage >= 0 && coverage < 1))
      throw UsageError("the coverage is not in (0, 1)");
    const std::vector<std::string> inputs = required_columns(fitted.spec);
    const std::set<std::string> texts = categorical_columns(fitted.spec);
    with_cells_read(
        table->table, texts, [&](const std::string& column) { return contains(inputs, column); },
        [&](const Table& rows) {
          if (fitted.provenance.reading.input.facts.empty())
            predict_rows(fitted, rows, coverage, times, lower, upper);
          else
            predict_rows(fitted, with_facts_of(rows, {}, &fitted, texts).table, coverage, times,
                         lower, upper);
        });
  });
}

int perfmodel_run(int argc, const char* const* argv) {
  int code = PERFMODEL_INTERNAL_ERROR;
  std::string message;
  const int status = guarded([&] {
    required(argv, "argv");
    code = cli::run_embedded(argc, argv, message);
  });
  if (status != PERFMODEL_DONE)
    return status;
  return code == 0 ? 0 : failed(code, message.c_str());
}
