#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/fit.hpp"
#include "roles/cut_runs.hpp"
#include "sources/csv.hpp"
#include "sources/source.hpp"
#include "storage/files.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

/// True if both paths are the same existing file, possibly through links.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code no_matter;
  return a == b || (a != "-" && b != "-" && std::filesystem::equivalent(a, b, no_matter));
}

void refuse_second(const std::string& path, const std::vector<std::string>& paths) {
  for (const std::string& other : paths) {
    if (&other == &path || !is_same_file(path, other))
      continue;
    throw UsageError("'" + path + "' is given twice" +
                     (path == other ? "" : ", also as '" + other + "'"));
  }
}

/// Appends those words that `known` does not have.
void add_new(const std::vector<std::string>& words, std::vector<std::string>& known) {
  for (const std::string& word : words)
    if (!contains(known, word))
      known.push_back(word);
}

/// The files as CSV, in their order. Throws UsageError if one is given twice.
std::vector<SourceText> read_sources(const std::vector<std::string>& paths,
                                     const InputOptions& input) {
  std::vector<SourceText> files;
  for (const std::string& path : paths) {
    refuse_second(path, paths);
    files.push_back(read_source(path, input));
  }
  return files;
}

std::vector<CsvText> csv_texts_of(const std::vector<SourceText>& files) {
  return mapped(
      files,
      [](const SourceText& file) {
        return CsvText{file.csv, file.source, 0, file.read_as.decimal, file.read_as.separator};
      });
}

/// What the files say besides their rows.
RunsFile without_rows(const std::vector<SourceText>& files) {
  RunsFile out;
  out.reading.input = files.front().read_as;
  for (const SourceText& file : files) {
    add_new(file.results, out.results);
    add_new(file.notices, out.notices);
    add_new(file.described, out.described);
  }
  return out;
}

/// The options by which files would be read as in a fit; empty if it recognised all.
std::string options_of(const ReadingRules& reading) {
  std::vector<std::string> words;
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (!value.empty())
      words.push_back(flag + " " + shell_word(value));
  };
  const InputOptions& input = reading.input;
  add("--separator", std::string(input.separator ? 1 : 0, input.separator.value_or(' ')));
  add("--decimal", std::string(input.decimal ? 1 : 0, input.decimal.value_or(' ')));
  add("--input-format", input.format ? std::string(to_text(*input.format)) : "");
  add("--table", input.table);
  add("--sql", input.sql);
  for (const FactsFile& facts : input.facts)
    add("--facts", facts.column + "=" + facts.path);
  add("--status", reading.status.value_or(""));
  add("--limit", reading.limit.value_or(""));
  return joined(words, " ");
}

}  // namespace

void append_facts(const std::set<std::string>& text_columns, RunsFile& runs) {
  InputOptions& input = runs.reading.input;
  const std::shared_ptr<const InputOptions> of_fit = std::exchange(input.of_fit, nullptr);
  const auto append = [&](FactsFile& facts, bool is_asked) {
    SourceText text = facts.csv.empty() ? read_source(facts.path, {})
                                        : SourceText{.csv = facts.csv, .source = facts.path};
    add_new(text.notices, runs.notices);
    const Table known =
        parse_csv(std::array{CsvText{text.csv, text.source}}, text_columns, std::nullopt);
    facts = {facts.column, base_name(facts.path), std::move(text.csv)};
    const bool is_known = std::ranges::any_of(known.columns, [&](const Column& fact) {
      return fact.name != facts.column && runs.table.find(fact.name) != nullptr;
    });
    if (!is_asked && (is_known || runs.table.find(facts.column) == nullptr))
      return;
    runs.table = with_facts(std::move(runs.table), facts.column, known);
    runs.described.push_back(facts.column);
  };
  for (FactsFile& facts : input.facts)
    append(facts, true);
  for (FactsFile facts : of_fit ? of_fit->facts : std::vector<FactsFile>())
    if (!contains(mapped(input.facts, &FactsFile::column), facts.column)) {
      append(facts, false);
      input.facts.push_back(std::move(facts));
    }
}

