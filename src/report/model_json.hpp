#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "fit/fit.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// A value per column: the configuration that local scaling powers belong to.
Json configuration_to_json(const ModelSpec& spec, const Configuration& configuration);
/// Throws InputError for a number that is not > 0 and for a level that the model does not know.
Configuration read_configuration(const ModelSpec& spec, const JsonCursor& node);

inline Json value_to_json(const InputValue& value) {
  const auto* level = std::get_if<std::string>(&value);
  return level ? Json(*level) : number(std::get<double>(value));
}

inline Json failed_to_json(const std::vector<FailedRuns>& failed) {
  Json out = Json::array();
  for (const FailedRuns& runs : failed) {
    out.push_back(
        {{"file", runs.file}, {"cell", runs.cell}, {"rows", runs.rows}, {"lines", runs.lines}});
  }
  return out;
}

/// The files of a result: {"file", "rows", "sha256"}, of several each beside their whole, and the
/// runs that failed and are left out.
inline Json data_to_json(const Provenance& data) {
  Json out = {{"file", data.file}, {"rows", data.rows}, {"sha256", data.sha256}};
  for (const DataFile& file : data.files)
    out["files"].push_back({{"file", file.file}, {"rows", file.rows}, {"sha256", file.sha256}});
  if (!data.failed.empty())
    out["failed"] = failed_to_json(data.failed);
  return out;
}

inline void read_data(const JsonCursor& data, Provenance& out) {
  out.file = data.member("file").text();
  out.rows = data.member("rows").count();
  out.sha256 = data.member("sha256").text();
  if (const auto files = data.optional_member("files")) {
    for (const JsonCursor& file : files->items())
      out.files.push_back(
          {file.member("file").text(), file.member("rows").count(), file.member("sha256").text()});
  }
  if (const auto failed = data.optional_member("failed")) {
    for (const JsonCursor& runs : failed->items()) {
      FailedRuns& item = out.failed.emplace_back();
      item.file = runs.member("file").text();
      item.cell = runs.member("cell").text();
      item.rows = runs.member("rows").count();
      for (const JsonCursor& line : runs.member("lines").items())
        item.lines.push_back(static_cast<std::uint32_t>(line.count()));
    }
  }
}

/// Checks what a model file says beside the constants and what follows from them: formulas, scaling
/// powers, differences between levels, levels of derived columns. Nothing is computed from these
/// fields, so that one who edits the constants alone would leave a file that says two things.
///
/// A field that is missing contradicts nothing. Throws InputError, which names the field. Whoever
/// changes how formulas are written has to accept the old ways too.
void check_derived_fields(const FittedModel& model, const JsonCursor& root);

/// "central_run" of model.json.
Json central_run_to_json(const ModelSpec& spec, const CentralRun& central);
/// Nothing where the file does not tell.
std::optional<CentralRun> read_central_run(const ModelSpec& spec, const JsonCursor& root);

/// "tied" of model.json.
Json ties_to_json(const std::vector<Tie>& ties);
/// Nothing where the model has none.
std::vector<Tie> read_ties(const ModelSpec& spec, const JsonCursor& root);

/// "left_out" of model.json.
Json left_out_to_json(const std::vector<LeftOut>& left_out);
/// Nothing where the file does not tell.
std::vector<LeftOut> read_left_out(const JsonCursor& root);

/// "prediction_intervals" of model.json.
Json to_json(const PredictionIntervals& intervals);
/// `has_process`: scores may then be divided by its deviations.
PredictionIntervals read_intervals(const JsonCursor& node, bool has_process);

/// "cross_validation" of model.json.
Json to_json(const CrossValidation& validation);
CrossValidation read_cross_validation(const JsonCursor& node);

/// "unmeasured_regions" of model.json.
Json to_json(const std::vector<UnmeasuredRegion>& regions);
std::vector<UnmeasuredRegion> read_unmeasured(const JsonCursor& node);

/// Metrics as every document has them; an undefined R2 is null.
inline Json to_json(const Metrics& metrics) {
  return {{"rows", metrics.rows},
          {"mae", number(metrics.mae)},
          {"mape_percent", number(metrics.mape_percent)},
          {"smape_percent", number(metrics.smape_percent)},
          {"mse", number(metrics.mse)},
          {"rmse", number(metrics.rmse)},
          {"r2", std::isnan(metrics.r2) ? Json() : number(metrics.r2)}};
}

inline Json to_json(const std::optional<Metrics>& metrics) {
  return metrics ? to_json(*metrics) : Json();
}

inline Metrics read_metrics(const JsonCursor& node) {
  Metrics metrics;
  metrics.rows = node.member("rows").count();
  metrics.mae = node.member("mae").number();
  metrics.mape_percent = node.member("mape_percent").number();
  metrics.smape_percent = node.member("smape_percent").number();
  metrics.mse = node.member("mse").number();
  metrics.rmse = node.member("rmse").number();
  const auto r2 = node.nullable_member("r2");
  metrics.r2 = r2 ? r2->number() : std::nan("");
  return metrics;
}

/// A part without rows is null.
inline Json to_json(const PartMetrics& metrics) {
  return {{"train", metrics.train.rows > 0 ? to_json(metrics.train) : Json()},
          {"validation", to_json(metrics.validation)},
          {"test", to_json(metrics.test)}};
}

/// The field `repeats` of model.json.
Json to_json(const RepeatSummary& repeats);
RepeatSummary read_repeats(const JsonCursor& node);

/// The fields `noise_floor` and `uncertainty` of model.json: null where there is none. Models that
/// were published, or fitted by an earlier version, do not have them at all.
Json to_json(const std::optional<NoiseFloor>& floor);
Json uncertainty_to_json(const FittedModel& model);
std::optional<NoiseFloor> read_noise_floor(const JsonCursor& root);
/// The inputs, constants and form of `model` are known already.
std::optional<Uncertainty> read_uncertainty(const FittedModel& model, const JsonCursor& root);

/// read_model() of a program that knows these forms.
FittedModel read_model(const std::string& path, const std::vector<FormKind>& kinds);

/// A model that stands at this place of a document.
FittedModel read_model(const JsonCursor& root, const std::vector<FormKind>& kinds);

/// What to_json() writes, to stand alone or in another document.
Json model_document(const FittedModel& model);

}  // namespace perfmodel
