#include "io/model/held_out_json.hpp"

#include <algorithm>

#include "io/model/metrics_json.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/spread.hpp"

namespace perfmodel {
namespace {

constexpr auto kScoreText = "ln(measured / predicted)";
constexpr auto kDividedScoreText = "ln(measured / predicted) / deviation";

Json part_to_json(const RegionPart& part) {
  Json node = {{"column", part.column}};
  if (part.level.empty())
    node["range"] = Json::array({number(part.low), number(part.high)});
  else
    node["level"] = part.level;
  return node;
}

RegionPart read_part(const JsonCursor& node) {
  RegionPart part;
  part.column = node.member("column").name();
  if (const auto level = node.optional_member("level")) {
    part.level = level->name();
    return part;
  }
  const auto range = node.member("range");
  const auto ends = range.items();
  if (ends.size() != 2)
    range.fail("expected two numbers, the lowest and the highest value");
  part.low = ends[0].number();
  part.high = ends[1].number();
  return part;
}

}  // namespace

Json to_json(const PredictionIntervals& intervals) {
  Json ranks = Json::array();
  Json scores = Json::array();
  for (std::size_t k = 0; k < intervals.scores.size(); ++k) {
    ranks.push_back(intervals.ranks[k]);
    scores.push_back(number(intervals.scores[k]));
  }
  Json node = {
      {"method", to_text(intervals.calibration)},
      {"score", intervals.by_deviation ? kDividedScoreText : kScoreText},
      {"level", number(intervals.level)},
      {"count", intervals.count},
      {"test_coverage", intervals.test_coverage ? number(*intervals.test_coverage) : Json()},
      {"ranks", ranks},
      {"scores", scores}};
  if (intervals.held_out_deviation)
    node["held_out_deviation"] = number(*intervals.held_out_deviation);
  if (intervals.by_deviation)
    node["added_deviation"] = number(intervals.added_deviation);
  return node;
}

PredictionIntervals read_intervals(const JsonCursor& node, bool has_process) {
  PredictionIntervals out;
  const auto method = node.member("method");
  if (method.text() == to_text(Calibration::cross_validation))
    out.calibration = Calibration::cross_validation;
  else if (method.text() != to_text(Calibration::validation))
    method.fail("'" + method.text() + "' is not one of 'split conformal' and 'cross-conformal'");
  const auto score = node.member("score");
  out.by_deviation = has_process && score.text() == kDividedScoreText;
  if (!out.by_deviation && score.text() != kScoreText)
    score.fail("expected '" + std::string(kScoreText) + "'" +
               (has_process ? " or '" + std::string(kDividedScoreText) + "'" : ""));
  if (const auto deviation = node.optional_member("held_out_deviation"); deviation) {
    out.held_out_deviation = deviation->number();
    if (!out.by_deviation || !(*out.held_out_deviation > 0))
      deviation->fail("expected a number > 0, of scores that are divided by the deviation");
  }
  if (const auto added = node.optional_member("added_deviation"); added) {
    out.added_deviation = added->number();
    if (!(out.added_deviation >= 0))
      added->fail("expected a number >= 0");
  }
  const auto level = node.member("level");
  out.level = level.number();
  if (!(out.level > 0 && out.level < 1))
    level.fail("expected a number between 0 and 1");
  out.count = node.member("count").count();
  if (const auto share = node.nullable_member("test_coverage"))
    out.test_coverage = share->number();
  for (const auto& rank : node.member("ranks").items())
    out.ranks.push_back(rank.count());
  const auto scores = node.member("scores");
  for (const auto& item : scores.items())
    out.scores.push_back(item.number());
  // Every level that the rows reach is looked up in these.
  const bool ranks_fit =
      !out.ranks.empty() && out.ranks.front() == 1 && out.ranks.back() == out.count &&
      std::adjacent_find(out.ranks.begin(), out.ranks.end(), std::greater_equal<>()) ==
          out.ranks.end();
  if (!ranks_fit || out.scores.size() != out.ranks.size() ||
      !std::is_sorted(out.scores.begin(), out.scores.end()))
    node.fail("expected ranks from 1 to count in ascending order and as many ascending scores");
  return out;
}

Json to_json(const CrossValidation& validation) {
  Json metrics = Json::object();
  for (const Spread& spread : metrics_spread(validation.folds)) {
    metrics[spread.name] = {{"mean", number(spread.mean)},
                            {"standard_deviation", number(spread.standard_deviation)}};
  }
  Json folds = Json::array();
  for (const Metrics& fold : validation.folds)
    folds.push_back(to_json(fold));
  return {{"folds", validation.folds.size()},
          {"group_by", validation.group_by ? Json(*validation.group_by) : Json()},
          {"metrics", metrics},
          {"held_out", folds}};
}

CrossValidation read_cross_validation(const JsonCursor& node) {
  CrossValidation out;
  if (const auto column = node.nullable_member("group_by"))
    out.group_by = column->name();
  for (const auto& fold : node.member("held_out").items())
    out.folds.push_back(read_metrics(fold));
  return out;
}

Json to_json(const std::vector<UnmeasuredRegion>& regions) {
  Json list = Json::array();
  for (const UnmeasuredRegion& region : regions) {
    Json parts = Json::array();
    for (const RegionPart& part : region.parts)
      parts.push_back(part_to_json(part));
    list.push_back(parts);
  }
  return list;
}

std::vector<UnmeasuredRegion> read_unmeasured(const JsonCursor& node) {
  std::vector<UnmeasuredRegion> out;
  for (const auto& region : node.items()) {
    UnmeasuredRegion found;
    for (const auto& part : region.items())
      found.parts.push_back(read_part(part));
    if (found.parts.empty())
      region.fail("expected at least one column");
    out.push_back(std::move(found));
  }
  return out;
}

}  // namespace perfmodel
