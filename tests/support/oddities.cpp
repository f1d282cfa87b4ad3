#include "support/oddities.hpp"

#include <cmath>
#include <cstdlib>
#include <regex>

#include "support/markdown.hpp"
#include "support/markup.hpp"

namespace perfmodel::test {
namespace {

/// Whether a word of a text is a number that nothing measured or counted can be.
bool is_too_large(const std::string& number) {
  constexpr double most = 1e15;
  return std::abs(std::strtod(number.c_str(), nullptr)) > most;
}

}  // namespace

std::vector<std::string> oddities_in(const std::string& text) {
  static const std::regex numbers(R"((^|[^\w.])(\d+(\.\d+)?(e[-+]?\d+)?)(?![\w.]))");
  static const std::regex others(
      R"re((^|[^\w-])-?(nan|inf|NaN|Infinity)(?![\w])|(^|[^\w.)])-0(\.0*)?(?![\w.])|)re"
      R"re(\[([^\]]*)\] \[\5\]|, ,|(^|[^\w'])''(?![\w'])|(^|[^\w"])""(?![\w"]))re");
  std::vector<std::string> out;
  for (const std::string& line : lines_of(text)) {
    for (std::sregex_iterator it(line.begin(), line.end(), numbers), end; it != end; ++it)
      if (is_too_large((*it)[2]))
        out.push_back((*it)[2].str() + ": " + line);
    for (std::sregex_iterator it(line.begin(), line.end(), others), end; it != end; ++it)
      out.push_back(it->str() + ": " + line);
  }
  return out;
}

std::string visible_text(std::string page) {
  for (const std::string name : {"style", "script"})
    for (auto at = page.find("<" + name); at != std::string::npos; at = page.find("<" + name, at))
      page.erase(at, page.find("</" + name + ">", at) - at);
  return joined(texts_of(page, "body"));
}

}  // namespace perfmodel::test
