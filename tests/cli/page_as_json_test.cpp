#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel;
using namespace perfmodel::test;

namespace {

const std::string kRuns = PERFMODEL_SOURCE_DIR "/data/gpt_h100.csv";
const std::string kOthers = PERFMODEL_SOURCE_DIR "/data/gpt_h100_test.csv";

/// Numbers of JSON documents, and all ways in which a page may write them.
class Figures {
 public:
  void add(double value) {
    exact_.insert(value);
    // As it is, in percent of a share, in ms of s, and squared.
    for (const double factor : {1., 100., 1e3, 1e6})
      for (const double shown : {factor * value, -factor * value})
        for (const std::string& text :
             {short_number(shown), rounded(shown), to_text(shown), percent(shown)})
          texts_.insert(text.substr(0, text.find(' ')));
  }
  /// All numbers of a document.
  void add(const nlohmann::json& of) {
    if (of.is_number())
      add(of.get<double>());
    for (const nlohmann::json& part : of)
      if (part.is_structured() || (of.is_structured() && part.is_number()))
        add(part);
  }
  bool have(double value) const { return exact_.contains(value); }
  bool have(const std::string& text) const { return texts_.contains(text); }

 private:
  std::set<double> exact_;
  std::set<std::string> texts_;
};

/// A page in parts by their headings, those of the first screen with those that explain them.
std::map<std::string, std::string> parts_of(const std::string& page) {
  static const std::regex heading(R"(<(?:h2|p class="question")[^>]*>([^<]*)</)");
  std::map<std::string, std::string> out;
  const std::string main = page.substr(0, page.find("<script"));
  for (std::sregex_iterator at(main.begin(), main.end(), heading), end; at != end;) {
    const std::smatch found = *at;
    const auto begin = found.suffix().first;
    const auto next = ++at == end ? main.end() : (*at)[0].first;
    out[found[1]] += std::string(begin, next) + "\n";
  }
  return out;
}

/// The text without all that stands from `begin` to `end`.
std::string without(std::string text, const std::string& begin, const std::string& end) {
  for (std::size_t at = text.find(begin); at != text.npos; at = text.find(begin, at))
    text.erase(at, text.find(end, at) + end.size() - at);
  return text;
}

/// Without drawings, formulas, digests, configurations and cells that have their exact value.
std::string text_of(std::string part) {
  for (const auto& [begin, end] : std::vector<std::pair<std::string, std::string>>{
           {"<svg", "</svg>"},
           {"<pre", "</pre>"},
           {"<code", "</code>"},
           {"<data", "</data>"},
           {"<td data-label=\"depends on\"", "</td>"},
           {"<td data-label=\"configuration\"", "</td>"}})
    part = without(std::move(part), begin, end);
  part = std::regex_replace(part, std::regex("<[^>]*>"), "\n");
  // What is no figure of the model or the runs.
  for (const char* prose :
       {"10th to the 90th percentile", "term [0-9]+", "perfmodel [0-9.]+",
        "1\\.5 times as large as overall", "-1 is ideal, 0 is no gain", "in steps of [^ ]+ %\\.",
        "[0-9]+ runs? (with larger errors )?lies? beyond the axis"})
    part = std::regex_replace(part, std::regex(prose), "");
  return part;
}

std::vector<double> exact_values(const std::string& part) {
  static const std::regex cell("<data value=\"([^\"]*)\"");
  std::vector<double> out;
  for (std::sregex_iterator at(part.begin(), part.end(), cell), end; at != end; ++at)
    out.push_back(parse_number((*at)[1].str()).value());
  return out;
}

std::vector<std::string> numbers_in(const std::string& text) {
  static const std::regex number(R"((?:^|[\s(])\+?(-?\d[\d.]*?(?:e[-+]?\d+)?)(?=[\s,;:)]|\.\s|$))");
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at)
    out.push_back((*at)[1]);
  return out;
}

double quantile_of(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double share = place - std::floor(place);
  return values[below] + share * (values[std::min(below + 1, values.size() - 1)] - values[below]);
}

/// The error of a run in percent of its time.
double error_of(const nlohmann::json& run) {
  const double measured = run["measured"];
  return 100 * (run["predicted"].get<double>() - measured) / measured;
}

/// All constants, or those of which the runs determine none.
std::size_t count_of_constants(const nlohmann::json& of, bool undetermined_only) {
  std::size_t out = 0;
  for (const auto& [name, value] : of.items()) {
    const bool tells = name.ends_with("identified") && name != "scaling_power_identified";
    const auto count = [&](const nlohmann::json& is) {
      out += is.is_boolean() && !(undetermined_only && is.get<bool>()) ? 1U : 0U;
    };
    if (tells && value.is_boolean())
      count(value);
    else if (tells)
      for (const nlohmann::json& flag : value.flatten())
        count(flag);
    else if (value.is_structured())
      out += count_of_constants(value, undetermined_only);
  }
  return out;
}

class PageAsJson : public ProgramTest {
 public:
  PageAsJson() {
    run({"fit", kRuns, "--test", kOthers, "--expression", "auto", "-o", "model.json"}).succeeded();
    run({"fit", kRuns, "--expression", "multi", "--terms", "2", "-o", "old.json"}).succeeded();
  }

