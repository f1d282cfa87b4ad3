// What a feature costs: the lines and files that name it, and the rules on which of its options do
// not go with others. docs/architecture.md grants each feature so many.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/fit_command.hpp"
#include "cli/option_set.hpp"
#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using Lines = std::vector<std::string>;

namespace {

struct Cost {
  std::size_t lines = 0;
  std::size_t files = 0;
  std::size_t rules = 0;
};

struct GrantedFeature {
  std::string name;
  std::string word;     ///< a regular expression for what names it in the sources
  std::string options;  ///< and one for its options; empty: it has none
  Cost granted;
};

/// The cells of a row of a table in Markdown, without code marks; `\|` is a bar.
Lines cells_of(const std::string& row) {
  Lines out;
  std::string cell;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i] == '|') {
      const auto first = cell.find_first_not_of(' ');
      out.push_back(first == std::string::npos
                        ? ""
                        : cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
      cell.clear();
    } else if (row[i] == '\\' && i + 1 < row.size() && row[i + 1] == '|') {
      cell += row[++i];
    } else if (row[i] != '`') {
      cell += row[i];
    }
  }
  return out;
}

std::vector<GrantedFeature> granted_features(const Lines& page) {
  std::vector<GrantedFeature> out;
  auto line = std::ranges::find(page, "## What features may cost");
  for (; line != page.end() && (out.empty() || line->starts_with("|")); ++line) {
    const Lines cells = line->starts_with("| ") ? cells_of(*line) : Lines{};
    if (cells.size() == 6 && cells[0] != "feature")
      out.push_back({cells[0],
                     cells[1],
                     cells[2],
                     {std::stoul(cells[3]), std::stoul(cells[4]), std::stoul(cells[5])}});
  }
  return out;
}

/// The rules of `fit` on options that do not go together: "--l1 excludes --quantile", and one for
/// each kind of fit that lacks options.
struct RulesOfFit {
  CLI::App app;
  cli::OptionRecords records;
  Lines texts;

  RulesOfFit() {
    cli::OptionSet options(app, records);
    const cli::Command fit = cli::fit_command();
    fit.add_options(options);
    for (const cli::Rule& rule : records.rules[&app])
      texts.push_back(rule.subject.words + (rule.excludes ? " excludes " : " needs ") +
                      rule.other.words);
    for (const cli::Kind& kind : records.kinds[&app])
      texts.push_back(kind.asked.words + " has options of its own");
  }

  bool has(const std::string& flag) const { return app.get_option_no_throw(flag) != nullptr; }
};

/// The texts behind `throw UsageError(` in which at least two options of `fit` are named: rules
/// that were written by hand.
Lines written_rules(const std::vector<Lines>& sources, const RulesOfFit& fit) {
  static const std::regex flag("--[a-z][a-z0-9-]*");
  Lines out;
  for (const Lines& file : sources) {
    const std::string text = test::joined(file);
    for (auto at = text.find("throw UsageError("); at != std::string::npos;
         at = text.find("throw UsageError(", at + 1)) {
      const std::string statement = text.substr(at, text.find(";\n", at) - at);
      std::set<std::string> named;
      for (std::sregex_iterator found(statement.begin(), statement.end(), flag), end; found != end;
           ++found)
        if (fit.has(found->str()))
          named.insert(found->str());
      if (named.size() > 1)
        out.push_back(statement);
    }
  }
  return out;
}

constexpr std::size_t kMostRules = 40;

std::size_t matches(const Lines& lines, const std::regex& word) {
  return static_cast<std::size_t>(std::ranges::count_if(
      lines, [&](const std::string& line) { return std::regex_search(line, word); }));
}

std::vector<Lines> sources_of(const std::filesystem::path& checkout) {
  std::vector<Lines> out;
  for (const char* const top : {"src", "include"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(checkout / top))
      if (const auto kind = entry.path().extension();
          kind == ".cpp" || kind == ".hpp" || kind == ".inc" || kind == ".h")
        out.push_back(test::lines_of(test::read_text(entry.path().string())));
  return out;
}

Cost cost_of(const GrantedFeature& feature, const std::vector<Lines>& sources, const Lines& rules) {
  const std::regex word(feature.word, std::regex::icase | std::regex::optimize);
  Cost out;
  for (const Lines& file : sources) {
    const std::size_t lines = matches(file, word);
    out.lines += lines;
    out.files += lines > 0 ? 1U : 0U;
  }
  if (!feature.options.empty())
    out.rules = matches(rules, std::regex(feature.options));
  return out;
}

}  // namespace

TEST_CASE("features cost no more than is granted to them", "[sources][budget]") {
  const std::vector<GrantedFeature> features = granted_features(
      test::lines_of(test::read_text(PERFMODEL_SOURCE_DIR "/docs/architecture.md")));
  REQUIRE(features.size() > 10);
  const std::vector<Lines> sources = sources_of(PERFMODEL_SOURCE_DIR);
  const RulesOfFit fit;
  const Lines& rules = fit.texts;
  REQUIRE(sources.size() > 200);
  REQUIRE(rules.size() > 20);
  std::printf("%-28s %6s %6s %6s\n", "", "lines", "files", "rules");
  for (const GrantedFeature& feature : features) {
    const Cost cost = cost_of(feature, sources, rules);
    std::printf("%-28s %6zu %6zu %6zu\n", feature.name.c_str(), cost.lines, cost.files, cost.rules);
    CAPTURE(feature.name, cost.lines, cost.files, cost.rules);
    CHECK(cost.lines <= feature.granted.lines);
    CHECK(cost.files <= feature.granted.files);
    CHECK(cost.rules <= feature.granted.rules);
  }
  const Lines written = written_rules(sources, fit);
  std::printf("%zu rules of fit in all, %zu more are written by hand in all commands\n",
              rules.size(), written.size());
  CHECK(rules.size() <= kMostRules);
}

TEST_CASE("what a feature costs is counted", "[sources][budget]") {
  const Lines page = {"## What features may cost",
                      "",
                      "| feature | word | options | lines | files | rules |",
                      "|---|---|---|---|---|---|",
                      "| bounds | `quantile\\|bound` | `--quantile` | 3 | 2 | 1 |",
                      "",
                      "| no | `feature` | | 1 | 1 | 1 |"};
  const std::vector<GrantedFeature> features = granted_features(page);
  REQUIRE(features.size() == 1);
  CHECK(features[0].word == "quantile|bound");
  CHECK(features[0].granted.lines == 3);
  const Cost cost =
      cost_of(features[0], {{"a Quantile of a quantile", "", "a bound"}, {"none"}, {"unbounded"}},
              {"--l1 excludes --quantile", "--l2 excludes --l1", "--l2 needs --quantile 0.5"});
  CHECK(cost.lines == 3);
  CHECK(cost.files == 2);
  CHECK(cost.rules == 2);
}
