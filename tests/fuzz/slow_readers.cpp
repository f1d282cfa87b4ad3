#include "fuzz/slow_readers.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <regex>

namespace perfmodel::fuzz {
namespace {

std::string trimmed(std::string text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> out;
  std::string field;
  bool quoted = false;
  bool was_quoted = false;
  const auto finish = [&] {
    out.push_back(was_quoted ? field : trimmed(field));
    field.clear();
    was_quoted = false;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      field += '"';
      ++i;
    } else if (quoted) {
      quoted = c != '"';
      if (quoted)
        field += c;
    } else if (c == separator) {
      finish();
    } else if (c == '"' && trimmed(field).empty() && !was_quoted) {
      quoted = was_quoted = true;
      field.clear();
    } else if (!was_quoted || (c != ' ' && c != '\t')) {
      field += c;
    }
  }
  finish();
  return out;
}

/// A recursive-descent evaluator; `ok` becomes false at what it does not know.
class Evaluator {
 public:
  Evaluator(std::string_view text, const std::map<std::string, double>& values)
      : text_(text), values_(values) {}

  std::optional<double> whole() {
    const double out = comparison();
    skip();
    return ok_ && at_ == text_.size() ? std::optional(out) : std::nullopt;
  }

 private:
  std::string_view text_;
  const std::map<std::string, double>& values_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool ok_ = true;

  void skip() {
    while (at_ < text_.size() && text_[at_] > 0 && text_[at_] <= ' ')
      ++at_;
  }
  bool take(std::string_view sign) {
    skip();
    if (text_.substr(at_, sign.size()) != sign)
      return false;
    at_ += sign.size();
    return true;
  }
  double fail() {
    ok_ = false;
    return 0;
  }

  double comparison() {
    double left = sum();
    while (ok_)
      if (take("<="))
        left = left <= sum();
      else if (take(">="))
        left = left >= sum();
      else if (take("<"))
        left = left < sum();
      else if (take(">"))
        left = left > sum();
      else
        break;
    return left;
  }
  double sum() {
    double left = product();
    while (ok_)
      if (take("+"))
        left += product();
      else if (take("-"))
        left -= product();
      else
        break;
    return left;
  }
  double product() {
    double left = sign();
    while (ok_)
      if (take("*"))
        left *= sign();
      else if (take("/"))
        left /= sign();
      else
        break;
    return left;
  }
  double sign() {
    if (++depth_ > 200)
      return fail();
    const double out = take("-") ? -sign() : take("+") ? sign() : power();
    --depth_;
    return out;
  }
  double power() {
    const double base = primary();
    return ok_ && take("^") ? std::pow(base, sign()) : base;
  }
  double primary() {
    skip();
    if (take("(")) {
      if (++depth_ > 200)
        return fail();
      const double out = comparison();
      --depth_;
      return take(")") ? out : fail();
    }
    if (at_ < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)) {
      const std::string rest(text_.substr(at_, 40));
      // Hexadecimal numbers and the like are left to the program.
      const std::size_t length = rest.find_first_not_of("0123456789.");
      const std::string digits = rest.substr(0, length);
      if (length != std::string::npos && std::isalpha(static_cast<unsigned char>(rest[length])))
        return fail();
      if (std::count(digits.begin(), digits.end(), '.') > 1 || digits.size() > 15)
        return fail();
      at_ += digits.size();
      return std::strtod(digits.c_str(), nullptr);
    }
    std::string name;
    if (text_.substr(at_, 1) == "`") {
      const std::size_t end = text_.find('`', at_ + 1);
      name = text_.substr(at_ + 1, end - at_ - 1);
      at_ = std::min(end, text_.size() - 1) + 1;
      const auto column = values_.find(name);
      return column != values_.end() ? column->second : fail();
    }
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0))
      name += text_[at_++];
    const auto known = values_.find(name);
    if (known != values_.end())
      return known->second;
    return call(name);
  }
  double call(const std::string& name) {
    if (!take("("))
      return fail();
    std::vector<double> arguments = {comparison()};
    while (ok_ && take(","))
      arguments.push_back(comparison());
    if (!ok_ || !take(")"))
      return fail();
    if (name == "min")
      return *std::min_element(arguments.begin(), arguments.end());
    if (name == "max")
      return *std::max_element(arguments.begin(), arguments.end());
    if (arguments.size() != 1)
      return fail();
    if (name == "sqrt")
      return std::sqrt(arguments[0]);
    if (name == "exp")
      return std::exp(arguments[0]);
    return name == "ln" ? std::log(arguments[0]) : fail();
  }
};

}  // namespace

