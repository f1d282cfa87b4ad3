#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "roles/evidence.hpp"

namespace perfmodel {

/// The text of weights.tsv.
extern const std::string_view kWeights;

namespace {

using RoleWeights = std::map<std::string, Weights::Of, std::less<>>;

/// "second<TAB>c bits<TAB>-1.234<TAB>-2.345", "target<TAB>bits<TAB>1.013" or
/// "constant<TAB>threshold<TAB>0.4". Throws std::exception for other lines.
void add_weight(std::string_view line, Weights& weights) {
  const std::vector<std::string> fields = split_list(std::string(line), '\t');
  const std::string& name = fields.at(1);
  const auto number = [&](std::size_t field) { return parse_number(fields.at(field)).value(); };
  if (fields[0] == "first" || fields[0] == "second")
    (fields[0] == "first" ? weights.first : weights.second)[name] = {number(2), number(3)};
  else
    (fields[0] == "target" ? weights.target : weights.constants)[name] = number(2);
}

/// Softmax over input, whose sum is 0, result and label.
RoleOdds odds_of(const Evidence& evidence, const RoleWeights& weights, double temperature) {
  Weights::Of sum = weights.at("intercept");
  for (const auto& [name, value] : evidence)
    if (const auto found = weights.find(name); found != weights.end()) {
      sum.result += found->second.result * value;
      sum.label += found->second.label * value;
    }
  const double most = std::max({0.0, sum.result, sum.label});
  const double input = std::exp(-most / temperature);
  const double result = std::exp((sum.result - most) / temperature);
  const double label = std::exp((sum.label - most) / temperature);
  const double all = input + result + label;
  return {input / all, result / all, label / all};
}

/// The odds of all columns that vary; a flag is not doubted, and a constant column is an input.
std::vector<RoleOdds> all_odds(const std::vector<Evidence>& evidence, const RoleWeights& weights,
                               double temperature, const std::vector<Told>& told) {
  std::vector<RoleOdds> out(evidence.size());
  for (std::size_t column = 0; column < evidence.size(); ++column)
    if (told[column] == Told::target || told[column] == Told::result)
      out[column] = {.input = 0, .result = 1, .label = 0};
    else if (told[column] != Told::input && !evidence[column].empty())
      out[column] = odds_of(evidence[column], weights, temperature);
  return out;
}

/// The second pass, which compares the columns with those that the first one was sure of.
void classify_again(const Sample& sample, const std::vector<RoleOdds>& first_pass,
                    const std::vector<Told>& told, const Weights& weights, Classified& out) {
  out.evidence = second_evidence(sample, first_pass, told);
  for (std::size_t column = 0; column < out.evidence.size(); ++column)
    if (sample.columns[column].distinct() > 1)
      out.evidence[column].insert(sample.first[column].begin(), sample.first[column].end());
  out.odds =
      all_odds(out.evidence, weights.second, weights.constants.at("second temperature"), told);
}

/// One of the candidates is the target: softmax over them. Columns that the user gave another part
/// are none; without any candidate all are 0.
std::vector<double> target_probabilities(const Sample& sample, const std::vector<RoleOdds>& odds,
                                         const std::vector<Told>& told, const Weights& weights) {
  const std::vector<Evidence> evidence = target_evidence(sample, odds);
  std::vector<double> out(evidence.size());
  for (std::size_t column = 0; column < evidence.size(); ++column) {
    double sum = 0;
    for (const auto& [name, value] : evidence[column])
      if (const auto found = weights.target.find(name); found != weights.target.end())
        sum += found->second * value;
    if (!evidence[column].empty() && told[column] == Told::nothing)
      out[column] = std::exp(sum);
  }
  if (const double all = std::accumulate(out.begin(), out.end(), 0.0); all > 0)
    for (double& probability : out)
      probability /= all;
  return out;
}

std::string_view name_of(const Sample& sample, std::size_t column) {
  return sample.columns[column].name();
}

}  // namespace

Weights parse_weights(std::string_view text) {
  Weights out;
  while (!text.empty())
    if (const std::string_view line = take_line(text); !line.empty() && line.front() != '#')
      add_weight(line, out);
  return out;
}

const Weights& learnt_weights() {
  static const Weights weights = parse_weights(kWeights);
  return weights;
}

Classified classify(const Sample& sample, const std::vector<Told>& told, const Weights& weights) {
  std::vector<Evidence> first = sample.first;
  for (std::size_t column = 0; column < first.size(); ++column)
    if (sample.columns[column].distinct() < 2)
      first[column].clear();
  const std::vector<RoleOdds> first_pass =
      all_odds(first, weights.first, weights.constants.at("first temperature"), told);
  Classified out;
  classify_again(sample, first_pass, told, weights, out);
  if (contains(told, Told::target))
    return out;
  out.as_target = target_probabilities(sample, out.odds, told, weights);
  if (const std::vector<std::size_t> best = best_targets(sample, out, 1); !best.empty()) {
    std::vector<Told> with_target = told;
    with_target[best.front()] = Told::target;
    classify_again(sample, first_pass, with_target, weights, out);
  }
  return out;
}

std::vector<std::size_t> best_targets(const Sample& sample, const Classified& classified,
                                      std::size_t most) {
  std::vector<std::size_t> out = indices(classified.as_target.size());
  std::erase_if(
      out, [&](std::size_t column) { return classified.as_target[column] <= 0; });
  std::ranges::sort(out, {}, [&](std::size_t column) {
    return std::pair(-classified.as_target[column], name_of(sample, column));
  });
  out.resize(std::min(out.size(), most));
  return out;
}

std::vector<std::size_t> taken_inputs(const Sample& sample, const Classified& classified,
                                      const std::vector<Told>& told, const Weights& weights) {
  constexpr double kRatherNone = 0.7;
  const std::vector<std::size_t> targets = best_targets(sample, classified, 1);
  const auto key = [&](std::size_t column) {
    return std::pair(classified.odds[column].none(), name_of(sample, column));
  };
  std::vector<std::size_t> taken;
  std::optional<std::size_t> surest;
  for (std::size_t column = 0; column < told.size(); ++column) {
    const bool is_open = sample.columns[column].distinct() > 1 && told[column] == Told::nothing &&
                         !contains(targets, column);
    if (is_open && (!surest || key(column) < key(*surest)))
      surest = column;
    if (told[column] == Told::input || (is_open && key(column).first < weights.threshold()))
      taken.push_back(column);
  }
  if (taken.empty() && surest && key(*surest).first <= kRatherNone &&
      classified.odds[*surest].label <= classified.odds[*surest].result)
    taken.push_back(*surest);
  return taken;
}

}  // namespace perfmodel
