#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perfmodel::fuzz {

// Readers that are short instead of fast and share no code with the program.

struct SlowTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::uint32_t> lines;  ///< of each row, from 1
};

/// Reads a well-formed separated file with RFC 4180 quotes: blank lines are skipped, blanks around
/// unquoted fields are ignored.
SlowTable read_slowly(std::string_view bytes, char separator);

/// The value of "1h 2m", "00:12:31", "3.1 MB", "512K" or "72.6%" and its unit: "s", "B" or "%";
/// nullopt for other texts, for those of more than 200 bytes and for exponents of three digits.
std::optional<std::pair<double, std::string>> quantity_slowly(const std::string& text);

/// The value of a formula of numbers, names, + - * / ^, comparisons, parentheses and sqrt, exp, ln,
/// min, max by recursive descent; nullopt if it has anything else.
std::optional<double> evaluate_slowly(std::string_view text,
                                      const std::map<std::string, double>& values);

}  // namespace perfmodel::fuzz
