#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/fit.hpp"

namespace perfmodel {

/// Of larger files (in bytes), rows are drawn.
constexpr std::uint64_t kLargeFile = std::uint64_t{1} << 30;

/// So many rows are drawn unless others are requested.
constexpr std::size_t kRowsOfLargeFile = 100'000;

/// How many rows of the files are drawn at random while they are read: those requested, or of a
/// large file kRowsOfLargeFile, of a form that is chosen kRowsOfChoice. Nullopt: all are read, as
/// those of several files are, and prepare_fit() draws.
std::optional<std::size_t> rows_to_draw(const std::vector<std::string>& paths,
                                        const FitRequest& request);

/// Leaves at most so many training rows in a split, drawn at random; repeated runs are left out
/// before configurations are. `earlier`: see label_runs(). Returns false if there were no more.
bool draw_training_rows(const LabelledRuns& runs, std::size_t most, std::uint64_t seed,
                        Split& split, const FittedModel* earlier = nullptr);

/// "The model is fitted to 100 rows, drawn at random from 2000."
std::string fitted_to_drawn_rows(std::size_t drawn, std::size_t rows);

/// Draws rows of a file while it is read, so that it may be larger than memory; the same rows for a
/// seed, for any number of threads. Throws InputError for malformed rows among those drawn.
LabelledRuns draw_runs(const std::string& path, std::size_t rows, const RoleRequest& roles,
                       const InputOptions& input, const FitOptions& options,
                       const ReadProgress& progress = {});

/// How far another draw of as many rows would move the predicted times, in the mean of |ln| over
/// training rows. Two models of m disjoint random rows, at most 5,000 each, differ by sqrt(2)
/// times the standard deviation of one, and that falls with the root of the number of rows.
double sampling_error(const PreparedFit& prepared, const FitRequest& request);

}  // namespace perfmodel
