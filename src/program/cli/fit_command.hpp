#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "cli/commands.hpp"
#include "cli/fit_options.hpp"
#include "cli/gates.hpp"

namespace perfmodel::cli {

/// Of the fit of many models.
struct ManyArguments {
  std::vector<std::string> by;         ///< columns that distinguish groups, each with its own model
  std::vector<std::string> ranked_at;  ///< settings of the ranking
  std::optional<Shard> shard;          ///< of the models that this call fits
  bool resume = false;
};

struct FitArguments {
  Call call = {};
  std::vector<std::string> runs;
  std::optional<std::string> output;
  InputOptions input;
  RoleRequest roles;
  bool keep_totals = false;                ///< `auto` does not turn totals into counts per worker
  std::optional<std::size_t> sample_rows;  ///< FitRequest::training_rows
  SearchArguments search;
  std::size_t repeats = 1;
  std::optional<std::string> prior;    ///< an earlier model, which is adapted
  SplitArguments split{.shares = {}};  ///< all rows train
  std::optional<std::string> test;
  HeldOutRequest held_out;
  std::size_t bootstrap = 0;  ///< samples; 0: none
  std::vector<Gate> gates;
  ManyArguments many;
};

/// The command `fit` with these arguments, or with another function that gets them.
using RunFit = std::function<int(const FitArguments&, Console&)>;
Command fit_command();
Command fit_command(const RunFit& run);

/// The request, without the means to observe, share or stop the fit.
FitRequest request_of(const FitArguments& arguments);

/// Whether the user chose neither a form nor its search.
bool chose_no_form(const FitArguments& arguments);

/// True if the arguments request a model per group or target.
bool asks_for_many(const FitArguments& arguments);

}  // namespace perfmodel::cli
