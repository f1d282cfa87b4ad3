#include <fmt/core.h>
#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "import/readers.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel {
namespace {

/// The measured values of metrics at points of the parameters, in regions of a program.
class Measurements {
 public:
  void add_parameter(const std::string& name) { parameters_.push_back(name); }
  const std::vector<std::string>& parameters() const { return parameters_; }

  /// Adds the repetitions of one measurement. `point`: one value per parameter.
  void add(const std::vector<double>& point, const std::string& region, const std::string& metric,
           const std::vector<std::string>& values) {
    if (!contains(metrics_, metric))
      metrics_.push_back(metric);
    has_regions_ |= !region.empty();
    const auto [place, is_new] = place_.try_emplace({point, region}, runs_.size());
    if (is_new)
      runs_.push_back({point, region, {}});
    std::vector<std::string>& known = runs_[place->second].values[metric];
    known.insert(known.end(), values.begin(), values.end());
  }

  /// A row per point, region and repetition; a metric without as many repetitions is blank.
  NamedRows rows() const {
    NamedRows out;
    for (const std::string& metric : metrics_)
      out.add_result(column_of(metric));
    for (const Runs& runs : runs_)
      for (std::size_t repetition = 0; repetition < repetitions(runs); ++repetition)
        out.add(row(runs, repetition));
    return out;
  }

 private:
  struct Runs {
    std::vector<double> point;
    std::string region;
    std::map<std::string, std::vector<std::string>> values;  ///< by metric
  };

  std::vector<std::string> parameters_;
  std::vector<std::string> metrics_;
  std::vector<Runs> runs_;
  std::map<std::pair<std::vector<double>, std::string>, std::size_t> place_;
  bool has_regions_ = false;

  static std::size_t repetitions(const Runs& runs) {
    std::size_t most = 0;
    for (const auto& [metric, values] : runs.values)
      most = std::max(most, values.size());
    return most;
  }

  /// The column of a metric or of the regions: its name, unless a parameter has it.
  std::string column_of(std::string name) const {
    if (name.empty())
      name = "value";
    while (contains(parameters_, name))
      name += '_';
    return name;
  }

  std::vector<NamedRows::Cell> row(const Runs& runs, std::size_t repetition) const {
    std::vector<NamedRows::Cell> cells;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      cells.emplace_back(parameters_[i], to_text(runs.point[i]));
    if (has_regions_)
      cells.emplace_back(column_of("region"), runs.region);
    for (const std::string& metric : metrics_) {
      const auto found = runs.values.find(metric);
      const bool measured = found != runs.values.end() && repetition < found->second.size();
      cells.emplace_back(column_of(metric), measured ? found->second[repetition] : "");
    }
    return cells;
  }
};

constexpr std::string_view kBlanks = " \t\r";

/// Takes the first line off a text, without blanks at its ends.
std::string_view take_trimmed_line(std::string_view& text) {
  return trimmed(take_line(text), kBlanks);
}

/// Reads the text format line by line: PARAMETER and POINTS, then a line of DATA per point for each
/// REGION and METRIC.
class TextReader {
 public:
  explicit TextReader(std::string source) : source_(std::move(source)) {}

  NamedRows read(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      if (const std::string_view line = take_trimmed_line(text); !line.empty() && line[0] != '#')
        read_line(line);
    }
    end_section();
    return measurements_.rows();
  }

