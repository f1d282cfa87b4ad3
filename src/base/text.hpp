#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// The shortest text that reads back to the same double ("0.1", "1e-06", "900").
std::string to_text(double value);

/// Three significant digits ("2.1e-05", "0.333"), for text that people read.
std::string rounded(double value);

std::string joined(std::span<const std::string> words, std::string_view separator);

/// "a, b and c"; of more than `most`, the first ones: "a, b, c and 7 more".
std::string enumerated(std::span<const std::string> words, std::size_t most);

/// The whole of `text` as a finite decimal number; nothing where it is anything else (blank, nan,
/// inf, 0x10, decimal comma, 1e400, blanks before or after). A leading plus sign is taken.
/// Independent of the locale.
std::optional<double> parse_number(std::string_view text);

/// Lower case (ASCII), with '-' and ' ' as '_': how names are compared where their spelling may
/// vary.
std::string folded(std::string_view word);

/// The candidate nearest to `word` by edit distance of the folded words, where it is near enough to
/// be a slip.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// The text of a cell as messages show it: in double quotes, long texts cut, controls masked.
std::string quoted_cell(std::string_view text);

/// "'a', 'b' and 'c'", controls masked.
std::string quoted_list(std::span<const std::string> words);

/// The same of words in the order of the alphabet.
std::string sorted_list(std::vector<std::string> words);

/// "; did you mean 'x'?" or an empty text: to stand at the end of a message.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace perfmodel
