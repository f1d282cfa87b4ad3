#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/ssgd/iteration.hpp"

namespace perfmodel::ssgd {

enum class SpanKind { read, split, copy, forward, backward, update, message };

/// Something that runs from start to end.
struct Span {
  SpanKind kind = SpanKind::forward;
  std::string label;
  double start_us = 0;
  double end_us = 0;
};

/// One iteration in its steady state, lane by lane. Input that overlaps the compute is that of the
/// next iteration.
struct Timeline {
  double total_us = 0;
  std::vector<Span> host;  ///< reading and splitting
  std::vector<Span> copy;
  std::vector<Span> compute;
  std::vector<Span> communication;
};

Timeline timeline_of(const Profile& profile, const Iteration& iteration);

/// Name and spans of each lane, from top to bottom; lanes without spans are left out.
std::vector<std::pair<std::string, const std::vector<Span>*>> lanes(const Timeline& timeline);

}  // namespace perfmodel::ssgd
