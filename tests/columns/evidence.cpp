// Writes the evidence by which columns get their roles, a JSON line per file, for the script that
// learns the weights: evidence_tool [--odds FILE [--target]] FILES...

#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "perfmodel/fit.hpp"
#include "roles/evidence.hpp"

namespace perfmodel {
namespace {

/// What the script says of the columns of a file, by their names.
struct Odds {
  std::map<std::string, Told> told;
  std::map<std::string, RoleOdds> odds;
};

Told told_by(const std::string& word) {
  return word == "target"    ? Told::target
         : word == "input"   ? Told::input
         : word == "ignored" ? Told::ignored
                             : Told::nothing;
}

Odds odds_in(const JsonCursor& object) {
  Odds out;
  if (const auto told = object.optional_member("told"))
    for (const auto& [name, word] : told->fields())
      out.told[name] = told_by(word.text());
  for (const auto& [name, list] : object.member("odds").fields()) {
    const auto odds = mapped(list.items(), [](const JsonCursor& each) { return each.number(); });
    if (odds.size() != 3)
      list.fail("expected the odds of an input, a result and a label");
    out.odds[name] = {odds[0], odds[1], odds[2]};
  }
  return out;
}

/// Of each file, the odds for each pass that is asked for.
std::map<std::string, std::vector<Odds>> read_odds(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::map<std::string, std::vector<Odds>> out;
  for (const auto& [name, of_file] : JsonCursor::parse(path, bytes).fields()) {
    const auto list = of_file.is_array() ? of_file.items() : std::vector{of_file};
    out[name] = mapped(list, odds_in);
  }
  return out;
}

Json columns_json(const Sample& sample, const std::vector<Evidence>& evidence) {
  Json columns = Json::object();
  for (std::size_t place = 0; place < sample.columns.size(); ++place) {
    if (sample.columns[place].distinct() < 2)
      continue;
    Json features = Json::object();
    for (const auto& [feature, value] : evidence[place])
      features[feature] = value;
    columns[sample.columns[place].name()] = features;
  }
  return columns;
}

/// The evidence that follows from odds.
Json columns_with(const Sample& sample, const Odds& of_file, bool of_targets) {
  std::vector<RoleOdds> odds;
  std::vector<Told> told;
  for (const SampledColumn& column : sample.columns) {
    const auto found = of_file.odds.find(column.name());
    odds.push_back(found == of_file.odds.end() ? RoleOdds{} : found->second);
    const auto flag = of_file.told.find(column.name());
    told.push_back(flag == of_file.told.end() ? Told::nothing : flag->second);
  }
  return columns_json(
      sample, of_targets ? target_evidence(sample, odds) : second_evidence(sample, odds, told));
}

void write_evidence(const std::string& path, const std::vector<Odds>* odds, bool of_targets) {
  Json line = Json::object();
  line["file"] = path;
  try {
    const RunsFile runs = read_runs(path);
    const Sample sample = sample_of(runs.table);
    line["rows"] = runs.table.rows();
    if (odds == nullptr) {
      line["columns"] = columns_json(sample, sample.first);
      std::cout << line_text(line);
      return;
    }
    for (const Odds& each : *odds) {
      line["columns"] = columns_with(sample, each, of_targets);
      std::cout << line_text(line);
    }
  } catch (const std::exception& error) {
    line["error"] = error.what();
    std::cout << line_text(line);
  }
}

void write_all(std::span<const std::string> arguments) {
  std::vector<std::string> files;
  std::map<std::string, std::vector<Odds>> odds;
  bool has_odds = false;
  bool of_targets = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--target") {
      of_targets = true;
    } else if (arguments[i] == "--odds" && i + 1 < arguments.size()) {
      odds = read_odds(arguments[++i]);
      has_odds = true;
    } else {
      files.push_back(arguments[i]);
    }
  }
  for (const std::string& file : files)
    write_evidence(file, has_odds ? &odds[file] : nullptr, of_targets);
}

}  // namespace
}  // namespace perfmodel

int main(int count, char** arguments) {
  try {
    perfmodel::write_all(std::vector<std::string>(arguments + 1, arguments + count));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
