#include "pipeline/shared/task_codecs.hpp"

#include <array>
#include <vector>

#include "fit/form_kinds.hpp"
#include "io/model/metrics_json.hpp"
#include "io/model/model_json_reading.hpp"
#include "io/model/model_json_writing.hpp"

namespace perfmodel {
namespace {

template <class Numbers>
Json numbers_to_json(const Numbers& numbers) {
  Json out = Json::array();
  for (const double value : numbers)
    out.push_back(number(value));
  return out;
}

std::vector<double> read_numbers(const JsonCursor& node) {
  std::vector<double> out;
  for (const JsonCursor& item : node.items())
    out.push_back(item.number());
  return out;
}

Eigen::VectorXd read_vector(const JsonCursor& node) {
  const std::vector<double> numbers = read_numbers(node);
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

PartMetrics read_part_metrics(const JsonCursor& node) {
  PartMetrics out;
  if (const auto train = node.nullable_member("train"))
    out.train = read_metrics(*train);
  if (const auto validation = node.nullable_member("validation"))
    out.validation = read_metrics(*validation);
  if (const auto test = node.nullable_member("test"))
    out.test = read_metrics(*test);
  return out;
}

PenaltyKind penalty_of(const std::string& text) {
  for (const PenaltyKind kind : std::array{PenaltyKind::l1, PenaltyKind::l2})
    if (to_text(kind) == text)
      return kind;
  return PenaltyKind::none;
}

}  // namespace

TaskCodec<Eigen::VectorXd> numbers_codec() {
  return {[](const Eigen::VectorXd& numbers) { return numbers_to_json(numbers); }, read_vector};
}

TaskCodec<FittedModel> model_codec() {
  return {model_document, [](const JsonCursor& node) { return read_model(node, form_kinds()); }};
}

TaskCodec<HeldOutFold> fold_codec() {
  return {[](const HeldOutFold& fold) {
            Json out = {{"metrics", to_json(fold.metrics)},
                        {"predicted", numbers_to_json(fold.predicted)}};
            if (fold.deviations)
              out["deviations"] = numbers_to_json(*fold.deviations);
            return out;
          },
          [](const JsonCursor& node) {
            HeldOutFold out{read_metrics(node.member("metrics")),
                            read_vector(node.member("predicted")), std::nullopt};
            if (const auto deviations = node.optional_member("deviations"))
              out.deviations = read_vector(*deviations);
            return out;
          }};
}

TaskCodec<SweepPoint> point_codec() {
  return {[](const SweepPoint& point) -> Json {
            return {{"penalty", to_text(point.penalty)},
                    {"lambda", number(point.lambda)},
                    {"validation_loss", number(point.validation_loss)},
                    {"standard_error", number(point.standard_error)},
                    {"model", model_document(point.model)}};
          },
          [](const JsonCursor& node) -> SweepPoint {
            return {penalty_of(node.member("penalty").text()), node.member("lambda").number(),
                    read_model(node.member("model"), form_kinds()),
                    node.member("validation_loss").number(),
                    node.member("standard_error").number()};
          }};
}

TaskCodec<ModelScore> score_codec() {
  return {[](const ModelScore& score) -> Json {
            return {{"name", score.name},
                    {"file", score.file},
                    {"metrics", to_json(score.metrics)},
                    {"fit_seconds", number(score.fit_seconds)},
                    {"columns", score.columns},
                    {"scaling_powers", numbers_to_json(score.scaling_powers)}};
          },
          [](const JsonCursor& node) {
            ModelScore out;
            out.name = node.member("name").text();
            out.file = node.member("file").text();
            out.metrics = read_part_metrics(node.member("metrics"));
            out.fit_seconds = node.member("fit_seconds").number();
            for (const JsonCursor& column : node.member("columns").items())
              out.columns.push_back(column.text());
            out.scaling_powers = read_numbers(node.member("scaling_powers"));
            return out;
          }};
}

TaskCodec<plan::PlanStart> plan_codec() {
  return {[](const plan::PlanStart& start) -> Json {
            return {{"candidates", start.candidates}, {"information", number(start.information)}};
          },
          [](const JsonCursor& node) {
            plan::PlanStart out;
            for (const JsonCursor& candidate : node.member("candidates").items())
              out.candidates.push_back(candidate.count());
            out.information = node.member("information").number();
            return out;
          }};
}

}  // namespace perfmodel
