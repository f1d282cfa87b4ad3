#pragma once

#include <string>
#include <vector>

#include "fit/process/residual_process.hpp"
#include "perfmodel/export/formula_language.hpp"

namespace perfmodel {

/// A function predict_process() of a language that computes, which returns the mean of z, less its
/// centre. It takes the numbers as process_number() writes them, then the positions of the levels.
std::string process_function(const process::ResidualProcess& process, double centre,
                             FormulaLanguage language);

/// A number as the function takes it: its logarithm, or what else its coordinate is of.
std::string process_number(const process::Coordinate& coordinate, const std::string& value,
                           FormulaLanguage language);

/// What a trend is multiplied by, of a call.
std::string process_factor(const std::string& call, FormulaLanguage language);

/// A call of the function.
std::string process_call(const std::vector<std::string>& numbers,
                         const std::vector<std::string>& levels, FormulaLanguage language);

}  // namespace perfmodel
