#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace perfmodel::cli {

/// How far a piece of work is.
struct WorkState {
  std::string work;         ///< "folds"
  std::size_t done = 0;     ///< of `all` equal parts
  std::size_t all = 0;      ///< 0: nobody knows how long it takes
  std::size_t before = 0;   ///< of those that are done, when the clock began
  bool even = true;         ///< whether each part takes about as long as another
  double seconds = 0;       ///< on the clock
  double seconds_done = 0;  ///< of these, until the last part was done
  std::string detail{};     ///< what else there is to say
};

/// What is left, from the pace of what is done; nothing before two parts are done, and where parts
/// differ. Never less than nothing.
std::optional<double> seconds_left(const WorkState& state);

/// "folds  [########------------]  40 %, about 12 s left"; without a bar where no share is known:
/// "choosing the form, 8 s". At most `width` characters.
std::string progress_text(const WorkState& state, std::size_t width);

}  // namespace perfmodel::cli
