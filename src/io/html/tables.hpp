#pragma once

#include <string>

#include "analysis/page/content.hpp"
#include "base/time_text.hpp"

namespace perfmodel::page {

/// The unit of figures that stand in columns, such as errors: that of the median time.
TimeUnit page_unit(const Content& content);

// Tables of the page, ready to be put into it; empty where there is nothing to list.

/// Metrics of the parts that the model was fitted and judged on, and of the runs.
std::string metrics_table(const Content& content);

/// The runs with the largest errors, with their lines in the file.
std::string worst_table(const Content& content);

/// Share and formula of each term of a sum, the small ones last and folded; nothing of Eq. (4).
std::string term_table(const Content& content);

/// Predictions along a scale: time, interval, speedup.
std::string forecast_table(const Content& content, const ScaleCurve& curve);

/// Runs by level where one typical time means nothing.
std::string group_table(const Content& content);

/// Errors by level and by scale.
std::string error_table(const Content& content);

/// Both models on the same runs; nothing without a second one.
std::string comparison_table(const Content& content);

/// What each input does to the typical configuration.
std::string effect_table(const Content& content);

std::string power_table(const Content& content);

/// Every constant with what is known of it; of a sum a table per term.
std::string constant_tables(const Content& content);

std::string difference_table(const Content& content);

/// The files behind the page, with the digests of their bytes.
std::string file_table(const Content& content);

/// How the constants were found; nothing where the model does not say.
std::string search_table(const Content& content);

}  // namespace perfmodel::page
