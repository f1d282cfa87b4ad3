#pragma once

#include <optional>
#include <string>
#include <vector>

namespace perfmodel::test {

/// A command of a ```console block and what it shows below it.
struct ConsoleCommand {
  std::vector<std::string> shown;  ///< the lines of the command, as they stand in the block
  std::string command;             ///< for the shell
  std::vector<std::string> output;
};

/// The commands of a block: each begins with "$ ", and goes on in the next line after a backslash
/// or where that begins with "> ", as a shell shows it. A line "..." in an output stands for any
/// number of lines.
std::vector<ConsoleCommand> console_commands(const std::vector<std::string>& block);

/// How an output differs from what the block shows: all lines, those that are missing behind "- ",
/// those that are too many behind "+ ", those that a cut stands for behind ". "; none where it does
/// not. Within a line, "..." stands for anything, and "~0.353 ±1%" or "~20 ±3" for a number as near
/// to it as that. What differs from run to run or from machine to machine is not compared: times
/// that a command took, counts of generations and evaluations, and the digits of numbers beyond the
/// sixth, where ten or more are printed.
std::vector<std::string> differences(const std::vector<std::string>& expected,
                                     const std::vector<std::string>& actual);

/// Whether there are none.
bool shows(const std::vector<std::string>& expected, const std::vector<std::string>& actual);

/// The new output with the cuts ("...") of the old one. Nothing where the lines around a cut are
/// not found again, numbers aside.
std::optional<std::vector<std::string>> with_the_cuts_of(const std::vector<std::string>& expected,
                                                         const std::vector<std::string>& actual);

}  // namespace perfmodel::test
