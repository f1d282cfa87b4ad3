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

/// What the predicted time consists of.
std::string share_figure(const Content& content);

/// What the figures of the scales have in common, as plain text; empty where there are none.
std::string scale_legend(const Content& content);

/// The time along one extrinsic column; `number` tells the figures of a page apart.
std::string scale_figure(const Content& content, const ScaleCurve& curve, std::size_t number);

}  // namespace perfmodel::page