 private:
  std::string source_;
  std::size_t line_ = 0;
  Measurements measurements_;
  std::vector<std::vector<double>> points_;
  std::string region_;
  std::string metric_;
  std::size_t data_ = 0;  ///< lines of DATA of this region and metric

  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(fmt::format("{}:{}: {}", source_, line_, problem));
  }

  void read_line(std::string_view line) {
    const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    const std::string_view field = line.substr(0, end);
    line = trimmed(line.substr(end), kBlanks);
    if (field == "PARAMETER")
      read_parameters(line);
    else if (field == "POINTS")
      read_points(std::string(line));
    else if (field == "REGION" || field == "METRIC")
      (end_section(), field == "REGION" ? region_ : metric_) = line;
    else if (field == "DATA")
      read_data(words_of_line(line));
    else
      fail(quoted_cell(field) + " is none of PARAMETER, POINTS, REGION, METRIC and DATA");
  }

  void read_parameters(std::string_view line) {
    if (!points_.empty())
      fail("PARAMETER after POINTS");
    for (const std::string& name : words_of_line(line))
      if (contains(measurements_.parameters(), name))
        fail("parameter '" + name + "' is given twice");
      else
        measurements_.add_parameter(name);
  }

  /// Parentheses group the coordinates of a point, and may stand around each coordinate.
  void read_points(std::string line) {
    const std::size_t count = measurements_.parameters().size();
    if (count == 0)
      fail("POINTS before PARAMETER");
    std::ranges::replace_if(
        line, [](char c) { return c == '(' || c == ')'; }, ' ');
    const std::vector<std::string> words = words_of_line(line);
    if (words.size() % count != 0)
      fail(fmt::format("{} are no points of {}", counted_noun(words.size(), "coordinate"),
                       counted_noun(count, "parameter")));
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto number = parse_number(words[i]);
      if (!number)
        fail(quoted_cell(words[i]) + " is not a number");
      if (i % count == 0)
        points_.emplace_back();
      points_.back().push_back(*number);
    }
  }

  void read_data(const std::vector<std::string>& values) {
    if (data_ == points_.size())
      fail(fmt::format("more lines of DATA than the {}", counted_noun(points_.size(), "point")));
    for (const std::string& value : values)
      if (!parse_number(value) && folded(value) != "nan")
        fail(quoted_cell(value) + " is not a number");
    measurements_.add(points_[data_++], region_, metric_, values);
  }

  /// A missing line would move all later ones to other points.
  void end_section() {
    if (data_ != 0 && data_ != points_.size())
      fail(fmt::format("{} before here, but {}", counted_noun(data_, "line") + " of DATA",
                       counted_noun(points_.size(), "point")));
    data_ = 0;
  }
};

/// The texts of a list of numbers, or of one number.
std::vector<std::string> number_texts(const JsonCursor& values) {
  std::vector<std::string> out;
  if (!values.is_array())
    return {to_text(values.number())};
  for (const JsonCursor& value : values.items())
    out.push_back(to_text(value.number()));
  return out;
}

/// Adds an object of JSON lines, or of TaLPas, which names the field of the parameters differently.
void add_object(const JsonCursor& object, const std::string& parameters_field,
                Measurements& measurements) {
  const JsonCursor parameters = object.member(parameters_field);
  if (measurements.parameters().empty())
    for (const std::string& name : parameters.names())
      measurements.add_parameter(name);
  if (parameters.names().size() != measurements.parameters().size())
    parameters.fail("expected the parameters of the first line");
  std::vector<double> point;
  for (const std::string& name : measurements.parameters())
    point.push_back(parameters.member(name).number());
  measurements.add(point, text_of(object, "callpath"), text_of(object, "metric"),
                   number_texts(object.member("value")));
}

constexpr std::string_view kTalpas = "{\"parameters\":{";

/// TaLPas' lines are JSON with semicolons in place of commas.
NamedRows read_talpas(std::string_view text, const std::string& source) {
  Measurements measurements;
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string line(take_trimmed_line(text));
    std::ranges::replace(line, ';', ',');
    if (!line.empty())
      add_object(JsonCursor::parse(fmt::format("{}:{}", source, number), line), "parameters",
                 measurements);
  }
  return measurements.rows();
}

/// The names by id of a list of parameters, regions or metrics.
std::map<double, std::string> names_by_id(const JsonCursor& list) {
  std::map<double, std::string> names;
  for (const JsonCursor& item : list.items())
    names[item.member("id").number()] = item.member("name").text();
  return names;
}