ReadingRules rules_as_in_fit(ReadingRules asked, const ReadingRules& of_fit) {
  asked.input.of_fit = std::make_shared<const InputOptions>(of_fit.input);
  if (asked.failed == FailedRunsAre::told)
    asked.failed = of_fit.failed;
  for (const auto member : {&ReadingRules::limit, &ReadingRules::status})
    if (!(asked.*member))
      asked.*member = of_fit.*member;
  return asked;
}

RunsFile read_further_runs(const std::vector<std::string>& paths,
                           const std::set<std::string>& text_columns, const ReadingRules& asked,
                           const ReadingRules& of_fit, const ReadProgress& progress) {
  ReadingRules rules = rules_as_in_fit(asked, of_fit);
  RunsFile out = read_runs(paths, text_columns, rules.input, progress);
  rules.input = out.reading.input;
  out.reading = std::move(rules);
  if (asked.status && out.table.find(*asked.status) == nullptr)
    throw UsageError("--status: " + out.table.no_column(*asked.status));
  if (const std::string words = options_of(of_fit); !words.empty())
    out.notices.push_back("The runs are read as those of the fit, " + words +
                          ", unless options say otherwise.");
  return out;
}

RunsFile read_runs(const std::string& path, const std::set<std::string>& text_columns,
                   const InputOptions& input, const ReadProgress& progress) {
  return read_runs(std::vector{path}, text_columns, input, progress);
}

RunsFile read_runs(const std::vector<std::string>& paths, const std::set<std::string>& text_columns,
                   const InputOptions& input, const ReadProgress& progress) {
  std::vector<SourceText> files = read_sources(paths, input);
  RunsFile runs = without_rows(files);
  runs.table = parse_csv(csv_texts_of(files), text_columns, std::nullopt, progress);
  if (paths.size() == 1) {
    runs.path = paths.front();
    runs.bytes = std::move(files.front().csv);
    runs.sha256 = std::move(files.front().sha256);
  } else {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const SourceText& file = files[i];
      names.push_back(base_name(paths[i]));
      runs.files.push_back({names[i], 0, file.sha256.empty() ? sha256(file.csv) : file.sha256});
      runs.bytes += file.csv;
    }
    runs.path = joined(names, ", ");
  }
  runs.reading.input.facts = input.facts;
  runs.reading.input.of_fit = input.of_fit;
  append_facts(text_columns, runs);
  return runs;
}

WrittenRuns read_as_written(const std::vector<std::string>& paths, const InputOptions& input) {
  const std::vector<SourceText> files = read_sources(paths, input);
  WrittenRuns out{without_rows(files)};
  auto [table, cells] = parse_csv_with_cells(csv_texts_of(files), std::nullopt);
  out.runs.table = std::move(table);
  out.cells = std::move(cells);
  out.runs.reading.input.facts = input.facts;
  append_facts({}, out.runs);
  return out;
}

std::optional<std::string> reading_notice(const Table& table) {
  std::vector<std::string> sentences;
  if (const std::string& number = table.style.decimal_comma; !number.empty()) {
    std::string read = number;
    read[read.find(',')] = '.';
    sentences.push_back(
        fmt::format("Commas in numbers are decimal commas: \"{}\" is {}.", number, read));
  }
  if (const auto& thousands = table.style.thousands; !thousands.empty())
    sentences.push_back("Marks of thousands are removed: " + enumerated(thousands, 6) + ".");
  return sentences.empty() ? std::nullopt : std::optional(joined(sentences, " "));
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Provenance provenance_of(const RunsFile& runs, const Roles& roles) {
  Provenance out{"perfmodel " PERFMODEL_VERSION,
                 runs.files.empty() ? base_name(runs.path) : runs.path,
                 runs.table.rows(),
                 runs.sha256.empty() && !runs.bytes.empty() ? sha256(runs.bytes) : runs.sha256,
                 roles.notices,
                 runs.files,
                 runs.failed,
                 {},
                 roles.left_out,
                 roles.doubts,
                 runs.reading};
  for (const std::uint32_t file : runs.table.file)
    ++out.files[file].rows;
  return out;
}

std::set<std::string> categorical_columns(const ModelSpec& spec) {
  const std::vector<std::string> columns = mapped(spec.categorical, &CategoricalInput::column);
  return {columns.begin(), columns.end()};
}

}  // namespace perfmodel