  /// What the documents say, by the question of the page that it answers.
  std::map<std::string, Figures> documented() const {
    const nlohmann::json fitted = model();
    const nlohmann::json judged = judgement_of("model.json");
    std::map<std::string, Figures> out;
    for (const char* question :
         {"How long does an iteration take?", "What makes it long?", "How does it scale?",
          "How far can it be trusted?", "Is it better than the old model?",
          "Do the runs take as long as before?", "Where it comes from", "Constants"}) {
      out[question].add(fitted["central_run"]);
      out[question].add(judged["metrics"]);
    }
    add_durations(fitted, judged, out["How long does an iteration take?"]);
    add_reasons(fitted, judged, out["What makes it long?"]);
    add_scaling(fitted, out["How does it scale?"]);
    add_trust(fitted, judged, out["How far can it be trusted?"]);
    add_comparison(judged, out["Is it better than the old model?"]);
    out["Do the runs take as long as before?"].add(judgement_of("old.json"));
    out["Where it comes from"].add(fitted["search"]);
    out["Where it comes from"].add(static_cast<double>(fitted["provenance"]["data"]["rows"]));
    out["Constants"].add(fitted["constants"]);
    return out;
  }

  nlohmann::json judgement_of(const std::string& name) const {
    return run({"evaluate", name, kOthers, "--format", "json", "--outliers", "1000", "--baseline",
                "old.json"})
        .json();
  }

 private:
  nlohmann::json central_prediction() const {
    return run({"predict", "model.json", "--json", "--set",
                "batch_size=" + to_text(model()["central_run"]["configuration"]["batch_size"])})
        .json();
  }

  void add_durations(const nlohmann::json& fitted, const nlohmann::json& judged,
                     Figures& out) const {
    out.add(central_prediction());
    out.add(fitted["prediction_intervals"]["level"].get<double>());
    for (const char* count : {"failed", "finished"})
      out.add(fitted["failures"][count].get<double>());
    std::vector<double> times;
    for (const nlohmann::json& run : judged["outliers"])
      times.push_back(run["measured"]);
    for (const double q : {0., 0.5, 1.})
      out.add(quantile_of(times, q));
  }

  void add_reasons(const nlohmann::json& fitted, const nlohmann::json& judged, Figures& out) const {
    out.add(fitted["effects"]);
    out.add(fitted["correction"]);
    out.add(judged["shares"]);
    out.add(central_prediction()["process"].get<double>() - 1);  // what the correction changes
    out.add(0.9);                                                // of the intervals of effects
  }

  void add_scaling(const nlohmann::json& fitted, Figures& out) const {
    const nlohmann::json scaling = run({"scaling", "model.json", "--format", "json"}).json();
    const double shown = fitted["central_run"]["configuration"]["batch_size"];
    out.add(scaling["rows"]);
    out.add(scaling["interval_level"].get<double>());
    for (const nlohmann::json& row : scaling["rows"])
      out.add(row["scale"].get<double>() / shown);
    out.add(fitted["scaling_powers"]);
    out.add(fitted["constants"]["extrinsic"]);
    for (const nlohmann::json& effect : fitted["effects"])
      if (effect["column"] == "batch_size")
        out.add(effect);
  }

  void add_trust(const nlohmann::json& fitted, const nlohmann::json& judged, Figures& out) const {
    out.add(fitted["metrics"]);
    out.add(fitted["search"]["form"]["held_out"]);
    for (const bool undetermined_only : {false, true})
      out.add(static_cast<double>(count_of_constants(fitted["constants"], undetermined_only)));
    out.add(0.95);  // of the intervals of biases
    out.add(judged);
    std::vector<double> errors;
    for (const nlohmann::json& run : judged["outliers"])
      errors.push_back(error_of(run));
    for (const double error : errors)
      out.add(error);
    for (const double q : {0.05, 0.25, 0.5, 0.75, 0.95})
      out.add(quantile_of(errors, q));
  }

  void add_comparison(const nlohmann::json& judged, Figures& out) const {
    out.add(judged["baseline"]);
    std::map<double, double> before;
    const nlohmann::json older = judgement_of("old.json");
    for (const nlohmann::json& run : older["outliers"])
      before[run["line"]] = std::abs(error_of(run));
    double nearer = 0;
    for (const nlohmann::json& run : judged["outliers"])
      nearer += std::abs(error_of(run)) < before.at(run["line"]) ? 1 : 0;
    out.add(nearer / static_cast<double>(judged["outliers"].size()));
  }
};

}  // namespace

TEST_CASE_METHOD(PageAsJson, "every figure of a page stands in JSON with the same digits",
                 "[cli][report]") {
  const std::map<std::string, Figures> documented_figures = documented();
  for (const Words& models : {Words{"model.json"}, Words{"old.json", "model.json"}}) {
    const std::string page =
        run(both_of({"report"}, both_of(models, {kOthers}))).succeeded().output;
    std::size_t seen = 0;
    for (const auto& [question, part] : parts_of(page)) {
      CAPTURE(models, question);
      REQUIRE(documented_figures.contains(question));
      const Figures& figures = documented_figures.at(question);
      for (const double value : exact_values(part)) {
        CAPTURE(value);
        CHECK(figures.have(value));
        ++seen;
      }
      for (const std::string& number : numbers_in(text_of(part))) {
        CAPTURE(number);
        CHECK(figures.have(number));
        ++seen;
      }
    }
    CHECK(seen > 250);
  }
}
