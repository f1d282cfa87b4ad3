#pragma once

#include <string>

#include "perfmodel/base/sentence.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::cli {

/// A word as a shell takes it, in quotes where it needs them.
std::string shell_word(const std::string& word);

/// The flag that sets a field of a request: "--group-by", and "--ignore a,b" where values are
/// advised, quoted for the shell where they need it.
std::string flag_text(const Field& field);

/// The sentence with flags for fields.
std::string with_flags(const Sentence& sentence);

/// What a model says to people, in the words of the command line.
void name_flags(FittedModel& model);

}  // namespace perfmodel::cli
