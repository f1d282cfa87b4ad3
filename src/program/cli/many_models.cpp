#include "cli/many_models.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "registry/registry.hpp"
#include "trust/resampling.hpp"

namespace perfmodel::cli {

const ManyModels& many_models() {
  require_tool_of("fit --by");
  return added<ManyModels>().front();
}

namespace {

/// The failed runs of one measured column, by file and cell.
struct FailedOfColumn {
  std::map<std::pair<std::string, std::string>, FailedRuns> by_cell;
  std::size_t rows = 0;  ///< including successful runs
};

/// Moves the failed runs from the rows of a model to those of its column, and leaves out others
/// that do not count. Returns sentences about these.
std::vector<std::string> take_uncounted_away(LineRows& part, RunsFile& runs,
                                             std::map<std::string, FailedOfColumn>& columns) {
  const ModelSpec& spec = part.line.model->spec;
  runs.failed.clear();
  runs.table = std::move(part.table);
  FailedOfColumn& known = columns[judged_column(runs.table, spec)];
  known.rows += runs.table.rows();
  std::vector<std::string> warnings = leave_out_uncounted(runs, spec, true).warnings;
  for (const FailedRuns& failed : runs.failed) {
    FailedRuns& all = known.by_cell[{failed.file, failed.cell}];
    all.file = failed.file;
    all.cell = failed.cell;
    all.rows += failed.rows;
    all.lines.insert(all.lines.end(), failed.lines.begin(), failed.lines.end());
  }
  if (!runs.failed.empty())
    warnings.erase(warnings.begin());
  part.table = std::move(runs.table);
  return warnings;
}

/// The figure's name if the condition applies to this line ("any.mape": "mape"), else nullopt.
std::optional<std::string> named_figure(const std::string& name, const ModelSetLine& line,
                                        const ModelSetHeader& header) {
  if (name.starts_with("any."))
    return name.substr(4);
  std::vector<std::string> facts{"target=" + line.target};
  for (std::size_t i = 0; i < header.by.size(); ++i)
    facts.push_back(header.by[i] + "=" + line.key[i]);
  // Levels may contain commas and dots, so the known texts are removed one by one.
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
  const auto metrics = figures_of_parts(*line.model, part);
  out.insert(out.end(), metrics.begin(), metrics.end());
  const auto names = constant_names(*line.model);
  for (std::size_t i = 0; i < names.size(); ++i)
    out.push_back({names[i], line.model->constants[index(i)], part, {}});
  return out;
}

}  // namespace

void for_each_with_counted_rows(const SetLines& set, const RunsFile& runs, Console& console,
                                const std::function<void(LineRows part)>& visit) {
  std::map<std::string, FailedOfColumn> columns;
  std::vector<std::string> others;
  RunsFile of_part{
      .path = {}, .bytes = {}, .table = {}, .results = runs.results, .reading = runs.reading};
  for_each_with_rows(set, runs.table, [&](LineRows part) {
    for (std::string& sentence : take_uncounted_away(part, of_part, columns))
      others.push_back(std::move(sentence));
    if (part.table.rows() > 0)
      visit(std::move(part));
  });
  if (!others.empty())
    console.warning(enumerated(others, 3));
  for (const auto& [column, known] : columns) {
    std::vector<FailedRuns> failed;
    for (const auto& [cell, of_cell] : known.by_cell) {
      failed.push_back(of_cell);
      std::sort(failed.back().lines.begin(), failed.back().lines.end());
    }
    if (!failed.empty())
      console.warning(words_for(failed, column, known.rows));
  }
}

std::vector<Figure> figures_of_parts(const FittedModel& model, const std::string& group) {
  std::vector<Figure> out;
  const auto add = [&](const std::optional<Metrics>& metrics, const std::string& part,
                       const std::string& prefix) {
    if (!metrics)
      return;
    const auto figures = figures_of(*metrics, group.empty() ? part : group, prefix);
    out.insert(out.end(), figures.begin(), figures.end());
  };
  const PartMetrics& parts = model.known.metrics;
  add(parts.test ? parts.test : parts.train, parts.test ? "the test part" : "the training part",
      "");
  add(parts.train, "the training part", "train.");
  add(parts.validation, "the validation part", "validation.");
  add(parts.test, "the test part", "test.");
  if (model.known.cross_validation)
    add(mean_metrics(model.known.cross_validation->folds), "the mean of the folds", "folds.");
  return out;
}

bool is_set_figure(std::string_view name) {
  return name.starts_with("any.") || name.find('=') != std::string_view::npos;
}

void require_set_figures(const std::vector<Gate>& gates) {
  for (const Gate& gate : gates)
    if (!is_set_figure(gate.figure))
      throw UsageError("--fail-if '" + gate.text +
                       "': say of which of the models, as in 'any.mape>10'");
}

std::vector<JudgedGate> judged_set_gates(const std::vector<Gate>& gates, const SetLines& set,
                                         const std::vector<std::vector<Figure>>& further) {
  std::vector<std::vector<JudgedGate>> judged(gates.size());  // only for figures that exist
  std::vector<std::string> unknown(gates.size());  // figures of models that were asked for
  const auto judge = [&](std::size_t k, Figure figure) {
    figure.name = gates[k].figure;
    const JudgedGate gate = judged_gates({gates[k]}, {std::move(figure)}).front();
    // Reports one figure for which the condition does not hold, unless it holds for others.
    if (gate.holds && !judged[k].empty() && !judged[k].front().holds)
      judged[k].clear();
    if (gate.holds || judged[k].empty())
      judged[k].push_back(gate);
  };
  if (!gates.empty()) {
    std::size_t place = 0;
    set.for_each([&](const ModelSetLine& line) {
      std::vector<Figure> figures = figures_of_line(line, words_of(line, set.header()));
      if (place < further.size())
        figures.insert(figures.end(), further[place].begin(), further[place].end());
      ++place;
      for (std::size_t k = 0; k < gates.size(); ++k) {
        const auto name = named_figure(gates[k].figure, line, set.header());
        if (!name)
          continue;
        if (line.model && judged[k].empty())
          unknown[k] = *name;
        for (const Figure& figure : figures)
          if (figure.name == *name)
            judge(k, figure);
      }
    });
  }
  std::vector<JudgedGate> out;
  for (std::size_t k = 0; k < gates.size(); ++k) {
    if (judged[k].empty() && !unknown[k].empty())
      throw UsageError("--fail-if '" + gates[k].text + "': many models have no '" + unknown[k] +
                       "', but refused, constants and " + joined(gate_metrics(), ", ") +
                       "; choose one model: --pick");
    if (judged[k].empty())
      judged[k] = judged_gates({gates[k]}, {});
    out.insert(out.end(), judged[k].begin(), judged[k].end());
  }
  return out;
}

void check_set_gates(const std::vector<Gate>& gates, const SetLines& set) {
  check_gates(judged_set_gates(gates, set));
}

}  // namespace perfmodel::cli