/// What an id refers to.
template <class Value>
const Value& referred(const std::map<double, Value>& by_id, const JsonCursor& id) {
  const auto found = by_id.find(id.number());
  if (found == by_id.end())
    id.fail("no entry has this id");
  return found->second;
}

/// The older JSON format, whose measurements refer to points, regions and metrics by ids.
Measurements measurements_by_ids(const JsonCursor& document) {
  Measurements out;
  const auto parameters = names_by_id(document.member("parameters"));
  for (const auto& [id, name] : parameters)
    out.add_parameter(name);
  const auto regions = names_by_id(document.member("callpaths"));
  const auto metrics = names_by_id(document.member("metrics"));
  std::map<double, std::vector<double>> points;
  for (const JsonCursor& point : document.member("coordinates").items()) {
    std::map<double, double> values;
    for (const JsonCursor& pair : point.member("parameter_value_pairs").items()) {
      const JsonCursor id = pair.member("parameter_id");
      referred(parameters, id);
      values[id.number()] = pair.member("parameter_value").number();
    }
    if (values.size() != parameters.size())
      point.fail("a value is missing of a parameter");
    for (const auto& [id, value] : values)
      points[point.member("id").number()].push_back(value);
  }
  for (const JsonCursor& item : document.member("measurements").items()) {
    const std::vector<double>& point = referred(points, item.member("coordinate_id"));
    const std::string& region = referred(regions, item.member("callpath_id"));
    const std::string& metric = referred(metrics, item.member("metric_id"));
    out.add(point, region, metric, number_texts(item.member("value")));
  }
  return out;
}

/// The newer JSON format, or the document within an .extra-p file, which has means of repetitions.
Measurements measurements_by_names(const JsonCursor& document) {
  Measurements out;
  const bool stored = document.optional_member("Extra-P").has_value();
  for (const JsonCursor& parameter : document.member("parameters").items())
    out.add_parameter(parameter.text());
  const JsonCursor regions = document.member("measurements");
  for (const std::string& region : regions.names())
    for (const std::string& metric : regions.member(region).names())
      for (const JsonCursor& item : regions.member(region).member(metric).items()) {
        const JsonCursor coordinates = item.member(stored ? "coordinate" : "point");
        const std::vector<double> point = mapped(coordinates.items(), &JsonCursor::number);
        if (point.size() != out.parameters().size())
          coordinates.fail("expected a number per parameter");
        out.add(point, region, metric, number_texts(item.member(stored ? "mean" : "values")));
      }
  return out;
}

}  // namespace

bool is_extrap_text(std::string_view bytes) {
  if (bytes.starts_with(kTalpas))
    return bytes.substr(0, bytes.find('\n')).find("};\"") != bytes.npos;
  bool has_parameters = false;
  while (!bytes.empty()) {
    const std::string_view line = take_trimmed_line(bytes);
    if (line.starts_with("PARAMETER "))
      has_parameters = true;
    else if (!line.empty() && line[0] != '#')
      return has_parameters && line.starts_with("POINTS");
  }
  return false;
}

NamedRows read_extrap_text(std::string_view bytes, const std::string& source, const InputOptions&) {
  return bytes.starts_with(kTalpas) ? read_talpas(bytes, source) : TextReader(source).read(bytes);
}

std::optional<NamedRows> extrap_rows(std::span<const JsonCursor> documents) {
  if (documents.empty())
    return std::nullopt;
  const JsonCursor& first = documents.front();
  const std::vector<std::string> fields = first.names();
  const auto has = [&](const char* field) { return contains(fields, field); };
  if (has("params") && has("value")) {
    Measurements measurements;
    for (const JsonCursor& line : documents)
      add_object(line, "params", measurements);
    return measurements.rows();
  }
  if (documents.size() > 1 || !has("parameters") || !has("measurements"))
    return std::nullopt;
  return (has("callpaths") ? measurements_by_ids(first) : measurements_by_names(first)).rows();
}

}  // namespace perfmodel
