#pragma once

#include <string>

#include "page/page_content.hpp"

namespace perfmodel::page {

/// A picture for a terminal, at most 72 columns wide: the times of a curve with their band, its
/// runs, and the ideal times of its forecasts, if it has some; in braille, or in ASCII where the
/// locale is not of UTF-8. An axis is logarithmic if its values span more than a factor of 20.
std::string picture_of(const ScaleCurve& curve, const std::string& target, const Unit& unit);

}  // namespace perfmodel::page
