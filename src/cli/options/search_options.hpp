#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel::cli {

class OptionSet;

/// What the command line says about loss and search, as far as it says something.
struct SearchArguments {
  FitOptions options;
  std::optional<Loss> loss;
  std::optional<std::uint64_t> seed;
  std::optional<double> l1;
  std::optional<double> l2;
  bool residual_given = false;
  bool no_polish = false;
  std::optional<Penalise> penalise;
  bool terms_given = false;
  std::optional<std::size_t> threads;
};

/// Which forms a command fits: any, or one that is given and has no residual process.
enum class Forms { any, given };

/// The options of every command that fits.
void add_search_options(OptionSet& app, SearchArguments& arguments, Forms forms = Forms::any);

/// Of commands that fit one expression: throws UsageError for options that it does not know.
void refuse_options_of_others(const SearchArguments& arguments);

/// An objective was asked for that no residual process has: among forms that are chosen, there is
/// then none with a process.
bool leaves_process_out(const SearchArguments& arguments);

/// Whether a model with a residual process may come out.
bool may_have_process(const SearchArguments& arguments);

/// The options for fit(): what was given, else the defaults of FitOptions; all cores, or as many as
/// OMP_NUM_THREADS says; the kernel that PERFMODEL_KERNEL names. Throws UsageError for a kernel
/// that this machine lacks.
FitOptions fit_options(const SearchArguments& arguments);

/// Where `--threads` does not say: OMP_NUM_THREADS, else the cores.
std::size_t default_threads();

}  // namespace perfmodel::cli
