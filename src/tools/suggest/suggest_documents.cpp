#include "suggest/suggest_documents.hpp"

#include <fmt/core.h>
#include <cmath>

#include "base/text.hpp"
#include "fit/fit.hpp"
#include "perfmodel/table.hpp"
#include "report/model_json.hpp"
#include "storage/files.hpp"

namespace perfmodel {

void describe(Fields& f, const plan::Estimate& x) {
  f("predicted", Finite{x.value}, "the value");
  describe_ends(f, x.interval, "where its model has intervals");
}

Json json_of(const plan::Space& space, const plan::Configuration& configuration) {
  Json out = Json::object();
  for (std::size_t c = 0; c < space.columns.size(); ++c) {
    const auto& column = space.columns[c];
    out[column.name] =
        column.is_text() ? Json(column.text(configuration[c])) : number(configuration[c]);
  }
  return out;
}

namespace {

struct PlannedConfiguration {
  const plan::Space& space;
  const plan::Configuration& values;

  Json json() const { return json_of(space, values); }
  static Json schema() { return fields::map_of(Fields().schema_of<InputValue>()); }
};

void describe_suggestion(Fields& f, const SuggestionDocument& document, const plan::Suggestion& x,
                         bool with_cost) {
  ByName<plan::Estimate> bounded;
  for (std::size_t k = 0; k < x.bounded.size(); ++k)
    bounded.emplace_back(document.request.bounded[k].name, x.bounded[k]);
  f("configuration", PlannedConfiguration{document.space, x.configuration}, "a value by column");
  f("predicted_time", Finite{x.time}, "the time");
  describe_ends(f, x.interval, "where the model has intervals");
  f("cost", Finite{x.cost}, "time * price; of `next` with the overhead", only_if(with_cost));
  f("value", x.maximised, "of `--maximise`", only_if(document.request.maximise.has_value()));
  f("bounded", bounded, "the other targets that conditions or `--maximise` name",
    only_if(!bounded.empty()));
  f("p_fails", x.p_fails, "[the probability that a run fails](#failures)", kSparse);
  f("p_in_time", x.p_in_time, "the probability that a run keeps `--deadline`", kSparse);
}

}  // namespace

void describe(Fields& f, const PlanDocument& x) {
  const auto items = mapped(x.configurations, [&](const plan::Configuration& configuration) {
    return PlannedConfiguration{x.space, configuration};
  });
  f.document("perfmodel/plan", "Configurations to measure: plan");
  f("configurations", items, "a value by column");
}

void describe(Fields& f, const SuggestionDocument& x) {
  const auto& [fastest, cheapest, pareto, best, searched, without_time, without_bounded,
               likely_to_fail, failing, unmet, late, allowed, complete] = x.suggestions;
  const bool ranks = x.next.empty();
  const bool with_cost = x.request.price.has_value();
  const auto describe_list = [&](const std::string& name,
                                 const std::vector<plan::Suggestion>& items,
                                 const std::string& meaning, bool stands) {
    f.list(
        name, items, meaning,
        [&](Fields& item, auto& suggestion, std::size_t) {
          describe_suggestion(item, x, suggestion, with_cost);
        },
        only_if(stands));
  };
  f.document("perfmodel/suggestions", "Configurations to run or measure: suggest");
  describe_unit(f, x.model.spec.target, x.model.spec.unit);
  f("searched", searched, "configurations looked at; of `next` that can be measured");
  f("without_time", without_time,
    "configurations without a predicted time > 0: they are not listed");
  f("without_bounded", without_bounded, "the same for targets that conditions bound",
    only_if(!x.request.bounded.empty()));
  f("likely_to_fail", likely_to_fail,
    "of the others those that fail with P > `--max-p-fails`, if the model says that", kSparse);
  describe_list("failing", failing, "the fastest of these", likely_to_fail.value_or(0) > 0);
  f("unmet", unmet,
    "by condition on predicted figures: those that fulfil all before it, but not it",
    only_if(!unmet.empty()));
  f("late", late, "of the others those that keep `--deadline` with less than `--chance`",
    only_if(x.request.deadline.text.has_value()));
  f("allowed", allowed, "those that fulfil the conditions");
  f("complete", complete, "whether that was the whole space");
  f("interval_level", x.level, "of the intervals, where there are any", kSparse);
  describe_list("fastest", fastest, "the shortest times", ranks);
  describe_list("cheapest", cheapest, "if there is a price", ranks && with_cost);
  describe_list("pareto", pareto, "none is faster and cheaper", ranks && with_cost);
  describe_list("best", best, "the highest values of `--maximise`",
                ranks && x.request.maximise.has_value());
  f("mean_deviation", Finite{x.deviation}, "of a new run of the space, in ln t, before",
    only_if(!ranks));
  f.list(
      "next", x.next, "in place of these",
      [&](Fields& item, auto& suggestion, std::size_t) {
        describe_suggestion(item, x, suggestion.suggestion, true);
        item("deviation_gain", Finite{suggestion.run.deviation_gain}, "how `mean_deviation` falls");
        item("log_determinant_gain", Finite{suggestion.run.log_determinant},
             "ln(1 + variance of ln t there / noise)");
        item("expected_improvement", suggestion.run.expected_improvement,
             "of the lowest ln t, [if that is sought](planning.md#what-to-measure-next)", kSparse);
      },
      only_if(!ranks));
}

namespace {

constexpr auto kShortestSpace = R"({"tile": [8, 16], "threads": [1, 2, 4]})";

/// Reads numbers or texts, depending on the first item; a single value is a list of one.
void put_values(const JsonCursor& place, plan::SpaceColumn& column) {
  const auto items = place.is_array() ? place.items() : std::vector{place};
  if (items.empty())
    place.fail("expected at least one value");
  for (const JsonCursor& item : items) {
    if (!item.is_text() && !item.is_number())
      item.fail(std::string("expected a number or a text, as in ") + kShortestSpace);
    const auto put = [&](auto& values, const auto& value, const std::string& shown) {
      if (contains(values, value))
        item.fail(shown + " stands twice");
      values.push_back(value);
    };
    if (items.front().is_text())
      put(column.levels, item.text(), "'" + item.text() + "'");
    else
      put(column.values, item.number(), to_text(item.number()));
  }
}

void check_range(const JsonCursor& range, const plan::SpaceColumn& column) {
  if (!(column.low < column.high))
    range.fail("expected lowest < highest");
  if (column.logarithmic && column.low <= 0)
    range.fail("a logarithmic range has to be > 0");
  if (column.whole &&
      (column.low != std::floor(column.low) || column.high != std::floor(column.high)))
    range.fail("expected whole numbers");
}

/// A space that is nothing but columns and their values.
plan::Space short_space(const JsonCursor& document) {
  plan::Space space;
  if (!document.is_object() || document.names().empty())
    document.fail(std::string("expected columns and their values, as in ") + kShortestSpace);
  for (const auto& [name, values] : document.fields()) {
    if (name.empty())
      values.fail("a column has no name");
    put_values(values, space.columns.emplace_back(plan::SpaceColumn{name, {}, {}}));
  }
  return space;
}

bool is_list_of_objects(const JsonCursor& value) {
  return value.is_array() && std::ranges::all_of(value.items(), &JsonCursor::is_object);
}

/// The rows of a CSV. Quantities with units stay as they are written.
Table candidates_of(const std::string& source, std::string_view bytes) try {
  const Table table = parse_csv(bytes, source);
  std::set<std::string> quantities;
  for (const Column& column : table.columns)
    if (!column.unit.empty())
      quantities.insert(column.name);
  if (quantities.empty())
    return table;
  Table written = parse_csv(bytes, source, quantities);
  return written.columns.size() == table.columns.size() ? written : table;  // units beside numbers
} catch (const InputError& error) {
  throw InputError(std::string(error.what()) + "\n" + source +
                   ": a space is a CSV with a configuration per line, or JSON such as " +
                   kShortestSpace);
}

/// A condition, or a list of conditions.
struct Conditions {
  std::vector<std::string>& texts;