std::optional<std::pair<double, std::string>> quantity_slowly(const std::string& text) {
  if (text.size() > 200)
    return std::nullopt;
  const auto number = [](const std::string& digits) {
    return std::strtod(digits.c_str(), nullptr);
  };
  std::smatch found;
  static const std::regex clock(R"((?:(\d+)-)?(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?))");
  if (std::regex_match(text, found, clock))
    return std::pair(86400 * number(found[1]) + 3600 * number(found[2]) + 60 * number(found[3]) +
                         number(found[4]),
                     "s");
  static const std::regex minutes(R"((\d+):([0-5]\d\.\d+))");
  if (std::regex_match(text, found, minutes))
    return std::pair(60 * number(found[1]) + number(found[2]), "s");
  static const std::regex share(R"((\d+\.?\d*(?:[eE][+-]?\d{1,2})?) *% *)");
  if (std::regex_match(text, found, share))
    return std::pair(number(found[1]), "%");
  static const std::regex memory(
      R"((\d+\.?\d*(?:[eE][+-]?\d{1,2})?) *(?:(B|byte|bytes)|([kKMGTP])B|([KMGTP])(?:i|iB)?) *)");
  if (std::regex_match(text, found, memory)) {
    const std::string letters = "KMGTP";
    const auto power = [&](const std::string& letter) {
      return 1 + static_cast<double>(letters.find(letter == "k" ? "K" : letter));
    };
    const double factor = found[2].matched   ? 1
                          : found[3].matched ? std::pow(1000, power(found[3]))
                                             : std::pow(1024, power(found[4]));
    return std::pair(number(found[1]) * factor, "B");
  }
  // One optional part per unit keeps the units in descending order.
  static const auto parts = [] {
    std::vector<std::pair<std::regex, double>> out;
    for (const auto& [words, factor] : std::vector<std::pair<std::string, double>>{
             {"d|days?", 86400},
             {"h|hrs?|hours?", 3600},
             {"m|mins?|minutes?", 60},
             {"s|secs?|seconds?", 1},
             {"ms|msec|milliseconds?", 1e-3},
             {"us|\u00b5s|\u03bcs|usec|microseconds?", 1e-6},
             {"ns|nsec|nanoseconds?", 1e-9}})
      out.emplace_back("(\\d+\\.?\\d*(?:[eE][+-]?\\d{1,2})?) *(?:" + words + ")(?: +|$|(?=\\d))",
                       factor);
    return out;
  }();
  double sum = 0;
  std::string rest = text;
  for (const auto& [part, factor] : parts)
    if (std::regex_search(rest, found, part, std::regex_constants::match_continuous)) {
      sum += number(found[1]) * factor;
      rest = found.suffix();
    }
  return rest.empty() && !text.empty() ? std::optional(std::pair(sum, std::string("s")))
                                       : std::nullopt;
}

SlowTable read_slowly(std::string_view bytes, char separator) {
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF")
    bytes.remove_prefix(3);
  SlowTable out;
  std::uint32_t number = 0;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    std::string line(bytes.substr(0, end));
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    ++number;
    if (!line.empty() && line.back() == '\r')
      line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos)
      continue;
    std::vector<std::string> fields = fields_of(line, separator);
    if (out.header.empty()) {
      out.header = std::move(fields);
      continue;
    }
    out.rows.push_back(std::move(fields));
    out.lines.push_back(number);
  }
  return out;
}

std::optional<double> evaluate_slowly(std::string_view text,
                                      const std::map<std::string, double>& values) {
  return Evaluator(text, values).whole();
}

}  // namespace perfmodel::fuzz
