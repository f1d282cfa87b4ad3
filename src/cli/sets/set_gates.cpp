#include "cli/sets/set_gates.hpp"

#include <algorithm>
#include <utility>

namespace perfmodel::cli {
namespace {

constexpr std::string_view kTotalFigure = "total.share";

/// The rest of a condition's name where its head names this line: "any.mape" is mape of any.
std::optional<std::string> named_figure(const std::string& name, const ModelSetLine& line,
                                        const ModelSetHeader& header) {
  if (name.starts_with("any."))
    return name.substr(4);
  std::vector<std::string> facts{"target=" + line.target};
  for (std::size_t i = 0; i < header.by.size(); ++i)
    facts.push_back(header.by[i] + "=" + line.key[i]);
  // Texts may hold commas and dots: what matches is taken off, piece by piece.
  std::string rest = name;
  while (true) {
    const auto fact = std::find_if(facts.begin(), facts.end(), [&](const std::string& each) {
      return rest.starts_with(each + ",") || rest.starts_with(each + ".");
    });
    if (fact == facts.end())
      return std::nullopt;
    const bool last = rest[fact->size()] == '.';
    rest.erase(0, fact->size() + 1);
    if (last)
      return rest;
  }
}

std::vector<Figure> figures_of_line(const ModelSetLine& line, const std::string& part) {
  std::vector<Figure> out{{"refused", line.model ? 0.0 : 1.0, part, {}}};
  if (!line.model)
    return out;
  const auto add = [&](const Metrics& metrics, const std::string& prefix) {
    const auto more = figures_of(metrics, part, prefix);
    out.insert(out.end(), more.begin(), more.end());
  };
  add(line.model->metrics.test.value_or(line.model->metrics.train), "");
  add(line.model->metrics.train, "train.");
  if (line.model->metrics.validation)
    add(*line.model->metrics.validation, "validation.");
  if (line.model->metrics.test)
    add(*line.model->metrics.test, "test.");
  const auto names = constant_names(*line.model);
  for (std::size_t i = 0; i < names.size(); ++i)
    out.push_back({names[i], line.model->constants[static_cast<Eigen::Index>(i)], part, {}});
  return out;
}

}  // namespace

bool is_set_figure(std::string_view name) {
  return name == kTotalFigure || name.starts_with("any.") ||
         name.find('=') != std::string_view::npos;
}

std::vector<JudgedGate> judged_set_gates(const std::vector<Gate>& gates, const SetLines& set,
                                         const std::optional<SetShare>& share) {
  std::vector<std::vector<JudgedGate>> judged(gates.size());  // of a figure that there is
  const auto judge = [&](std::size_t k, Figure figure) {
    figure.name = gates[k].figure;
    const JudgedGate gate = judged_gates({gates[k]}, {std::move(figure)}).front();
    // Of those that do not hold, one is enough, and none where others do.
    if (gate.holds && !judged[k].empty() && !judged[k].front().holds)
      judged[k].clear();
    if (gate.holds || judged[k].empty())
      judged[k].push_back(gate);
  };
  if (!gates.empty()) {
    set.for_each([&](const ModelSetLine& line) {
      for (std::size_t k = 0; k < gates.size(); ++k) {
        const auto name = named_figure(gates[k].figure, line, set.header());
        if (!name)
          continue;
        for (const Figure& figure : figures_of_line(line, words_of(line, set.header())))
          if (figure.name == *name)
            judge(k, figure);
      }
    });
  }
  std::vector<JudgedGate> out;
  for (std::size_t k = 0; k < gates.size(); ++k) {
    if (gates[k].figure == kTotalFigure && share)
      judge(k, {gates[k].figure, share->percent, share->words, {}});
    if (judged[k].empty())
      judged[k] = judged_gates({gates[k]}, {});
    out.insert(out.end(), judged[k].begin(), judged[k].end());
  }
  return out;
}

void check_set_gates(const std::vector<Gate>& gates, const SetLines& set) {
  check_gates(
      judged_set_gates(gates, set, set.header().total ? share_of_total(set) : std::nullopt));
}

}  // namespace perfmodel::cli
