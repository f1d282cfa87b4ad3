#pragma once

#include <string>

#include "analysis/page/content.hpp"

namespace perfmodel::page {

// Each figure with its caption, as a <figure> element; empty where there is nothing to draw.

/// Predicted times against measured ones.
std::string parity_figure(const Content& content);

/// Errors in percent against the predicted times.
std::string residual_figure(const Content& content);

/// How many runs have which error.
std::string histogram_figure(const Content& content);

/// What adds up to the predicted time of the shown configuration.
std::string share_figure(const Content& content);

/// What the figures of the scales have in common, as plain text; empty where there are none.
std::string scale_legend(const Content& content);

/// The time along one extrinsic column; `number` tells the figures of a page apart.
std::string scale_figure(const Content& content, const ScaleCurve& curve, std::size_t number);

/// Speedup along it, with the ideal line.
std::string speedup_figure(const ScaleCurve& curve, std::size_t number);

/// A small figure per level where one typical time means nothing.
std::string group_figures(const Content& content);

/// A small figure per input: where the errors lie along it.
std::string error_figures(const Content& content);

}  // namespace perfmodel::page
