#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "model/form/multi_expression.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

std::set<double> distinct_values(const NumericFactor& factor, std::size_t rows);

/// Whether a column counts something: whole numbers from 1 on. Only then has its unit a meaning
/// that "more than one" and log2 can build on.
bool are_counts(const std::set<double>& values);
bool is_count(const NumericFactor& factor, std::size_t rows);

/// Whether log2(n) says more than a power could: a count of three values, of which enough rows have
/// more than 1. Where nearly all have 1, the term would exist for a handful of rows, and could be
/// anything elsewhere.
bool may_have_logarithm(const NumericFactor& factor, std::size_t rows);

bool has_two_values(const NumericFactor& factor, std::size_t rows);

/// "padding > 0": of columns whose 0 has a factor of its own. They are the first of all regimes and
/// part of every form.
std::vector<Regime> zero_regimes(const ModelSpec& spec);

/// Those, and "num_gpus > 1": of columns that count from 1 and take two further values or more.
/// With one other value the power of the column says the same.
std::vector<Regime> possible_regimes(const ModelSpec& spec, const Design& training);

}  // namespace perfmodel
