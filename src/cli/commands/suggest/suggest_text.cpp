#include "cli/commands/suggest/suggest_text.hpp"

#include "base/text.hpp"
#include "cli/runs/configurations_csv.hpp"
#include "cli/terminal/text_table.hpp"

namespace perfmodel::cli {
namespace {

std::vector<std::string> further_names(const SuggestArguments& arguments,
                                       const SuggestionDocument& document) {
  std::vector<std::string> names = {"predicted_" + document.target};
  if (arguments.next)
    names.emplace_back("gain");
  else if (arguments.price)
    names.emplace_back("cost");
  return names;
}

/// Of --next the share of the present deviation that a run takes off.
double last_figure(const SuggestArguments& arguments, const SuggestionDocument& document,
                   const std::vector<plan::Suggestion>& suggestions, std::size_t i) {
  return arguments.next ? document.next[i].run.deviation_gain / document.deviation
                        : suggestions[i].cost;
}

}  // namespace

std::vector<plan::Suggestion> chosen_suggestions(const SuggestArguments& arguments,
                                                 const SuggestionDocument& document) {
  if (arguments.next) {
    std::vector<plan::Suggestion> out;
    for (const NextSuggestion& next : document.next)
      out.push_back(next.suggestion);
    return out;
  }
  switch (arguments.by) {
    case SuggestBy::cost:
      return document.suggestions.cheapest;
    case SuggestBy::pareto:
      return document.suggestions.pareto;
    case SuggestBy::time:
      break;
  }
  return document.suggestions.fastest;
}

std::string suggestions_text(const SuggestArguments& arguments,
                             const SuggestionDocument& document) {
  const auto& columns = document.space.columns;
  const auto suggestions = chosen_suggestions(arguments, document);
  auto names = document.space.names();
  for (const auto& name : further_names(arguments, document))
    names.push_back(name);
  TextTable table(std::vector<Align>(names.size(), Align::right));
  table.add(names);
  for (std::size_t i = 0; i < suggestions.size(); ++i) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < columns.size(); ++c)
      cells.push_back(columns[c].text(suggestions[i].configuration[c]));
    cells.push_back(short_number(suggestions[i].time));
    cells.push_back(short_number(last_figure(arguments, document, suggestions, i)));
    cells.resize(names.size());
    table.add(std::move(cells));
  }
  std::string text;
  for (const auto& line : table.lines(0, output_width()))
    text += line + "\n";
  return text;
}

std::string suggestions_csv(const SuggestArguments& arguments, const SuggestionDocument& document) {
  const auto names = further_names(arguments, document);
  std::string text = csv_header(document.space, names);
  const auto suggestions = chosen_suggestions(arguments, document);
  for (std::size_t i = 0; i < suggestions.size(); ++i) {
    std::vector<std::string> cells = {to_text(suggestions[i].time),
                                      to_text(last_figure(arguments, document, suggestions, i))};
    cells.resize(names.size());
    text += csv_line(document.space, suggestions[i].configuration, cells);
  }
  return text;
}

}  // namespace perfmodel::cli
