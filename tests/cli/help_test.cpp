// Defaults; the rest of the help is in tests/transcripts/help.md.
#include <array>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/fit_options.hpp"
#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/program.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using test::run_perfmodel;

namespace {

/// What the help says of an option, in one line.
std::string paragraph(const std::string& help, const std::string& option) {
  std::string text;
  for (const std::string& line : test::lines_of(help)) {
    const bool begins = line.starts_with("  " + option + " ") || line == "  " + option;
    if (!text.empty() && !line.starts_with("          "))
      break;
    if (begins || !text.empty())
      text += (text.empty() ? "" : " ") + line.substr(line.find_first_not_of(' '));
  }
  return text;
}

}  // namespace

TEST_CASE("the long help of fit has the defaults that apply", "[cli]") {
  const std::string help = run_perfmodel({"fit", "--help-all"}).output;
  CHECK_THAT(paragraph(help, "--method"), EndsWith(" (default: scaled)"));
  const SearchDefaults scaled = search_defaults(Method::scaled);
  const SearchDefaults paper = search_defaults(Method::paper);
  const FitOptions options = cli::fit_options({});
  CHECK_THAT(paragraph(help, "--seed"),
             ContainsSubstring("default: " + std::to_string(options.seed) + ")"));
  CHECK_THAT(paragraph(help, "--loss"),
             ContainsSubstring("default: " + std::string(to_text(options.loss)) + ")"));
  const std::string search = paragraph(help, "--search");
  for (const auto& [key, standard, of_paper] : std::vector<std::array<std::string, 3>>{
           {"population: members per free constant", std::to_string(scaled.population),
            std::to_string(paper.population)},
           {"generations: at most", std::to_string(scaled.generations),
            std::to_string(paper.generations)},
           {"the finish goes on", to_text(scaled.tolerance), to_text(paper.tolerance)}})
    CHECK_THAT(search, ContainsSubstring(key + " (default: " + standard + "; paper: " + of_paper));
}
