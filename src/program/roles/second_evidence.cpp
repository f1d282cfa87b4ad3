#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "roles/evidence.hpp"
#include "roles/vocabulary.hpp"

namespace perfmodel {
namespace {

using Places = std::vector<std::size_t>;

/// What a column is compared with.
struct Others {
  const Sample& sample;
  std::vector<double> none{};                  ///< per column: the probability that it is no input
  Places varying{};                            ///< columns that are not constant
  std::vector<std::set<std::string>> words{};  ///< per column, of its name
  std::vector<std::string> beginnings{};       ///< per column, of its name
  std::map<std::string, double> weights{};     ///< of the words
};

Places without(Places places, std::size_t column) {
  std::erase(places, column);
  return places;
}

double mean_or_zero(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(values.size(), 1));
}

double one_if(bool holds) {
  return holds ? 1 : 0;
}

/// The letters before the first sign in a name, or before the digits at its end: "obj" of
/// "obj-mrr" and of "obj1"; empty if the name is in one piece.
std::string beginning_of(std::string_view name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#";
  name.remove_prefix(std::min(name.find_first_not_of(" \t-"), name.size()));
  const std::size_t letters = std::min(name.find_first_not_of(kLetters), name.size());
  const std::size_t end = std::min(name.find_first_not_of("0123456789", letters), name.size());
  const bool ends =
      end == name.size() ? end > letters : contains(std::string_view(".:-_/ "), name[end]);
  return ends ? folded(name.substr(0, letters)) : std::string();
}

/// Words that few columns have weigh more.
void compare_names(Others& others) {
  constexpr double kLeastWeight = 0.1;
  std::map<std::string, std::size_t> counts;
  others.words.resize(others.sample.columns.size());
  others.beginnings.resize(others.sample.columns.size());
  for (const std::size_t column : others.varying) {
    const std::string& name = others.sample.columns[column].name();
    const NameParts parts = name_parts(name);
    others.beginnings[column] = beginning_of(name);
    others.words[column].insert(parts.words.begin(), parts.words.end());
    for (const std::string& word : parts.path)
      others.words[column].insert("/" + word);
    for (const std::string& word : others.words[column])
      ++counts[word];
  }
  const auto all = static_cast<double>(1 + others.varying.size());
  for (const auto& [word, count] : counts)
    others.weights[word] = std::log(all / static_cast<double>(count)) + kLeastWeight;
}

/// The weight of the words that two names have, over that of the words of either.
double similarity(const Others& others, std::size_t a, std::size_t b) {
  std::vector<std::string> both;
  std::ranges::set_intersection(others.words[a], others.words[b], std::back_inserter(both));
  if (both.empty())
    return 0;
  const auto weight_of = [&](const auto& words) {
    double sum = 0;
    for (const std::string& word : words)
      sum += others.weights.at(word);
    return sum;
  };
  const double shared = weight_of(both);
  return shared / (weight_of(others.words[a]) + weight_of(others.words[b]) - shared);
}

/// What columns with similar names are.
void add_siblings(const Others& others, std::size_t column, Evidence& out) {
  constexpr double kPrior = 0.2;
  double measured = 0;
  double weights = kPrior;
  std::vector<double> begin_alike;
  const std::string& beginning = others.beginnings[column];
  for (const std::size_t place : without(others.varying, column)) {
    const double weight = std::pow(similarity(others, column, place), 2);
    measured += weight * (2 * others.none[place] - 1);
    weights += weight;
    if (!beginning.empty() && beginning == others.beginnings[place])
      begin_alike.push_back(2 * others.none[place] - 1);
  }
  const auto count = static_cast<double>(begin_alike.size());
  out["s siblings measured"] = measured / weights;
  out["s prefix measured"] = mean_or_zero(begin_alike) * count / (count + 1);
}

/// The log odds of a role against an input, between -1 and 1.
double against_input(double role, const RoleOdds& odds) {
  constexpr double kLeast = 1e-6;
  constexpr double kMost = 4;
  return std::clamp(std::log((role + kLeast) / (odds.input + kLeast)), -kMost, kMost) / kMost;
}

/// The probability that a column is no input, with what was told of it.
double none_of(const RoleOdds& odds, Told told) {
  if (told == Told::nothing)
    return odds.none();
  return told == Told::ignored ? 0.5 : one_if(told != Told::input);
}

Others others_of(const Sample& sample, const std::vector<RoleOdds>& first_pass,
                 const std::vector<Told>& told) {
  Others out{.sample = sample};
  for (std::size_t column = 0; column < sample.columns.size(); ++column) {
    out.none.push_back(none_of(first_pass[column], told[column]));
    if (sample.columns[column].distinct() > 1)
      out.varying.push_back(column);
  }
  compare_names(out);
  return out;
}

}  // namespace

std::vector<Evidence> second_evidence(const Sample& sample, const std::vector<RoleOdds>& first_pass,
                                      const std::vector<Told>& told) {
  const Others others = others_of(sample, first_pass, told);
  std::vector<Evidence> out(sample.columns.size());
  for (const std::size_t column : others.varying) {
    const RoleOdds& odds = first_pass[column];
    out[column]["s first result"] = against_input(odds.result, odds);
    out[column]["s first label"] = against_input(odds.label, odds);
    add_siblings(others, column, out[column]);
  }
  return out;
}

}  // namespace perfmodel
