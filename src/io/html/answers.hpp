#pragma once

#include <string>
#include <vector>

#include "analysis/page/content.hpp"

namespace perfmodel::page {

/// A question that readers come with, and what there is to say.
struct Answer {
  std::string question;
  std::string figure;  ///< the answer in a few words
  std::vector<std::string> lines;
  bool is_alarming = false;  ///< not to be overlooked
};

/// What the page calls a file, which may be standard input.
std::string shown_name(const std::string& file);

/// How long, what makes it long, how it scales, how far to trust.
std::vector<Answer> answers_of(const Content& content);

/// The settings of a configuration in a line.
std::string settings_text(const std::vector<Setting>& settings);

/// Whether the new model is better than the old one; empty without an old one.
std::string comparison_text(const Comparison& other);

/// The wanted one, or "TARGET: MODEL on RUNS".
std::string title_text(const Content& content, const std::string& wanted);

/// "runs.csv: 1500 runs, ..."
std::string subtitle(const Content& content);

/// How the error compares with the noise of the runs; empty where it is not known.
std::string noise_text(const Content& content);

/// Of the model, and of the runs where they leave what it was fitted on.
std::vector<std::string> warnings_of(const Content& content);

/// What the model's intervals promise and what they hold; empty where it has none.
std::string interval_text(const Content& content);

}  // namespace perfmodel::page