  Json json() const { return texts; }
  void read(const JsonCursor& node) const {
    if (node.is_text())
      texts = {node.text()};
    else
      Fields().read(node, texts);
  }
  static Json schema() {
    const Json text = Fields().schema_of<std::string>();
    return Json{{"anyOf", Json::array({text, fields::list_of(text)})}};
  }
};

}  // namespace

void describe(Fields& f, plan::SpaceColumn& x) {
  std::vector<InputValue> values;
  const bool has_range = f.reads() && f.has("range");
  f("column", x.name, "its name", kName);
  f("values", values, "numbers or texts", only_if(f.reads() && f.has("values")));
  f("range", Ends{x.low, x.high}, "in place of values: lowest and highest", only_if(has_range));
  f("scale", Either{x.logarithmic, "linear", "log"}, "of a range", kNewer);
  f("whole", x.whole, "of a range: whole numbers only", kNewer);
  if (!f.reads())
    return;
  f.refuse_unknown();
  if (f.has("values") == has_range)
    f.fail("expected either 'values' or 'range'");
  if (!has_range && (f.has("scale") || f.has("whole")))
    f.fail("'scale' and 'whole' go with 'range'");
  if (has_range)
    check_range(f.node().member("range"), x);
  else
    put_values(f.node().member("values"), x);
}

void describe(Fields& f, plan::Space& x) {
  std::string description;
  if (!f.reads() || f.has("schema"))
    f.document("perfmodel/space", "What plan and suggest choose from", 1, 1, "space");
  f("description", description, "for people; optional", kNewer);
  f("columns", x.columns, "what is chosen from");
  f("extrinsic", x.extrinsic, "names of the columns of scale; optional", kNewer);
  f("where", Conditions{x.where}, "a condition or a list of some; optional", kNewer);
  if (!f.reads())
    return;
  f.refuse_unknown();
  const JsonCursor columns = f.node().member("columns");
  const auto names = x.names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::ranges::find(names, names[i]) - names.begin() < std::ptrdiff_t(i))
      columns.items()[i].fail(fmt::format("the column '{}' stands twice", names[i]));
  if (names.empty())
    columns.fail("expected at least one column");
  for (std::size_t i = 0; i < x.extrinsic.size(); ++i) {
    if (!contains(names, x.extrinsic[i])) {
      f.node()
          .member("extrinsic")
          .items()[i]
          .fail(fmt::format("there is no column '{}'{}", x.extrinsic[i],
                            did_you_mean(x.extrinsic[i], names)));
    }
  }
}

