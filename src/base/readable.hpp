#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace perfmodel {

/// Characters of a UTF-8 text, as columns on a terminal (wide and combining ones count as one).
std::size_t display_width(std::string_view text);

/// The text, shortened in its middle to at most `width` characters.
std::string clipped(const std::string& text, std::size_t width);

/// Four significant digits: "0.00917", "1.46", "1.235e+05".
std::string short_number(double value);

/// "MAE [s]", or the name alone where the unit is not known.
std::string with_unit(const std::string& name, const std::string& unit);

/// "42.5 %"
std::string percent(double value);

}  // namespace perfmodel
