#include "cli/options/large_options.hpp"

#include <filesystem>
#include <system_error>

#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/large/needed_rows.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kFewestSampleRows = 10;

void parse_merge_rows(const std::string& text, LargeRowsArguments& arguments) {
  if (text != "auto" && text != "always" && text != "never")
    throw OptionError("--merge-rows", "'" + text + "' is not one of 'auto', 'always' and 'never'");
  arguments.merge = text == "auto" ? std::nullopt : std::optional(text != "never");
}

bool is_large(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         std::filesystem::file_size(path, error) > kLargeFile;
}

}  // namespace

void add_large_options(OptionSet& app, LargeRowsArguments& arguments) {
  app.add_option_function(
         "--merge-rows", [&](const std::string& text) { parse_merge_rows(text, arguments); },
         "rows of equal columns and time count as one while they\n"
         "are read, so that the file may be larger than memory\n"
         "(default: auto, of files of more than 1 GiB)")
      .type_name("auto|always|never")
      .group("Reading files");
  add_count<std::size_t>(app, "--sample-rows", arguments.sample_rows,
                         "fit that many rows, drawn at random while the file is\n"
                         "read (default: all)",
                         kFewestSampleRows)
      .group("Reading files");
}

std::optional<LargeRunsRequest> large_runs_request(const LargeRowsArguments& arguments,
                                                   const std::vector<std::string>& paths,
                                                   const FitRequest& request) {
  const bool merge = arguments.merge.value_or(false);
  if (merge && arguments.sample_rows)
    throw UsageError("--merge-rows always does not go with --sample-rows");
  if ((merge || arguments.sample_rows) && paths.size() > 1)
    throw UsageError(std::string(merge ? "--merge-rows always" : "--sample-rows") +
                     " takes one file; put the files into one");
  if (arguments.sample_rows)
    return LargeRunsRequest{.merge = false, .sample_rows = arguments.sample_rows};
  const Sentence obstacle = needs_rows_of_file(request);
  const Sentence single_rows_for = needs_single_rows(request);
  if (merge && !obstacle.empty())
    throw UsageError(obstacle + " needs rows that are not merged: leave out " +
                     Field{"merge_rows"} + ", or draw rows with " +
                     Field{"sample_rows", {"100000"}});
  const bool large = !arguments.merge && paths.size() == 1 && is_large(paths.front()) &&
                     obstacle.empty() && single_rows_for.empty();
  if (!merge && !large)
    return std::nullopt;
  return LargeRunsRequest{.merge = true, .single_rows_for = single_rows_for};
}

}  // namespace perfmodel::cli