bool is_short_space(const std::string& path, const std::string& measured) try {
  if (is_document(path).value_or(true))
    return false;
  const JsonCursor document = JsonCursor::parse(path, read_file(path));
  return document.is_object() && std::ranges::none_of(document.fields(), [&](const auto& field) {
           const auto& [name, value] = field;
           return name == measured || value.is_object() || is_list_of_objects(value);
         });
} catch (const InputError&) {  // lines of JSON, or no JSON
  return false;
}

namespace {

plan::Space space_of_json(const JsonCursor& document) {
  if (!document.is_object())
    return short_space(document);
  const auto schema = document.optional_member("schema");
  const auto columns = document.optional_member("columns");
  if (schema && schema->is_text() && schema->text() == "perfmodel/model")
    return plan::space_around(read_model(document, form_kinds()));
  const bool is_full = (schema && schema->is_text()) || (columns && is_list_of_objects(*columns));
  return is_full ? read_json<plan::Space>(document) : short_space(document);
}

}  // namespace

plan::Space parse_space(const std::string& source, std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const bool is_json = first != bytes.npos && (bytes[first] == '{' || bytes[first] == '[');
  plan::Space space = is_json ? space_of_json(JsonCursor::parse(source, bytes))
                              : plan::space_of_candidates(candidates_of(source, bytes));
  space.source = source;
  return space;
}

plan::Space read_space(const std::string& path) {
  return parse_space(display_name(path), read_file(path));
}

}  // namespace perfmodel
