#include "support/markup.hpp"

#include <cctype>
#include <set>
#include <utility>

namespace perfmodel::test {
namespace {

/// Reads tags one after the other and keeps the open ones.
class MarkupReader {
 public:
  explicit MarkupReader(const std::string& page) : page_(page) {}

  std::string problem() {
    if (page_.starts_with("<!DOCTYPE html>\n"))
      at_ = 16;
    while (problem_.empty() && at_ < page_.size())
      if (skip("<![CDATA["))
        skip_past("]]>");
      else
        page_[at_] == '<' ? read_tag() : read_text();
    if (problem_.empty() && !open_.empty())
      fail("<" + open_.back() + "> is not closed");
    return problem_;
  }

 private:
  const std::string& page_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  std::set<std::string> ids_;
  std::string problem_;

  void fail(const std::string& what) {
    problem_ = what + " near: " + page_.substr(at_ > 40 ? at_ - 40 : 0, 100);
  }

  bool skip(const std::string& text) {
    const bool found = page_.compare(at_, text.size(), text) == 0;
    at_ += found ? text.size() : 0;
    return found;
  }

  void skip_past(const std::string& end) {
    const std::size_t found = page_.find(end, at_);
    if (found == std::string::npos)
      fail("no " + end);
    else
      at_ = found + end.size();
  }

  std::string name() {
    std::string out;
    while (at_ < page_.size() &&
           (std::isalnum(static_cast<unsigned char>(page_[at_])) || page_[at_] == '-'))
      out += page_[at_++];
    if (out.empty())
      fail("a name was expected");
    return out;
  }

  void read_reference() {
    for (const char* known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
      if (skip(known))
        return;
    fail("a bare &");
  }

  void read_text() {
    if (open_.empty() && !std::isspace(static_cast<unsigned char>(page_[at_])))
      fail("text outside of the document");
    page_[at_] == '&' ? read_reference() : void(++at_);
  }

  void read_attribute(std::set<std::string>& names) {
    const std::string attribute = name();
    if (problem_.empty() && (!names.insert(attribute).second || !skip("=\"")))
      fail("attribute " + attribute);
    const std::size_t begin = at_;
    while (problem_.empty() && at_ < page_.size() && page_[at_] != '"')
      if (page_[at_] == '<')
        fail("a bare <");
      else
        page_[at_] == '&' ? read_reference() : void(++at_);
    if (attribute == "id" && !ids_.insert(page_.substr(begin, at_ - begin)).second)
      fail("an id twice");
    ++at_;
  }

  void read_tag() {
    ++at_;
    if (skip("/")) {
      const std::string closed = name();
      if (!skip(">") || open_.empty() || open_.back() != closed)
        return fail("</" + closed + "> closes nothing");
      open_.pop_back();
      return;
    }
    open_.push_back(name());
    std::set<std::string> names;
    while (problem_.empty() && skip(" "))
      read_attribute(names);
    if (problem_.empty() && skip("/>"))
      open_.pop_back();
    else if (problem_.empty() && !skip(">"))
      fail("a tag without its end");
  }
};

std::string resolved(std::string text) {
  // Without std::regex, which runs out of stack on the long paths of figures.
  for (auto at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.erase(at, text.find('>', at) - at + 1);
  const std::vector<std::pair<std::string, std::string>> references = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [reference, character] : references)
    for (auto at = text.find(reference); at != std::string::npos; at = text.find(reference, at + 1))
      text.replace(at, reference.size(), character);
  return text;
}

}  // namespace

std::string markup_problem(const std::string& page) {
  return MarkupReader(page).problem();
}

std::vector<std::string> texts_of(const std::string& page, const std::string& name,
                                  const std::string& css_class) {
  std::vector<std::string> texts;
  const std::string end = "</" + name + ">";
  for (auto at = page.find("<" + name); at != std::string::npos;
       at = page.find("<" + name, at + 1)) {
    const char next = page[at + name.size() + 1];
    const auto begin = page.find('>', at);
    const std::string attributes = page.substr(at, begin - at);
    const bool wanted =
        css_class.empty() || attributes.find("class=\"" + css_class + "\"") != std::string::npos;
    if ((next == '>' || next == ' ') && wanted)
      texts.push_back(resolved(page.substr(begin + 1, page.find(end, begin) - begin - 1)));
  }
  return texts;
}

}  // namespace perfmodel::test
