#include "jobs/large_runs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <future>
#include <system_error>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "perfmodel/predict.hpp"
#include "sources/large_csv.hpp"
#include "storage/files.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

/// Limits memory, since each reading thread has its own lines.
constexpr std::size_t kMostReaders = 4;

/// Rows of each of the two models that show what sampling adds.
constexpr std::size_t kMostComparedRows = 5'000;

/// Rows for which they predict: a mean of so many is known to a fiftieth of it.
constexpr std::size_t kMostPredictedRows = 2'000;

/// The drawn rows as runs.
LabelledRuns labelled(const CsvBeginning& beginning, const LineSample& sample, std::string sha256,
                      const RoleRequest& roles, const InputOptions& input) {
  RunsFile file;
  file.reading.input = input;
  file.path = beginning.path;
  file.sha256 = std::move(sha256);
  file.results = beginning.results;
  file.described = beginning.described;
  file.table = table_of(beginning, sample);
  const std::size_t drawn = file.table.rows();
  LabelledRuns out = label_runs(std::move(file), roles);
  out.roles.notices.push_back(fitted_to_drawn_rows(drawn, sample.lines_to_draw_from()));
  return out;
}

}  // namespace

std::optional<std::size_t> rows_to_draw(const std::vector<std::string>& paths,
                                        const FitRequest& request) {
  if (paths.size() > 1)
    return std::nullopt;
  std::error_code error;
  const bool is_large = std::filesystem::is_regular_file(paths.front(), error) &&
                        std::filesystem::file_size(paths.front(), error) > kLargeFile;
  if (request.training_rows || !is_large)
    return request.training_rows;
  return chooses_terms(request.options) ? kRowsOfChoice : kRowsOfLargeFile;
}

std::string fitted_to_drawn_rows(std::size_t drawn, std::size_t rows) {
  return "The model is fitted to " + std::to_string(drawn) + " rows, drawn at random from " +
         std::to_string(rows) + ".";
}

LabelledRuns draw_runs(const std::string& path, std::size_t rows, const RoleRequest& roles,
                       const InputOptions& input, const FitOptions& options,
                       const ReadProgress& progress) {
  const CsvBeginning beginning =
      read_beginning(path, {roles.categorical.begin(), roles.categorical.end()}, input);
  const LineSample empty(rows, options.seed);
  if (beginning.pipe) {
    const LineSample sample = draw_lines(beginning, empty, 1, progress);
    return labelled(beginning, sample, beginning.piped->text(), roles, input);
  }
  std::future<std::string> digest =
      std::async(std::launch::async, [&] { return sha256_of_file(beginning.path); });
  const LineSample sample = draw_lines(
      beginning, empty, std::clamp<std::size_t>(options.threads, 1, kMostReaders), progress);
  return labelled(beginning, sample, digest.get(), roles, input);
}

double sampling_error(const PreparedFit& prepared, const FitRequest& request) {
  const Design& training = prepared.training;
  std::vector<std::size_t> rows = indices(training.rows);
  RandomStream random(request.options.seed, "sampling error");
  const std::size_t compared = std::min(training.rows / 2, kMostComparedRows);
  for (std::size_t i = 0; i < 2 * compared; ++i)
    std::swap(rows[i], rows[i + random.below(training.rows - i)]);
  FitOptions options = request.options;
  options.be_silent();
  const Design asked = take_rows(
      training, evenly_chosen(training.rows, std::min(training.rows, kMostPredictedRows)));
  const auto predicted_by = [&](std::size_t first) -> Eigen::VectorXd {
    const Design half = take_rows(training, std::span(rows).subspan(first, compared));
    return predict(fit(prepared.spec, half, options), asked);
  };
  const Eigen::ArrayXd distance =
      (predicted_by(0).array() / predicted_by(compared).array()).log().abs();
  return distance.mean() *
         std::sqrt(0.5 * static_cast<double>(compared) / static_cast<double>(training.rows));
}

}  // namespace perfmodel
