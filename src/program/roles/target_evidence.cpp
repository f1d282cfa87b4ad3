#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "roles/evidence.hpp"
#include "roles/vocabulary.hpp"

namespace perfmodel {
namespace {

/// A column that can be what was measured.
struct Candidate {
  std::size_t place = 0;
  const SampledColumn* column = nullptr;
  const Evidence* first = nullptr;
  NameParts name{};
  std::set<std::string> words{};
  std::set<std::string> plain_words{};  ///< without statistics and numbers

  double value(std::string_view evidence) const {
    const auto found = first->find(evidence);
    return found == first->end() ? 0 : found->second;
  }
  bool has(std::string_view evidence) const { return value(evidence) > 0; }
  bool is_time() const {
    return (has("n head:time") || has("n unit:timeunit")) && !has("n per time");
  }
};

Candidate candidate_of(const Sample& sample, std::size_t place) {
  const SampledColumn& column = sample.columns[place];
  Candidate out{place, &column, &sample.first[place], name_parts(column.name())};
  out.words.insert(out.name.body.begin(), out.name.body.end());
  out.words.insert(out.name.path.begin(), out.name.path.end());
  for (const std::string& word : out.words)
    if (word != "0" && (kinds_of(word) & kind_mask("stat centre max min total")) == 0)
      out.plain_words.insert(word);
  return out;
}

/// Without the columns that are more surely no results, what was set or asked for and, beside what
/// was measured, its ratios.
std::vector<Candidate> candidates_of(const Sample& sample, const std::vector<RoleOdds>& odds) {
  constexpr double kLeastResult = 0.2;
  std::vector<Candidate> out;
  for (std::size_t place = 0; place < sample.columns.size(); ++place)
    if (sample.columns[place].distinct() > 1 && sample.columns[place].is_number &&
        odds[place].result > kLeastResult) {
      Candidate candidate = candidate_of(sample, place);
      if (std::ranges::none_of(candidate.words, [](const std::string& word) {
            return (kinds_of(word) & kind_mask("price limit config given")) != 0;
          }))
        out.push_back(std::move(candidate));
    }
  const auto is_ratio = [](const Candidate& candidate) { return candidate.has("n any:relative"); };
  if (!std::ranges::all_of(out, is_ratio))
    std::erase_if(out, is_ratio);
  return out;
}

void add_own(const Candidate& own, double result, Evidence& out) {
  constexpr double kLeast = 0.01;
  constexpr double kScale = 3;
  constexpr double kManyWords = 6;
  for (const std::string& kind :
       words_of_line("time total cost util stat part metric score energy max"))
    out["any " + kind] = own.value("n any:" + kind);
  const auto numbers = std::ranges::count(own.name.body, "0");
  const auto words = static_cast<double>(own.name.body.size() - to_size(numbers));
  out["result"] = std::log(std::max(result, kLeast) / std::max(1 - result, kLeast)) / kScale;
  out["words"] = std::min(words / kManyWords, 1.0);
  out["head time"] = own.value("n head:time");
  out["is a time"] = own.is_time() ? 1 : 0;
  out["once"] = own.value("c values that stand once");
  out["bits"] = own.value("c bits");
}

/// The share of the rows with both numbers in which the one is at least the other.
double share_of_larger(const std::vector<double>& a, const std::vector<double>& b) {
  double rows = 0;
  double larger = 0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    rows += std::isnan(a[row] + b[row]) ? 0 : 1;
    larger += a[row] >= b[row] ? 1 : 0;
  }
  return rows > 0 ? larger / rows : 0.5;
}

/// Whether a time is the longest of those in the same unit, which is that of the whole run.
void add_times(const std::vector<Candidate>& all, const Candidate& own, Evidence& out) {
  double larger = 0;
  double others = 0;
  for (const Candidate& other : all)
    if (other.place != own.place && other.is_time()) {
      out["times beside"] = own.is_time() ? 0 : 1;
      if (own.is_time() && own.name.units == other.name.units && !other.has("n any:max") &&
          !other.has("n any:stat")) {
        ++others;
        larger += share_of_larger(own.column->numbers, other.column->numbers);
      }
    }
  if (others > 0)
    out["largest of times"] = larger / others - 0.5;
}

/// Whether other candidates have a part of its words, or are the centre of what it is of.
void add_names(const std::vector<Candidate>& all, const Candidate& own, Evidence& out) {
  for (const Candidate& other : all) {
    if (!other.words.empty() && other.words.size() < own.words.size() &&
        std::ranges::includes(own.words, other.words))
      out["contains another"] = 1;
    if (!own.has("n any:centre") && other.has("n any:centre") && own.name.path == other.name.path &&
        own.plain_words == other.plain_words)
      out["centre beside"] = 1;
  }
}

}  // namespace

std::vector<Evidence> target_evidence(const Sample& sample, const std::vector<RoleOdds>& odds) {
  const std::vector<Candidate> all = candidates_of(sample, odds);
  std::vector<Evidence> out(sample.columns.size());
  for (const Candidate& own : all) {
    add_own(own, odds[own.place].result, out[own.place]);
    add_times(all, own, out[own.place]);
    add_names(all, own, out[own.place]);
  }
  return out;
}

}  // namespace perfmodel
