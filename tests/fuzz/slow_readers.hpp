#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

/// The value of a formula of numbers, names, + - * / ^, comparisons, parentheses and sqrt, exp, ln,
/// min, max by recursive descent; nullopt if it has anything else.
std::optional<double> evaluate_slowly(std::string_view text,
                                      const std::map<std::string, double>& values);

}  // namespace perfmodel::fuzz
