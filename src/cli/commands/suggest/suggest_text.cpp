#include "cli/commands/suggest/suggest_text.hpp"

#include "base/text.hpp"
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

std::string formatted(const SuggestArguments& arguments, const SuggestionDocument& document) {
  const auto suggestions = chosen_suggestions(arguments, document);
  auto names = document.space.names();
  for (const auto& name : further_names(arguments, document))
    names.push_back(name);
  const auto table_with = [&](std::string (*number)(double)) {
    TextTable table(std::vector<Align>(names.size(), Align::right));
    table.add(names);
    for (std::size_t i = 0; i < suggestions.size(); ++i) {
      auto cells = document.space.cells(suggestions[i].configuration);
      cells.push_back(number(suggestions[i].time));
      cells.push_back(number(last_figure(arguments, document, suggestions, i)));
      cells.resize(names.size());
      table.add(std::move(cells));
    }
    return table;
  };
  OutputTables out(table_with(to_text), [&] { return to_json(document); });
  out.add(table_with(short_number));
  return out.in(arguments.format, output_width(arguments.output));
}

}  // namespace perfmodel::cli
